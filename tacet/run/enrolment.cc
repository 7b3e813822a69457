#include "tacet/run/enrolment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/run/records.h"

namespace tacet::run {
namespace {

namespace fs = std::filesystem;
using ledger::Mark;

struct PlacedMark {
  Mark mark;
  fs::path folder;
};

fs::path place_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The folders whose marks may tell of a file, each once.
std::vector<fs::path> folders_of(const fs::path& data, const fs::path& ledger) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& folder :
       {place_of(data), place_of(fs::canonical(data, error)), place_of(ledger), fs::path(".")}) {
    const auto place = fs::canonical(folder, error);
    if (error || std::ranges::find(folders, place) != folders.end()) continue;
    folders.push_back(place);
  }
  return folders;
}

/// The file that a mark names, under whatever name or link it is given here.
bool is_marked_file(const PlacedMark& placed, const fs::path& data) {
  std::error_code error;
  const auto marked = placed.folder / placed.mark.file;
  const bool same = fs::equivalent(marked, data, error);
  if (!error && same) return true;
  // The file was removed from its place, or put back under the same name.
  const auto name = data.filename() == placed.mark.file;
  return name && fs::equivalent(place_of(data), placed.folder, error) && !error;
}

bool is_meant(ledger::Ledger& ledger, const Mark& mark) {
  return ledger.snapshot().ledger == mark.ledger_name;
}

EarlierAccount account_by(const PlacedMark& placed) {
  return {.mark = placed.mark, .ledger = ledger::ledger_path(placed.folder, placed.mark)};
}

/// Asks the ledger of a mark whether it knows the records; nothing where it does not.
std::optional<EarlierAccount> known_to(const PlacedMark& placed, const std::string& data,
                                       const base::CancelToken* cancel) {
  auto found = account_by(placed);
  std::error_code error;
  if (!fs::exists(found.ledger, error)) {
    found.certain = false;
    return found;
  }
  ledger::Ledger ledger(found.ledger, {.access = ledger::Access::read, .cancel = cancel});
  if (!is_meant(ledger, placed.mark)) {
    found.certain = false;
    return found;
  }
  const auto fingerprints = fingerprints_of(ledger, data);
  if (fingerprints.empty()) return std::nullopt;
  const auto snapshot = ledger.snapshot();
  const auto* owner = snapshot.owner(fingerprints);
  if (owner == nullptr) return std::nullopt;
  found.mark.data_set = owner->name();
  found.reachable = true;
  return found;
}

bool can_be_reached(const EarlierAccount& account, const base::CancelToken* cancel) {
  try {
    ledger::Ledger ledger(account.ledger, {.access = ledger::Access::read, .cancel = cancel});
    return is_meant(ledger, account.mark);
  } catch (const base::IoError&) {
    return false;
  } catch (const base::DataError&) {
    return false;
  }
}

}  // namespace

std::optional<EarlierAccount> earlier_account(const std::string& data, const fs::path& ledger,
                                              const base::CancelToken* cancel) {
  std::vector<PlacedMark> marks;
  for (const auto& folder : folders_of(data, ledger)) {
    for (const auto& mark : ledger::read_marks(folder)) marks.push_back({mark, folder});
  }
  for (const auto& placed : marks) {
    if (!is_marked_file(placed, data)) continue;
    auto found = account_by(placed);
    found.by_name = true;
    found.reachable = can_be_reached(found, cancel);
    return found;
  }
  std::error_code error;
  const auto own_folder = place_of(fs::canonical(data, error));
  std::set<std::string> ledgers;
  std::optional<EarlierAccount> doubtful;
  for (const auto& placed : marks) {
    if (!ledgers.insert(ledger::ledger_path(placed.folder, placed.mark).string()).second) continue;
    auto found = known_to(placed, data, cancel);
    if (found && found->certain) return found;
    // Only the folder of the data makes a mark without a ledger a doubt about them.
    if (found && placed.folder == own_folder) doubtful = std::move(found);
  }
  return doubtful;
}

