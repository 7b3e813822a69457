#include "tacet/ledger/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/ledger/admission.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/journal.h"
#include "tacet/ledger/ledger_file.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;

const std::string nothing_booked = "nothing was booked";

bool raises(const Cap& before, const Cap& after) {
  return after.value > before.value || after.delta > before.delta;
}

}  // namespace

void Ledger::create(const fs::path& path) {
  if (const int failure = internal::make_ledger(path); failure != 0) {
    internal::cannot_make_ledger(path, failure);
  }
}

void Ledger::ensure(const fs::path& path) { static_cast<void>(internal::make_ledger(path)); }

Ledger::Ledger(fs::path path, const OpenOptions& options)
    : database_(std::move(path), {.access = options.access,
                                  .busy_milliseconds = options.busy_milliseconds,
                                  .cancel = options.cancel}) {
  internal::check_version(database_);
}

/// One change of the ledger: it reads the current state and appends rows to it.
class Ledger::WriterQueue {
 public:
  explicit WriterQueue(Database& database)
      : database_(database), current_(internal::read_current(database)) {}

  [[nodiscard]] const Snapshot& snapshot() const { return current_.snapshot; }

  std::int64_t append(Entry::Content content) {
    auto entry = entry_now(std::move(content));
    // The number of runs of a private selection is secret, but the duration would reveal it. So the
    // end of such a run has the date only, without the time.
    const auto* ended = std::get_if<Committed>(&entry.content);
    if (ended != nullptr && privacy::holds_somewhere(ended->event, [](const privacy::Event& part) {
          return part.as<privacy::RandomlyRepeated>() != nullptr;
        })) {
      entry.time = entry.time.substr(0, entry.time.find('T')) + "T00:00:00Z";
    }
    return internal::append_row(database_, current_, std::move(entry));
  }
  /// Copies looks from another ledger, with the times and users that they had there.
  void take_over(const std::string& data_set, std::span<const Look> looks) {
    for (const auto& look : looks) {
      auto taken = look;
      taken.what.data_set = data_set;
      const auto& held = snapshot().account(data_set).looks;
      const bool same = std::ranges::any_of(held, [&](const Look& one) {
        auto what = one.what;
        what.ledger = taken.what.ledger;  // the look may have come from this ledger
        return one.time == taken.time && one.user == taken.user && what == taken.what;
      });
      if (same) continue;
      internal::append_row(database_, current_, {taken.time, taken.user, taken.what});
    }
  }
  [[nodiscard]] Reserved booking(std::int64_t run) const {
    return internal::read_booking(database_, current_.snapshot, run);
  }
  [[nodiscard]] const std::string& row_hash(std::int64_t run) const {
    return current_.snapshot.open.at(run);
  }
  /// The reservation of a run; an error if it has ended.
  [[nodiscard]] Reserved open_run(std::int64_t run) const {
    if (current_.snapshot.open.contains(run)) return booking(run);
    const auto books = books_of(internal::read_entries(database_));
    throw base::BudgetError("run {} has ended: it is {}", run, to_string(books.run(run).state));
  }
  /// The reservation of a run that is among `booked` and has not ended. The row's hash must be
  /// equal too. If somebody puts back an older copy of the file, row numbers are used again, but
  /// hashes are not, since they cover all rows before.
  [[nodiscard]] Reserved own_run(std::int64_t run,
                                 const std::map<std::int64_t, std::string>& booked) const {
    const auto own = booked.find(run);
    if (own == booked.end()) {
      static_cast<void>(open_run(run));
      throw base::InternalError("a run can be ended only by the object that booked it");
    }
    const auto open = current_.snapshot.open.find(run);
    const bool ended = open == current_.snapshot.open.end() &&
                       internal::has(database_, {.rows = run, .hash = own->second});
    if (ended || (open != current_.snapshot.open.end() && open->second == own->second)) {
      return open_run(run);
    }
    throw base::IoError(
        "the ledger '{}' was replaced by another state of it while run {} was open: the booking of "
        "this run is not in it, and nothing more of the run is released. Other bookings may be "
        "missing too: put back the file that has them, or lower the cap by what they have spent "
        "(`ledger.cap`)",
        database_.path().string(), run);
  }

