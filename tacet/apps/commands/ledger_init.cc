#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/ledger_options.h"
#include "tacet/base/error.h"
#include "tacet/ledger/ledger.h"
#include "tacet/ledger/marks.h"
#include "tacet/run/enrolment.h"
#include "tacet/run/records.h"

namespace tacet::apps {
namespace {

namespace fs = std::filesystem;
using ledger::Ledger;

constexpr std::string_view init_examples =
    "  tacet ledger init budget.ledger --data-set survey --data survey.csv --epsilon 3 --delta "
    "1e-6\n"
    "      epsilons and deltas of all runs add up to at most (3, 1e-6)\n"
    "  tacet ledger init budget.ledger --data-set survey --currency zcdp --cap 0.5\n"
    "  tacet ledger init budget.ledger --data-set survey --currency gdp --epsilon 2 --delta 1e-6\n"
    "      the largest mu that promises (2, 1e-6)\n"
    "  tacet train survey.csv --schema s.toml --epsilon 1 --ledger budget.ledger\n"
    "\n"
    "basic takes every guarantee; zcdp and gdp waste nothing on Gaussian noise; rdp at one order\n"
    "suits sampled batches; pure is for delta 0. An existing ledger gets a further account.\n"
    "A ledger that was lost and came back from an older copy lacks the runs since; the data are\n"
    "given to it all the same by marking them again, in the words of whoever answers for what is\n"
    "missing:\n"
    "  tacet ledger init old.ledger --data-set survey --alias survey --data survey.csv \\\n"
    "      --override --reason \"the disk broke; two runs of May are missing\"\n"
    "Data that have an account in another ledger get a second one in such words alone, too.\n";

class LedgerInit : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "ledger init", "Make a ledger, or an account in one", init_examples);
    add_ledger(options, ledger_);
    options.add("--data-set", data_set_, "NAME",
                "Name of the account: letters, digits, _ - . :", Form::required);
    options.add("--data", data_, "FILE",
                "File with the records: recognised later, and marked in its folder so that "
                "spending without the ledger is refused");
    options.add("--currency", currency_, "NAME", "zcdp, gdp, rdp, pure or basic");
    options.offer("--currency", {"zcdp", "gdp", "rdp", "pure", "basic"});
    options.add("--order", order_, "NUMBER", "Renyi order of an rdp account, above 1");
    options.add("--adjacency", adjacency_, "NAME",
                "add_remove, zero_out or replace_one; a replace_one account also takes runs "
                "under add_remove, at the double distance");
    options.offer("--adjacency", {"add_remove", "zero_out", "replace_one"});
    options.add("--alias", alias_, "NAME",
                "The records have the account NAME already: --data-set becomes a further name of "
                "it, with its cap and all it has spent");
    options.add("--privacy-unit", unit_, "NAME",
                "What is protected: record, or the schema's unit column");
    options.flag("--override", override_,
                 "Enrol data that have an account already, as their mark or their records tell");
    options.add("--reason", reason_, "TEXT", "Why; the words stay in both ledgers");
    cap_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (override_ == reason_.empty()) {
      throw base::UsageError("--override and --reason TEXT go together");
    }
    if (override_) ledger::check_words("the override", reason_);
    if (!alias_.empty()) {
      join(console, cancel);
      return;
    }
    const auto currency = ledger::parse_currency(currency_);
    const double order = order_.empty() ? 0 : number_option("--order", order_, "a number above 1");
    ledger::Enrolment enrolment{.data_set = data_set_,
                                .adjacency = privacy::parse_adjacency(adjacency_),
                                .privacy_unit = unit_,
                                .cap = cap_.cap(currency, order),
                                .fingerprints = {},
                                .file = data_};
    ledger::check_data_set_name(data_set_);
    const auto earlier = earlier_account(cancel);
    // What is refused leaves no new ledger behind.
    std::error_code error;
    if (!fs::exists(ledger_, error)) refuse_second(earlier, {});
    Ledger::ensure(ledger_);
    Ledger ledger(ledger_, {.cancel = &cancel});
    const auto snapshot = ledger.snapshot();
    if (snapshot.find(data_set_) == nullptr) refuse_second(earlier, snapshot);
    if (!data_.empty()) enrolment.fingerprints = run::fingerprints_of(ledger, data_);
    if (earlier && override_) {
      enrolment.elsewhere = elsewhere(*earlier, data_set_);
      enrolment.looks = run::looks_of(*earlier, reason_, &cancel);
    }
    ledger.enrol(enrolment);
    finish(console, ledger, cancel, earlier);
  }

 private:
  using Earlier = std::optional<run::EarlierAccount>;

  [[nodiscard]] Earlier earlier_account(const base::CancelToken& cancel) const {
    if (data_.empty()) {
      if (override_) throw base::UsageError("--override is for --data that have an account");
      return std::nullopt;
    }
    std::error_code error;
    if (!fs::is_regular_file(data_, error)) {
      throw base::IoError("cannot read '{}': it is no regular file", data_);
    }
    auto earlier = run::earlier_account(data_, ledger_, &cancel);
    if (earlier || !override_) return earlier;
    throw base::UsageError(
        "--override is for data that have an account, and no mark here tells of one for '{}'; "
        "leave it out",
        data_);
  }

  /// The records that this ledger itself knows are refused by it in any words: one ledger counts
  /// them once.
  void refuse_second(const Earlier& earlier, const ledger::Snapshot& snapshot) const {
    if (!earlier || override_) return;
    const bool here = earlier->mark.ledger_name == snapshot.ledger;
    if (here && !earlier->by_name) return;
    run::refuse_enrolment(data_, *earlier);
  }

  [[nodiscard]] ledger::OtherLedger elsewhere(const run::EarlierAccount& earlier,
                                              const std::string& account) const {
    return {.data_set = account,
            .ledger = earlier.mark.ledger_name,
            .path = earlier.ledger.string(),
            .earlier = true,
            .reason = reason_};
  }

  /// A further name; caps and neighbours are those of the account.
  void join(const Console& console, const base::CancelToken& cancel) const {
    if (cap_.given()) {
      throw base::UsageError("a further name shares the cap of its account; leave the cap out");
    }
    auto earlier = earlier_account(cancel);
    Ledger ledger(ledger_, {.cancel = &cancel});
    const auto snapshot = ledger.snapshot();
    const auto& account = snapshot.account(alias_);
    if (earlier && goes_on(*earlier, ledger, account)) earlier.reset();
    if (earlier && !override_) run::refuse_enrolment(data_, *earlier);
    std::vector<std::string> fingerprints;
    if (!data_.empty()) fingerprints = run::fingerprints_of(ledger, data_);
    // The account's own name: only its mark is renewed.
    if (data_set_ != alias_) ledger.add_alias(data_set_, alias_);
    if (!fingerprints.empty()) {
      static_cast<void>(ledger.see_records(alias_, fingerprints, data_));
    }
    if (earlier) {
      ledger.note_elsewhere(elsewhere(*earlier, account.name()),
                            run::looks_of(*earlier, reason_, &cancel));
    }
    finish(console, ledger, cancel, earlier);
  }

  /// The data keep their account, and its ledger holds all that the mark has seen of it.
  [[nodiscard]] static bool goes_on(const run::EarlierAccount& earlier, Ledger& ledger,
                                    const ledger::Snapshot::Account& account) {
    const auto& mark = earlier.mark;
    return mark.ledger_name == ledger.snapshot().ledger && account.is_called(mark.data_set) &&
           (mark.seen.rows == 0 || ledger.continues(mark.seen));
  }

  void finish(const Console& console, Ledger& ledger, const base::CancelToken& cancel,
              const Earlier& earlier) const {
    const auto books = ledger.books();
    if (earlier && override_) note(console, *earlier, books, cancel);
    if (!data_.empty()) mark(console, ledger, books, cancel);
    print_account(console, books.account(data_set_));
  }

  /// In the ledger that had the account before, unless it is this one.
  void note(const Console& console, const run::EarlierAccount& earlier, const ledger::Books& books,
            const base::CancelToken& cancel) const {
    if (earlier.mark.ledger_name == books.ledger) return;
    std::error_code error;
    const bool noted = run::note_in_earlier(earlier,
                                            {.data_set = {},
                                             .ledger = books.ledger,
                                             .path = fs::absolute(ledger_, error).string(),
                                             .earlier = false,
                                             .reason = reason_},
                                            &cancel);
    if (noted) return;
    console.warn(fmt::format(
        "the ledger '{}' that had the account before cannot be reached: the reason is kept in this "
        "one and in the mark beside the data alone",
        earlier.ledger.string()));
  }

  void mark(const Console& console, Ledger& ledger, const ledger::Books& books,
            const base::CancelToken& cancel) const {
    std::error_code error;
    const auto file = fs::canonical(data_, error);
    const auto folder = file.parent_path();
    try {
      ledger::add_mark(folder,
                       {file.filename().string(), data_set_, ledger::path_for_mark(folder, ledger_),
                        books.ledger, ledger.position(), reason_},
                       &cancel);
    } catch (const base::IoError& failure) {
      console.warn(fmt::format(
          "the data could not be marked, so that spending without --ledger goes unnoticed: {}",
          failure.what()));
    }
  }

  std::string ledger_;
  std::string data_set_;
  std::string data_;
  std::string currency_ = "basic";
  std::string order_;
  std::string adjacency_ = "add_remove";
  std::string unit_ = "record";
  std::string alias_;
  std::string reason_;
  bool override_ = false;
  CapOptions cap_;
};

}  // namespace

std::unique_ptr<Command> make_ledger_init() { return std::make_unique<LedgerInit>(); }

}  // namespace tacet::apps