void refuse_enrolment(const std::string& data, const EarlierAccount& earlier) {
  const std::string way =
      "a second account would spend their budget a second time; nothing was enrolled. Spend from "
      "that ledger, or, if you answer for a second budget, give `override` and `reason=TEXT`, "
      "which stays in both ledgers";
  if (!earlier.certain) {
    throw base::BudgetError(
        "'{}' may be a copy of '{}' beside it, whose ledger '{}' is missing or another one now, so "
        "that nothing can tell: {}",
        data, earlier.mark.file, earlier.ledger.string(), way);
  }
  throw base::BudgetError(
      "the records of '{}' have the account '{}' in the ledger '{}'{} ({}): {}", data,
      earlier.mark.data_set, earlier.ledger.string(),
      earlier.reachable ? "" : ", which is missing or another one now",
      earlier.by_name ? "the mark beside them says so" : "it knows them by their fingerprint", way);
}

std::vector<ledger::Look> looks_of(const EarlierAccount& earlier, const std::string& reason,
                                   const base::CancelToken* cancel) {
  const auto& mark = earlier.mark;
  const auto unread = ledger::unread_looks(reason, mark.ledger_name);
  if (!earlier.reachable) return {unread};
  ledger::Ledger ledger(earlier.ledger, {.access = ledger::Access::read, .cancel = cancel});
  const auto snapshot = ledger.snapshot();
  const auto* account = snapshot.find(mark.data_set);
  if (account == nullptr) return {unread};
  auto looks = ledger::taken_over(account->looks, snapshot.ledger);
  // An older copy lacks rows, and with them looks.
  if (mark.seen.rows > 0 && !ledger.continues(mark.seen)) looks.push_back(unread);
  return looks;
}

namespace {

/// Whether the ledger of `other` now has the look.
bool take_over_in(const ledger::OtherLedger& other, const std::string& own_name,
                  std::span<const ledger::Look> looks, const base::CancelToken* cancel) {
  try {
    ledger::Ledger ledger(other.path, {.cancel = cancel});
    const auto books = ledger.books();
    if (books.ledger != other.ledger) return false;
    bool found = false;
    for (const auto& account : books.accounts) {
      const bool same_records = std::ranges::any_of(
          account.elsewhere, [&](const auto& one) { return one.other.ledger == own_name; });
      if (!same_records) continue;
      ledger.take_over(account.name(), looks);
      found = true;
    }
    return found;
  } catch (const base::IoError&) {
    return false;
  } catch (const base::DataError&) {
    return false;
  }
}

}  // namespace

void spread_look(const PayingAccount& account, const Front& front) {
  const auto books = account.ledger->books();
  const auto& own = books.account(account.data_set);
  const auto looks = ledger::taken_over(std::span(own.looks).last(1), books.ledger);
  for (const auto& one : own.elsewhere) {
    if (one.other.ledger == books.ledger) continue;
    if (take_over_in(one.other, books.ledger, looks, front.cancel) || !front.warn) continue;
    front.warn(fmt::format(
        "the records have an account in the ledger '{}' too, which cannot be reached: what is "
        "released from there does not state this look as its condition",
        one.other.path));
  }
}

void mark_data(const std::string& data, const PayingAccount& account,
               const std::string& override_reason, const base::CancelToken* cancel) {
  const auto file = fs::weakly_canonical(data);
  const auto folder = place_of(file);
  auto& ledger = *account.ledger;
  ledger::add_mark(
      folder,
      {file.filename().string(), account.data_set, ledger::path_for_mark(folder, ledger.path()),
       ledger.snapshot().ledger, ledger.position(), override_reason},
      cancel);
}

bool note_in_earlier(const EarlierAccount& earlier, const ledger::OtherLedger& other,
                     const base::CancelToken* cancel) {
  if (!earlier.reachable) return false;
  try {
    ledger::Ledger ledger(earlier.ledger, {.cancel = cancel});
    auto noted = other;
    noted.data_set = earlier.mark.data_set;
    ledger.note_elsewhere(noted);
    return true;
  } catch (const base::IoError&) {
    return false;
  } catch (const base::DataError&) {
    return false;
  }
}

}  // namespace tacet::run
