#include "tacet/ledger/ledger.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/ledger_options.h"
#include "tacet/apps/ledger_report.h"
#include "tacet/base/error.h"

namespace tacet::apps {
namespace {

using ledger::Ledger;
using nlohmann::ordered_json;

constexpr std::string_view ledger_show_examples =
    "  tacet ledger show budget.ledger\n"
    "  tacet ledger show budget.ledger --data-set survey --json\n";

constexpr std::string_view ledger_verify_examples =
    "  tacet ledger verify budget.ledger\n"
    "\n"
    "Every row carries a hash of itself and of the row before. Note the head elsewhere: a ledger\n"
    "that was written anew, or put back from an old copy, has another one.\n";

constexpr std::string_view resolve_examples =
    "  tacet ledger resolve budget.ledger --run 7 --aborted-unreleased \\\n"
    "      --attest \"killed by the scheduler before it wrote anything\"\n"
    "\n"
    "For runs that died. A checkpoint, a log line or a metric that left counts as a release, also\n"
    "when nobody looked at it.\n";

constexpr std::string_view ledger_cap_examples =
    "  tacet ledger cap budget.ledger --cap 0.25\n"
    "  tacet ledger cap budget.ledger --cap 2 --override --reason \"approved by the board, 3 "
    "May\"\n"
    "\n"
    "Lowering is always allowed; raising is kept with its reason for ever.\n";

/// The account with that name, or the only one.
const ledger::Account& account_in(const ledger::Books& books, const std::string& name) {
  if (!name.empty()) return books.account(name);
  if (books.accounts.size() == 1) return books.accounts.front();
  throw base::UsageError("the ledger has several accounts or none; name one with --data-set");
}

class LedgerShow : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "ledger show", "Print what is spent, what is left, and every run",
                        ledger_show_examples);
    add_ledger(options, ledger_);
    options.add("--data-set", data_set_, "NAME", "Only this account");
    options.add("--delta", delta_, "NUMBER",
                "Sum all runs up at this delta [default: that of the cap, else the largest of a "
                "run]");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    Ledger ledger(ledger_, {.access = ledger::Access::read, .cancel = &cancel});
    const auto books = ledger.books();
    if (!data_set_.empty()) static_cast<void>(books.account(data_set_));
    const auto delta = chosen_delta();
    auto list = ordered_json::array();
    std::string text;
    for (const auto& account : books.accounts) {
      if (!data_set_.empty() && !account.is_called(data_set_)) continue;
      if (console.json()) {
        list.push_back(account_json(account, delta));
      } else {
        text += (text.empty() ? "" : "\n") + account_text(account, delta);
      }
    }
    const ordered_json out{{"ledger", books.ledger}, {"accounts", list}};
    console.result(console.json() ? json_text(out) : text);
  }

 private:
  [[nodiscard]] std::optional<double> chosen_delta() const {
    if (delta_.empty()) return std::nullopt;
    const double delta = number_option("--delta", delta_, "a number from 0 to below 1");
    if (delta >= 0 && delta < 1) return delta;
    throw base::UsageError("--delta must be from 0 to below 1, got {}", delta);
  }

  std::string ledger_;
  std::string data_set_;
  std::string delta_;
};

class LedgerVerify : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "ledger verify", "Check that no row was changed", ledger_verify_examples);
    add_ledger(options, ledger_);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    Ledger ledger(ledger_, {.access = ledger::Access::read, .cancel = &cancel});
    const auto found = ledger.verify();
    const ordered_json out{{"sound", true}, {"rows", found.rows}, {"head", found.head}};
    console.result(console.json()
                       ? json_text(out)
                       : fmt::format("sound: {} rows, head {}\n", found.rows, found.head));
  }

 private:
  std::string ledger_;
};

class LedgerResolve : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "ledger resolve", "Give back what a run had booked that died", resolve_examples);
    add_ledger(options, ledger_);
    options.add("--run", run_, "COUNT", "Number of the run, as `tacet ledger show` prints it",
                Form::required);
    options.flag("--aborted-unreleased", unreleased_, "Nothing of it left: no file, log or number");
    options.add("--attest", attestation_, "TEXT", "Why you know; the words stay in the ledger");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (!unreleased_ || attestation_.empty()) {
      throw base::UsageError(
          "only a run that released nothing is given back: say so with --aborted-unreleased and "
          "--attest TEXT");
    }
    const auto number = integer_option("--run", run_, "the number of a run");
    Ledger ledger(ledger_, {.cancel = &cancel});
    ledger.resolve(number, attestation_);
    const auto books = ledger.books();
    print_account(console, books.account(books.run(number).booking.data_set));
  }

 private:
  std::string ledger_;
  std::string run_;
  std::string attestation_;
  bool unreleased_ = false;
};

class LedgerCap : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "ledger cap", "Change the cap of an account", ledger_cap_examples);
    add_ledger(options, ledger_);
    options.add("--data-set", data_set_, "NAME", "Name of the account, where there are several");
    cap_.declare(options);
    options.flag("--override", override_, "Raise the cap");
    options.add("--reason", reason_, "TEXT", "Why; the words stay in the ledger");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (override_ == reason_.empty()) {
      throw base::UsageError("--override and --reason TEXT go together");
    }
    Ledger ledger(ledger_, {.cancel = &cancel});
    const auto before = ledger.books();
    const auto& account = account_in(before, data_set_);
    const auto& cap = account.cap();
    ledger.set_cap(account.name(), cap_.cap(cap.currency, cap.order), reason_);
    const auto books = ledger.books();
    print_account(console, books.account(account.name()));
  }

 private:
  std::string ledger_;
  std::string data_set_;
  std::string reason_;
  bool override_ = false;
  CapOptions cap_;
};

}  // namespace

std::unique_ptr<Command> make_ledger_show() { return std::make_unique<LedgerShow>(); }
std::unique_ptr<Command> make_ledger_verify() { return std::make_unique<LedgerVerify>(); }
std::unique_ptr<Command> make_ledger_resolve() { return std::make_unique<LedgerResolve>(); }
std::unique_ptr<Command> make_ledger_cap() { return std::make_unique<LedgerCap>(); }

}  // namespace tacet::apps