 private:
  Database& database_;
  internal::Current current_;
};

template <typename Change>
void Ledger::change(const std::string& on_failure, const Change& body) {
  const std::lock_guard lock(mutex_);
  database_.transaction(on_failure, [&] {
    WriterQueue queue(database_);
    body(queue);
  });
}

template <typename Look>
auto Ledger::look(const Look& body) {
  const std::lock_guard lock(mutex_);
  std::optional<decltype(body(database_))> found;
  // If the ledger cannot be read while a run is open, the message must not say that nothing was
  // booked.
  const auto open = fmt::format("nothing was booked by this; run {} is booked in it",
                                fmt::join(std::views::keys(booked_), ", "));
  database_.snapshot([&] { found.emplace(body(database_)); }, booked_.empty() ? "" : open);
  return std::move(*found);
}

Books Ledger::books() {
  return look([](auto& database) { return books_of(internal::read_entries(database)); });
}

Snapshot Ledger::snapshot() {
  return look([](auto& database) { return internal::read_current(database).snapshot; });
}

LedgerPosition Ledger::verify() {
  return look([this](auto& database) {
    if (const auto fault = database.value("PRAGMA integrity_check(1)"); fault != "ok") {
      throw base::DataError("the ledger '{}' is damaged: {}. {}", path().string(), fault,
                            backup_advice);
    }
    const auto head = internal::check_all(database);
    static_cast<void>(books_of(internal::read_entries(database)));
    return LedgerPosition{head.rows, head.hash};
  });
}

LedgerPosition Ledger::position() {
  return look([](auto& database) {
    const auto at = internal::read_current(database).at;
    return LedgerPosition{at.rows, at.hash};
  });
}

bool Ledger::continues(const LedgerPosition& seen) {
  return look([&](auto& database) {
    static_cast<void>(internal::read_current(database));
    return internal::has(database, {seen.rows, seen.head});
  });
}

Fingerprint Ledger::fingerprint() {
  return look([](auto& database) { return Fingerprint(internal::read_current(database).key); });
}

void Ledger::enrol(const Enrolment& enrolment) {
  check_data_set_name(enrolment.data_set);
  const auto cap = checked(enrolment.cap);
  if (enrolment.elsewhere) check_words("the override", enrolment.elsewhere->reason);
  change(nothing_booked, [&](WriterQueue& queue) {
    if (queue.snapshot().find(enrolment.data_set) != nullptr) {
      throw base::UsageError("'{}' has an account already; `ledger.cap` changes its cap",
                             enrolment.data_set);
    }
    if (const auto* owner = queue.snapshot().owner(enrolment.fingerprints)) {
      throw base::BudgetError(
          "the same records have an account already, '{}'; a second one would double their budget, "
          "a further name (`alias={}`) joins it",
          owner->name(), owner->name());
    }
    queue.append(Enrolled{enrolment.data_set, enrolment.adjacency, enrolment.privacy_unit});
    queue.append(CapSet{enrolment.data_set, cap, ""});
    if (!enrolment.fingerprints.empty()) {
      queue.append(RecordsSeen{enrolment.data_set, enrolment.fingerprints, enrolment.file, true});
    }
    if (enrolment.elsewhere) queue.append(*enrolment.elsewhere);
    queue.take_over(enrolment.data_set, enrolment.looks);
  });
}

void Ledger::add_alias(std::string_view alias, std::string_view data_set) {
  check_data_set_name(alias);
  change(nothing_booked, [&](WriterQueue& queue) {
    const auto& account = queue.snapshot().account(data_set);
    if (const auto* taken = queue.snapshot().find(alias)) {
      throw base::UsageError("'{}' is a name of the account '{}' already", alias, taken->name());
    }
    queue.append(Aliased{std::string(alias), account.name()});
  });
}

