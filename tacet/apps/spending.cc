#include "tacet/apps/spending.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "tacet/apps/interrupt.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::apps {
namespace {

namespace fs = std::filesystem;

/// Calls `receive` with each line, without its end; a last line needs no end. A line longer than
/// limits::line_bytes comes in pieces, so that no file decides about memory.
template <typename Receive>
void for_each_line(const std::string& file, const Receive& receive) {
  constexpr std::size_t chunk = 1 << 16;
  constexpr auto longest = static_cast<std::size_t>(base::limits::line_bytes);
  std::array<char, chunk> buffer{};
  const auto source = data::open_source(file);
  std::string line;
  const auto finish = [&] {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    receive(line);
    line.clear();
  };
  while (const auto count = source->read(buffer)) {
    std::string_view text(buffer.data(), count);
    while (!text.empty()) {
      if (line.size() == longest && text.front() != '\n') {
        receive(line);
        line.clear();
      }
      const auto size = std::min({text.find('\n'), text.size(), longest - line.size()});
      line += text.substr(0, size);
      text.remove_prefix(size);
      if (!text.starts_with('\n')) continue;
      finish();
      text.remove_prefix(1);
    }
  }
  if (!line.empty()) finish();
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Only the ledger of a mark can say whether a file holds the marked records.
[[noreturn]] void refuse_unknown(const std::string& data, const fs::path& folder,
                                 const ledger::Mark& lost) {
  std::error_code error;
  const bool replaced = fs::exists(ledger::ledger_path(folder, lost), error);
  throw base::BudgetError(fmt::format(
      "'{}' may be a copy of '{}' beside it, whose ledger '{}' is {}, so nothing can tell; no "
      "data were used. Put that ledger back, or mark '{}' again where the ledger is now (`tacet "
      "ledger init LEDGER --data-set NAME --alias NAME --data FILE`), or, when its account is no "
      "longer needed, remove its mark from '{}'",
      data, lost.file, ledger::ledger_path(folder, lost).string(),
      replaced ? "another one now" : "missing", lost.file,
      (folder / ledger::marks_file_name).string()));
}

/// Events name no unit, so that a fit whose unit was edited proves nothing against it; where the
/// ledger booked that fit, under whatever account, it knows better.
void refuse_relabelled(const data::SchemaCost& cost, const ledger::Standing& standing) {
  const auto fit = data::fit_name(cost);
  for (const auto& account : standing.accounts) {
    if (account.enrolled.privacy_unit == cost.unit) continue;
    const auto booked = account.commands.lower_bound(fit);
    if (booked == account.commands.end() || !booked->first.starts_with(fit)) continue;
    throw base::BudgetError(fmt::format(
        "the schema says that its fit protects each {}, but the ledger booked that fit under '{}' "
        "for each {}: the schema was edited; nothing was booked. Use the schema as it was fitted",
        cost.unit, account.name(), account.enrolled.privacy_unit));
  }
}

}  // namespace

std::optional<std::string> fingerprint_of(ledger::Ledger& ledger, const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  auto fingerprint = ledger.fingerprint();
  for_each_line(file, [&](std::string_view line) { fingerprint.add(line); });
  return fingerprint.digest();
}

Spending::Spending(SpendingRequest request, const Console& console)
    : request_(std::move(request)),
      console_(console),
      budget_(std::make_unique<privacy::MemoryBudget>(request_.adjacency)) {}

Spending::Spending(SpendingRequest request, const Console& console,
                   std::unique_ptr<ledger::Ledger> ledger, ledger::RunDetails details,
                   std::optional<fs::path> marks)
    : request_(std::move(request)),
      console_(console),
      ledger_(std::move(ledger)),
      marks_(std::move(marks)) {
  auto account = std::make_unique<ledger::LedgerBudget>(*ledger_, std::move(details));
  account_ = account.get();
  budget_ = std::move(account);
}

privacy::Reservation Spending::reserve(const privacy::Event& planned,
                                       const privacy::Guarantee& cost) {
  auto reservation = budget_->reserve(planned, cost);
  note_in_marks(reservation);
  return reservation;
}

/// Before a value is read: from here on a copy of the ledger lacks a row that the marks know.
void Spending::note_in_marks(privacy::Reservation& reservation) {
  if (account_ == nullptr || !marks_) return;
  try {
    ledger::advance_marks(*marks_, *ledger_, &interruption());
  } catch (...) {
    give_back(reservation);
    throw;
  }
}

void Spending::book_schema(const data::Schema& schema, const std::string& file) {
  if (account_ == nullptr || !schema.cost) return;
  const auto cost = data::cost_between(schema, request_.adjacency);
  auto details = account_->details();
  details.command = data::booking_name(cost);
  const auto standing = ledger_->standing();
  refuse_relabelled(cost, standing);
  if (standing.account(details.data_set).commands.contains(details.command)) return;
  details.privacy_unit = cost.unit;
  if (details.unprotected_reason.empty()) details.unprotected_reason = cost.unprotected_reason;
  ledger::LedgerBudget budget(*ledger_, std::move(details));
  auto reservation = budget.reserve(cost.events, cost.guarantee);
  reservation.debit(cost.events);
  reservation.commit();
  // Its output exists: the schema.
  budget.release(data::schema_to_toml(schema), file, cost.cipher_delta);
}

void Spending::check_records() {
  if (account_ == nullptr) return;
  const auto& data_set = account_->details().data_set;
  const auto fingerprint = fingerprint_of(*ledger_, request_.data);
  if (!fingerprint) return;
  const auto found = ledger_->see_records(data_set, *fingerprint, request_.data);
  if (found == ledger::Records::changed) {
    console_.warn(fmt::format(
        "the records of '{}' are not those seen before under '{}'; the same budget goes on, "
        "because it protects persons and not files",
        request_.data, data_set));
  }
}

void Spending::give_back(privacy::Reservation& reservation) {
  try {
    reservation.cancel();
  } catch (const base::Error& error) {
    console_.warn(fmt::format("the reservation stays spent: {}", error.what()));
  }
}

void Spending::release(std::string_view output, const std::string& name, double cipher_delta) {
  if (account_ != nullptr) account_->release(output, name, cipher_delta);
}

void Spending::release_digest(const std::string& sha256, const std::string& name,
                              double cipher_delta) {
  if (account_ != nullptr) account_->release_digest(sha256, name, cipher_delta);
}

void SpendingOptions::declare(Options& options) {
  options.add("--ledger", ledger_, "FILE",
              "Book the cost in this ledger, before the data are read");
  options.add("--data-set", data_set_, "NAME",
              "Name of the account in the ledger [default: the only one, or the file's own]");
  options.add("--without-ledger", without_ledger_, "REASON",
              "Spend past the cap of data that have an account; the reason and the cost stay in "
              "their ledger");
}

std::optional<FoundMark> mark_of(const std::string& data) {
  std::error_code error;
  std::vector<fs::path> files{data};
  if (const auto followed = fs::canonical(data, error); !error) files.push_back(followed);
  for (const auto& file : files) {
    const auto folder = folder_of(file);
    for (const auto& mark : ledger::read_marks(folder)) {
      if (mark.file != file.filename()) continue;
      return FoundMark{mark, ledger::ledger_path(folder, mark), folder};
    }
  }
  // A copy beside the original has another name and the same records.
  const auto folder = folder_of(files.back());
  std::optional<ledger::Mark> lost;
  for (const auto& mark : ledger::read_marks(folder)) {
    const auto path = ledger::ledger_path(folder, mark);
    if (!fs::exists(path, error)) {
      lost = mark;
      continue;
    }
    ledger::Ledger ledger(path, {.access = ledger::Access::read, .cancel = &interruption()});
    const auto standing = ledger.standing();
    if (standing.ledger != mark.ledger_name) {  // another one took its place
      lost = mark;
      continue;
    }
    const auto fingerprint = fingerprint_of(ledger, files.back().string());
    if (!fingerprint) continue;
    const auto* owner = standing.owner(*fingerprint);
    if (owner != nullptr) {
      return FoundMark{{"", owner->name(), path, standing.ledger, mark.seen}, path, folder};
    }
  }
  if (lost && fs::is_regular_file(files.back(), error)) refuse_unknown(data, folder, *lost);
  return std::nullopt;
}

std::string SpendingOptions::chosen_data_set(const ledger::Standing& standing,
                                             const std::optional<FoundMark>& mark) const {
  const auto& own = mark ? mark->mark.data_set : data_set_;
  if (!data_set_.empty() && !standing.account(own).is_called(data_set_)) {
    throw base::BudgetError(fmt::format(
        "these data have the account '{}'; they cannot be booked under '{}'", own, data_set_));
  }
  if (!own.empty()) return standing.account(own).name();
  if (standing.accounts.size() == 1) return standing.accounts.front().name();
  throw base::UsageError("the ledger has several accounts or none; name one with --data-set");
}

std::unique_ptr<Spending> SpendingOptions::open(const SpendingRequest& request,
                                                const Console& console) const {
  const auto mark = mark_of(request.data);
  if (!mark && !without_ledger_.empty()) {
    throw base::UsageError(
        "--without-ledger is for data that have an account, and these have none here");
  }
  if (!without_ledger_.empty() && !ledger_.empty()) {
    throw base::UsageError("--ledger and --without-ledger exclude each other");
  }
  if (!mark && ledger_.empty()) {
    if (!data_set_.empty()) throw base::UsageError("--data-set needs --ledger");
    return std::make_unique<Spending>(request, console);
  }
  if (mark && ledger_.empty() && without_ledger_.empty()) {
    throw base::BudgetError(fmt::format(
        "the records of '{}' have the privacy account '{}': give --ledger {}, or --without-ledger "
        "REASON, which that ledger keeps; no data were used",
        request.data, mark->mark.data_set, mark->ledger.string()));
  }
  auto ledger = std::make_unique<ledger::Ledger>(ledger_.empty() ? mark->ledger : fs::path(ledger_),
                                                 ledger::OpenOptions{.cancel = &interruption()});
  const auto standing = ledger->standing();
  if (mark && mark->mark.ledger_name != standing.ledger) {
    throw base::BudgetError(fmt::format(
        "the account of '{}' is '{}' in the ledger {}, which is another one than {}", request.data,
        mark->mark.data_set, mark->ledger.string(), ledger->path().string()));
  }
  if (mark) ledger::check_continues(mark->mark, *ledger);
  ledger::RunDetails details{.data_set = chosen_data_set(standing, mark),
                             .command = request.command,
                             .calibration = request.calibration,
                             .privacy_unit = request.privacy_unit,
                             .override_reason = without_ledger_,
                             .unprotected_reason = request.unprotected_reason};
  return std::make_unique<Spending>(request, console, std::move(ledger), std::move(details),
                                    mark ? std::optional(mark->folder) : std::nullopt);
}

}  // namespace tacet::apps
