#include "tacet/run/account.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/pipes.h"
#include "tacet/run/records.h"

namespace tacet::run {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Only the ledger of a mark can say whether a file holds the marked records.
[[noreturn]] void refuse_unknown(const std::string& data, const fs::path& folder,
                                 const ledger::Mark& lost) {
  std::error_code error;
  const bool replaced = fs::exists(ledger::ledger_path(folder, lost), error);
  throw base::BudgetError(
      "'{}' may be a copy of '{}' beside it, whose ledger '{}' is {}, so nothing can tell; no data "
      "were used. Put that ledger back, or mark '{}' again where the ledger is now (`ledger.enrol` "
      "with an `alias`), or, when its account is no longer "
      "needed, remove its mark from '{}'",
      data, lost.file, ledger::ledger_path(folder, lost).string(),
      replaced ? "another one now" : "missing", lost.file,
      (folder / ledger::marks_file_name).string());
}

/// The account among those of the ledger.
std::string chosen_data_set(const ledger::Snapshot& snapshot, const std::optional<FoundMark>& mark,
                            const std::string& given) {
  const auto& own = mark ? mark->mark.data_set : given;
  if (!given.empty() && !snapshot.account(own).is_called(given)) {
    throw base::BudgetError("these data have the account '{}'; they cannot be booked under '{}'",
                            own, given);
  }
  if (!own.empty()) return snapshot.account(own).name();
  if (snapshot.accounts.size() == 1) return snapshot.accounts.front().name();
  throw base::UsageError("the ledger has several accounts or none; name one with `data_set`");
}

/// The ways to use records for what protects nobody, in words; empty where the front end has none.
std::string ways_past(const Use& use, const AccountChoice& choice) {
  if (!choice.offers_ways_past) return {};
  const std::string for_ever =
      "`without_ledger=REASON` `for_ever` books what that costs, epsilon infinity: the account can "
      "promise nothing after it, and nothing undoes it";
  if (!use.may_be_attested) return ". " + for_ever;
  return ". If you own the records, nobody else sees the output and it decides nothing about what "
         "is released later, say why you look with `attested_look=REASON`, which costs nothing, "
         "stays in that ledger and is stated by every later receipt. Else " +
         for_ever;
}

void check_exclusions(const AccountChoice& choice) {
  const bool past = !choice.override_reason.empty();
  if (past && !choice.look_reason.empty()) {
    throw base::UsageError(
        "`attested_look` and `without_ledger` exclude each other: the first costs nothing and "
        "leaves the account as it is, the second ends it");
  }
  if (past && !choice.ledger.empty()) {
    throw base::UsageError("`ledger` and `without_ledger` exclude each other");
  }
  if (choice.for_ever && !past) throw base::UsageError("`for_ever` goes with `without_ledger`");
}

/// Refuses options that exclude each other, and data whose account was not given.
void check_choice(const std::string& data, const AccountChoice& choice, const Use& use,
                  const std::optional<FoundMark>& mark) {
  check_exclusions(choice);
  if (!mark && !choice.override_reason.empty()) {
    throw base::UsageError(
        "`without_ledger` is for data that have an account, and these have none here");
  }
  if (!choice.look_reason.empty() && !use.may_be_attested) {
    throw base::UsageError(
        "only a check of a schema and exact figures of an evaluation may be an attested look");
  }
  if (!mark && choice.ledger.empty() && !choice.look_reason.empty()) {
    throw base::UsageError(
        "`attested_look` is kept in the ledger of the data, and these have none here; leave it "
        "out, or name the ledger with `ledger`");
  }
  if (!mark && choice.ledger.empty() && !choice.data_set.empty()) {
    throw base::UsageError("`data_set` needs `ledger`");
  }
  const bool unprotected = !use.unprotected_reason.empty();
  if (unprotected && !choice.override_reason.empty() && !choice.for_ever) {
    throw base::UsageError(
        "the account '{}' would be infinite from now on ({}): it can promise nothing after that, "
        "and neither a higher cap nor `ledger.resolve` undoes it; nothing was booked. If "
        "that is meant, add `for_ever`{}",
        mark->mark.data_set, use.unprotected_reason,
        use.may_be_attested
            ? "; for a look of the owner's alone take `attested_look=REASON` instead"
            : "");
  }
  const bool chosen =
      !choice.ledger.empty() || !choice.override_reason.empty() || !choice.look_reason.empty();
  if (!mark || chosen) return;
  if (unprotected) {
    throw base::BudgetError(
        "the records of '{}' have the privacy account '{}' in the ledger {}, and nothing protects "
        "what this gives out of them ({}); no data were used{}",
        data, mark->mark.data_set, mark->ledger.string(), use.unprotected_reason,
        ways_past(use, choice));
  }
  throw base::BudgetError(
      "the records of '{}' have the privacy account '{}': give `ledger={}`{}; no data were used",
      data, mark->mark.data_set, mark->ledger.string(),
      choice.offers_ways_past
          ? ", or `without_ledger=REASON`, which books past the cap and which that ledger keeps"
          : "");
}

/// In a ledger that was given, what protects nobody never fits; a look has a way of its own.
void refuse_unattested(const Front& front, const Use& use, const std::string& account) {
  const auto& choice = front.account;
  if (!use.may_be_attested || !choice.look_reason.empty() || !choice.override_reason.empty())
    return;
  throw base::BudgetError(
      "the account '{}' does not cover this: requested an infinite cost ({}); nothing was booked "
      "and no data were "
      "read{}",
      account, use.unprotected_reason, ways_past(use, choice));
}

}  // namespace