void Ledger::take_over(std::string_view data_set, std::span<const Look> looks) {
  change("the looks were not noted", [&](WriterQueue& queue) {
    queue.take_over(queue.snapshot().account(data_set).name(), looks);
  });
}

void Ledger::note_elsewhere(const OtherLedger& other, std::span<const Look> looks) {
  check_words("the override", other.reason);
  change("the override was not noted", [&](WriterQueue& queue) {
    auto noted = other;
    noted.data_set = queue.snapshot().account(other.data_set).name();
    const auto name = noted.data_set;
    queue.append(std::move(noted));
    queue.take_over(name, looks);
  });
}

void Ledger::attest_look(const Looked& look) {
  check_words("an attested look", look.reason);
  change("the look was not noted, and nothing was shown", [&](WriterQueue& queue) {
    auto noted = look;
    noted.data_set = queue.snapshot().account(look.data_set).name();
    queue.append(std::move(noted));
  });
}

void Ledger::set_cap(std::string_view data_set, const Cap& cap, std::string_view reason) {
  const auto wanted = checked(cap);
  if (!reason.empty()) check_words("the reason", reason);
  change(nothing_booked, [&](WriterQueue& queue) {
    const auto& account = queue.snapshot().account(data_set);
    const auto& current = account.cap();
    if (wanted.currency != current.currency || wanted.order != current.order) {
      throw base::UsageError(
          "the account of '{}' counts in {}, and what is booked cannot be converted; its cap is {}",
          data_set, to_string(current.currency), in_words(current));
    }
    if (raises(current, wanted) && reason.empty()) {
      throw base::BudgetError(
          "the cap of '{}' would rise from {} to {}; raising it needs an override with a reason "
          "that stays in the ledger",
          data_set, in_words(current), in_words(wanted));
    }
    queue.append(CapSet{account.name(), wanted, std::string(reason)});
  });
}

std::int64_t Ledger::reserve(const Booking& booking) {
  if (!booking.override_reason.empty()) check_words("the override", booking.override_reason);
  static_cast<void>(privacy::checked(booking.stated));
  // The cost is computed before the ledger is locked: neighbours and currency never change.
  const auto cost = internal::cost_of_booking(booking, snapshot().account(booking.data_set));
  internal::check_for_ever(booking, cost);
  const auto process = this_process();
  std::int64_t number = 0;
  std::string hash;
  change(nothing_booked, [&](WriterQueue& queue) {
    const auto& account = queue.snapshot().account(booking.data_set);
    internal::check_admitted(booking, cost, queue.snapshot(),
                             [&](std::int64_t run) { return queue.booking(run); });
    number = queue.append(Reserved{.data_set = account.name(),
                                   .command = booking.command,
                                   .software = std::string(base::version),
                                   .calibration = booking.calibration,
                                   .event = booking.event,
                                   .stated = booking.stated,
                                   .cost = cost,
                                   .process = process,
                                   .interactive = booking.interactive,
                                   .override_reason = booking.override_reason,
                                   .unprotected_reason = booking.unprotected_reason});
    hash = queue.row_hash(number);
  });
  const std::lock_guard lock(mutex_);
  booked_.insert_or_assign(number, hash);
  return number;
}

Forecast Ledger::forecast(std::span<const Booking> planned) {
  if (planned.empty()) throw base::InternalError("a forecast is about at least one run");
  auto account = snapshot().account(planned.front().data_set);
  const auto left = [&] {
    return left_in_words(account.counted.remaining(account.cap()), account.cap());
  };
  Forecast found{.left = left(), .left_after = {}};
  for (const auto& booking : planned) {
    const auto cost = internal::cost_of_booking(booking, account);
    internal::check_for_ever(booking, cost);
    internal::check_covered(booking, cost, account);
    account.counted.add(cost);
  }
  found.left_after = left();
  return found;
}