std::optional<FoundMark> mark_of(const std::string& data, const base::CancelToken* cancel) {
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
  // What comes through a pipe is read when its run is booked, not before.
  if (data::is_pipe(data)) return std::nullopt;
  // A copy beside the original has another name and the same records.
  const auto folder = folder_of(files.back());
  std::optional<ledger::Mark> lost;
  for (const auto& mark : ledger::read_marks(folder)) {
    const auto path = ledger::ledger_path(folder, mark);
    if (!fs::exists(path, error)) {
      lost = mark;
      continue;
    }
    ledger::Ledger ledger(path, {.access = ledger::Access::read, .cancel = cancel});
    const auto snapshot = ledger.snapshot();
    if (snapshot.ledger != mark.ledger_name) {  // another one took its place
      lost = mark;
      continue;
    }
    const auto fingerprints = fingerprints_of(ledger, files.back().string());
    if (fingerprints.empty()) continue;
    const auto* owner = snapshot.owner(fingerprints);
    if (owner != nullptr) {
      return FoundMark{{"", owner->name(), path, snapshot.ledger, mark.seen}, path, folder};
    }
  }
  if (lost && fs::is_regular_file(files.back(), error)) refuse_unknown(data, folder, *lost);
  return std::nullopt;
}

std::optional<PayingAccount> find_account(const std::string& data, const Front& front,
                                          const Use& use) {
  const auto& choice = front.account;
  const auto mark = data.empty() ? std::nullopt : mark_of(data, front.cancel);
  check_choice(data, choice, use, mark);
  if (!mark && choice.ledger.empty()) return std::nullopt;
  auto ledger = std::make_unique<ledger::Ledger>(
      choice.ledger.empty() ? mark->ledger : fs::path(choice.ledger),
      ledger::OpenOptions{.access = use.access, .cancel = front.cancel});
  const auto snapshot = ledger->snapshot();
  if (mark && mark->mark.ledger_name != snapshot.ledger) {
    throw base::BudgetError(
        "the account of '{}' is '{}' in the ledger {}, which is another one than {}", data,
        mark->mark.data_set, mark->ledger.string(), ledger->path().string());
  }
  if (mark) ledger::check_continues(mark->mark, *ledger);
  auto data_set = chosen_data_set(snapshot, mark, choice.data_set);
  refuse_unattested(front, use, data_set);
  return PayingAccount{std::move(ledger), std::move(data_set),
                       mark ? std::optional(mark->folder) : std::nullopt};
}

}  // namespace tacet::run