std::string Ledger::stays_spent(const std::vector<FinishedRun>& runs,
                                const std::string& fate) const {
  std::string numbers;
  for (const auto& finished : runs) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", finished.run);
  }
  if (!fate.empty()) return fmt::format("run {} stays booked as spent, and {}", numbers, fate);
  return fmt::format(
      "run {} stays booked as spent, and its output does not appear. If nothing of "
      "it left, `ledger.resolve` gives it back (run {} in '{}')",
      numbers, numbers, path().string());
}

void Ledger::commit(const std::vector<FinishedRun>& runs, const OutputRecord& output) {
  if (!is_digest(output.sha256)) throw base::InternalError("an output is named by its SHA-256");
  change(stays_spent(runs, output.fate), [&](WriterQueue& queue) {
    for (const auto& finished : runs) {
      const auto booking = queue.own_run(finished.run, booked_);
      const auto cost =
          internal::cost_of_outcome(finished, booking, queue.snapshot().account(booking.data_set));
      queue.append(Committed{finished.run, finished.spent, cost, output.sha256, output.name,
                             finished.prg_slack});
    }
  });
  const std::lock_guard lock(mutex_);
  for (const auto& finished : runs) booked_.erase(finished.run);
}

void Ledger::adopt(std::int64_t run) {
  auto hash = look([&](auto& database) {
    const WriterQueue queue(database);
    const auto process = queue.open_run(run).process;
    if (process != this_process() && running(process)) {
      throw base::BudgetError("the process of run {} is still running; end it first", run);
    }
    return queue.row_hash(run);
  });
  const std::lock_guard lock(mutex_);
  booked_.insert_or_assign(run, std::move(hash));
}

void Ledger::disclose(std::int64_t run) {
  change(fmt::format("run {} stays booked as spent, and ends before anything of it leaves", run),
         [&](WriterQueue& queue) {
           static_cast<void>(queue.own_run(run, booked_));
           queue.append(Disclosed{run});
         });
}

void Ledger::cancel(std::int64_t run) {
  change(stays_spent({{run, privacy::no_event()}}), [&](WriterQueue& queue) {
    if (queue.own_run(run, booked_).process != this_process()) {
      throw base::InternalError("a run can be cancelled only by the process that booked it");
    }
    queue.append(Cancelled{run});
  });
  const std::lock_guard lock(mutex_);
  booked_.erase(run);
}

void Ledger::resolve(std::int64_t run, std::string_view attestation) {
  check_words("the attestation", attestation);
  change(nothing_booked, [&](WriterQueue& queue) {
    if (running(queue.open_run(run).process)) {
      throw base::BudgetError("the process of run {} is still running; end it first", run);
    }
    if (queue.snapshot().disclosed.contains(run)) {
      throw base::BudgetError(
          "numbers that run {} had released were sent to the workers that hold its records, so "
          "that nobody can say that it released nothing: it stays spent",
          run);
    }
    queue.append(Resolved{run, std::string(attestation)});
  });
}

RecordMatch Ledger::see_records(std::string_view data_set,
                                std::span<const std::string> fingerprints,
                                const std::string& file) {
  auto result = RecordMatch::known;
  change("the records were not noted", [&](WriterQueue& queue) {
    const auto& account = queue.snapshot().account(data_set);
    bool all = true;
    bool some = false;
    for (const auto& fingerprint : fingerprints) {
      const auto* owner = queue.snapshot().owner({&fingerprint, 1});
      if (owner != nullptr && owner->name() != account.name()) {
        throw base::BudgetError(
            "these records have the account '{}'; they cannot be booked under '{}'", owner->name(),
            data_set);
      }
      all = all && owner != nullptr;
      some = some || owner != nullptr;
    }
    if (all) {
      result = account.given ? RecordMatch::given : RecordMatch::known;
      return;
    }
    if (!some) result = account.fingerprints.empty() ? RecordMatch::first : RecordMatch::changed;
    queue.append(
        RecordsSeen{account.name(), {fingerprints.begin(), fingerprints.end()}, file, false});
  });
  return result;
}

}  // namespace tacet::ledger
