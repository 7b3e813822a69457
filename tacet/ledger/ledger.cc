#include "tacet/ledger/ledger.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <limits>
#include <system_error>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/ledger/digest.h"
#include "tacet/ledger/journal.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;
using internal::Database;
using internal::Rows;

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::string nothing_booked = "nothing was booked";
constexpr mode_t owner_only = 0600;  // the file holds the key of the fingerprints

Entry now(Entry::Content content) {
  const auto time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return {time, static_cast<std::int64_t>(::getuid()), std::move(content)};
}

[[noreturn]] void cannot_make(const fs::path& path, int error) {
  throw base::IoError(fmt::format("cannot make the ledger '{}': {}{}", path.string(),
                                  std::generic_category().message(error),
                                  error == EEXIST ? "; a ledger is never overwritten" : ""));
}

/// A new file's name until it is complete; removed on the way out.
class Draft {
 public:
  explicit Draft(const fs::path& path) : path_(path) {
    static std::atomic<int> number{0};
    draft_ = path.parent_path() / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(),
                                              number.fetch_add(1));
    const int descriptor =
        ::open(draft_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
    if (descriptor < 0) cannot_make(path, errno);
    ::close(descriptor);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    for (const char* suffix : {"", "-journal"}) ::unlink((draft_.string() + suffix).c_str());
  }
  /// 0, or why not: EEXIST where somebody else was quicker.
  [[nodiscard]] int give_name() const {
    int failure = 0;
    if (::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
      failure = errno;
    }
    // Where a file system cannot do that: for a moment the file has two names, and whoever opens it
    // then is refused.
    if (failure == EINVAL || failure == ENOSYS) {
      failure = ::link(draft_.c_str(), path_.c_str()) == 0 ? 0 : errno;
      ::unlink(draft_.c_str());
    }
    if (failure != 0) return failure;
    const auto folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ::fsync(descriptor);
    ::close(descriptor);
    return 0;
  }
  [[nodiscard]] const fs::path& path() const { return draft_; }

 private:
  fs::path draft_;
  fs::path path_;
};

/// Makes a ledger; 0, or EEXIST where there is a file of that name.
int make(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return EEXIST;
  internal::require_local_disk(path);
  const Draft draft(path);
  const auto key = random_key();
  {
    Database database(draft.path(), {});
    database.transaction("nothing was made", [&] {
      internal::create_journal(database, key);
      Rows rows;
      internal::read_rows(database, rows);
      internal::append_row(database, rows,
                           now(Created{random_key(), sha256(key), std::string(base::version)}));
    });
  }
  const int failure = draft.give_name();
  if (failure != 0 && failure != EEXIST) cannot_make(path, failure);
  return failure;
}

bool raises(const Cap& before, const Cap& after) {
  return after.value > before.value || after.delta > before.delta;
}

/// Under replace_one a neighbour is one record removed and another added, so what was proved for
/// sums under add_remove can be accounted with twice the distance; no other pair converts.
void check_fits(const Booking& booking, const Account& account) {
  const auto counts = account.enrolled.adjacency;
  const auto asked = booking.stated.adjacency;
  const bool converts =
      counts == privacy::Adjacency::replace_one && asked == privacy::Adjacency::add_remove;
  if (asked != counts && !converts) {
    throw base::UsageError(fmt::format(
        "the account of '{}' counts neighbours as {}, the run as {}, and its cost does not convert",
        account.name(), privacy::to_string(counts), privacy::to_string(asked)));
  }
  if (booking.privacy_unit != account.enrolled.privacy_unit) {
    throw base::UsageError(fmt::format("the account of '{}' protects each {}, the run each {}",
                                       account.name(), account.enrolled.privacy_unit,
                                       booking.privacy_unit));
  }
}

Amount cost_of_booking(const Booking& booking, const Account& account) {
  if (!booking.unprotected_reason.empty()) return {infinity, 0};
  check_fits(booking, account);
  try {
    return cost_of(booking.event, account.enrolled.adjacency, account.cap(), booking.stated);
  } catch (const base::GuaranteeError&) {
    if (booking.override_reason.empty()) throw;
    return {infinity, 0};  // it happens all the same, so it is booked for what it can cost
  }
}

void check_alone(const Booking& booking, const Account& account) {
  if (account.cap().currency != Currency::basic) return;
  for (const auto& run : account.runs) {
    if (run.state != RunState::reserved || !(booking.interactive || run.booking.interactive) ||
        !running(run.booking.process)) {
      continue;
    }
    throw base::BudgetError(fmt::format(
        "run {} on '{}' has not ended; an (epsilon, delta) account takes a run whose results "
        "appear while it goes on only by itself. Wait for it, or use an account in zcdp, gdp or "
        "rdp",
        run.number, account.name()));
  }
}

privacy::Guarantee at_delta(const Amount& amount, const Account& account, double delta) {
  const auto& cap = account.cap();
  if (cap.currency == Currency::basic) {
    return {amount.value, amount.delta, account.enrolled.adjacency};
  }
  return {epsilon_at(amount, cap, privacy::Delta(delta)), delta, account.enrolled.adjacency};
}

[[noreturn]] void exceeded(const Booking& booking, const Account& account, const Amount& cost) {
  const auto& cap = account.cap();
  const auto remaining = account.counted().remaining(cap);
  const auto asked = std::isinf(cost.value)
                         ? fmt::format("an infinite cost ({})", booking.unprotected_reason)
                         : in_words(cost, cap);
  throw privacy::BudgetExceeded(
      fmt::format("the privacy budget of '{}' does not cover this: requested {}, remaining {}, cap "
                  "{}; nothing was booked and no data were read",
                  account.name(), asked, in_words(remaining, cap), in_words(cap)),
      booking.stated, at_delta(remaining, account, booking.stated.delta),
      at_delta(amount_of(cap), account, booking.stated.delta));
}

void check_admitted(const Booking& booking, const Account& account, const Amount& cost) {
  if (!booking.override_reason.empty()) return;
  auto tally = account.counted();
  tally.add(cost);
  if (!tally.within(account.cap())) exceeded(booking, account, cost);
  check_alone(booking, account);
}

/// A filter stops when the next cost would not fit, so a run that stops early costs what it has
/// done; for (epsilon, delta) sums at random times that is not proved.
Amount cost_of_outcome(const FinishedRun& finished, const Run& run, const Account& account) {
  const auto& reserved = run.booking.cost;
  const bool filter = account.cap().currency != Currency::basic;
  if (finished.stopping == Stopping::unknown || !filter || std::isinf(reserved.value)) {
    return reserved;
  }
  const auto cost =
      cost_of(finished.spent, account.enrolled.adjacency, account.cap(), run.booking.stated);
  return {std::min(cost.value, reserved.value), std::min(cost.delta, reserved.delta)};
}

}  // namespace

void Ledger::create(const fs::path& path) {
  if (const int failure = make(path); failure != 0) cannot_make(path, failure);
}

void Ledger::ensure(const fs::path& path) { static_cast<void>(make(path)); }

Ledger::Ledger(fs::path path, const OpenOptions& options)
    : database_(std::move(path), {.access = options.access,
                                  .busy_milliseconds = options.busy_milliseconds,
                                  .cancel = options.cancel}) {
  internal::check_version(database_);
}

template <typename Change>
void Ledger::change(const std::string& on_failure, const Change& body) {
  const std::lock_guard lock(mutex_);
  database_.transaction(on_failure, [&] {
    internal::read_rows(database_, rows_);
    const auto books = books_of(rows_.entries);
    const auto append = [&](Entry::Content content) {
      return internal::append_row(database_, rows_, now(std::move(content)));
    };
    body(books, append);
  });
}

Books Ledger::books() {
  const std::lock_guard lock(mutex_);
  Books books;
  database_.snapshot([&] {
    internal::read_rows(database_, rows_);
    books = books_of(rows_.entries);
  });
  return books;
}

Verification Ledger::verify() {
  const std::lock_guard lock(mutex_);
  Verification found{};
  database_.snapshot([&] {
    if (const auto fault = database_.value("PRAGMA integrity_check(1)"); fault != "ok") {
      throw base::DataError(fmt::format("the ledger '{}' is damaged: {}. Restore it from a backup",
                                        path().string(), fault));
    }
    internal::read_rows(database_, rows_);
    static_cast<void>(books_of(rows_.entries));
    found = {static_cast<std::int64_t>(rows_.entries.size()), rows_.head()};
  });
  return found;
}

Fingerprint Ledger::fingerprint() {
  const std::lock_guard lock(mutex_);
  database_.snapshot([&] { internal::read_rows(database_, rows_); });
  return Fingerprint(rows_.key);
}

void Ledger::enrol(const Enrolment& enrolment) {
  check_data_set_name(enrolment.data_set);
  const auto cap = checked(enrolment.cap);
  change(nothing_booked, [&](const Books& books, const auto& append) {
    if (books.find(enrolment.data_set) != nullptr) {
      throw base::UsageError(fmt::format(
          "'{}' has an account already; `tacet ledger cap` changes its cap", enrolment.data_set));
    }
    if (enrolment.fingerprint) {
      if (const auto* owner = books.owner(*enrolment.fingerprint)) {
        throw base::BudgetError(
            fmt::format("the same records have an account already, '{}'; a second one would double "
                        "their budget, a further name (--alias {}) joins it",
                        owner->name(), owner->name()));
      }
    }
    append(Enrolled{enrolment.data_set, enrolment.adjacency, enrolment.privacy_unit});
    append(CapSet{enrolment.data_set, cap, ""});
    if (enrolment.fingerprint) {
      append(RecordsSeen{enrolment.data_set, *enrolment.fingerprint, enrolment.file});
    }
  });
}

void Ledger::add_alias(std::string_view alias, std::string_view data_set) {
  check_data_set_name(alias);
  change(nothing_booked, [&](const Books& books, const auto& append) {
    const auto& account = books.account(data_set);
    if (const auto* taken = books.find(alias)) {
      throw base::UsageError(
          fmt::format("'{}' is a name of the account '{}' already", alias, taken->name()));
    }
    append(Aliased{std::string(alias), account.name()});
  });
}

void Ledger::set_cap(std::string_view data_set, const Cap& cap, std::string_view reason) {
  const auto wanted = checked(cap);
  if (!reason.empty()) check_words("the reason", reason);
  change(nothing_booked, [&](const Books& books, const auto& append) {
    const auto& account = books.account(data_set);
    const auto& current = account.cap();
    if (wanted.currency != current.currency || wanted.order != current.order) {
      throw base::UsageError(fmt::format(
          "the account of '{}' counts in {}, and what is booked cannot be converted; its cap is {}",
          data_set, to_string(current.currency), in_words(current)));
    }
    if (raises(current, wanted) && reason.empty()) {
      throw base::BudgetError(
          fmt::format("the cap of '{}' would rise from {} to {}; raising it needs an override with "
                      "a reason that stays in the ledger",
                      data_set, in_words(current), in_words(wanted)));
    }
    append(CapSet{account.name(), wanted, std::string(reason)});
  });
}

std::int64_t Ledger::reserve(const Booking& booking) {
  if (!booking.override_reason.empty()) check_words("the override", booking.override_reason);
  static_cast<void>(privacy::checked(booking.stated));
  // The cost is computed before the ledger is locked: neighbours and currency never change.
  const auto cost = cost_of_booking(booking, books().account(booking.data_set));
  const auto process = this_process();
  std::int64_t number = 0;
  change(nothing_booked, [&](const Books& books, const auto& append) {
    const auto& account = books.account(booking.data_set);
    check_admitted(booking, account, cost);
    number = append(Reserved{.data_set = account.name(),
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
  });
  return number;
}

namespace {

const Run& open_run(const Books& books, std::int64_t number) {
  const auto& run = books.run(number);
  if (run.state != RunState::reserved) {
    throw base::BudgetError(
        fmt::format("run {} has ended: it is {}", number, to_string(run.state)));
  }
  return run;
}

}  // namespace

std::string Ledger::stays_spent(const std::vector<FinishedRun>& runs) const {
  std::string numbers;
  std::string commands;
  for (const auto& finished : runs) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", finished.run);
    commands +=
        fmt::format("{}`tacet ledger resolve {} --run {} --aborted-unreleased --attest TEXT`",
                    commands.empty() ? "" : ", ", path().string(), finished.run);
  }
  return fmt::format(
      "run {} stays booked as spent, and its output does not appear. If nothing of "
      "it left, {} gives it back",
      numbers, commands);
}

void Ledger::commit(const std::vector<FinishedRun>& runs, const Output& output) {
  if (!is_digest(output.sha256)) throw base::InternalError("an output is named by its SHA-256");
  change(stays_spent(runs), [&](const Books& books, const auto& append) {
    for (const auto& finished : runs) {
      const auto& run = open_run(books, finished.run);
      const auto cost = cost_of_outcome(finished, run, books.account(run.booking.data_set));
      append(Committed{finished.run, finished.spent, cost, output.sha256, output.name,
                       finished.cipher_delta});
    }
  });
}

void Ledger::cancel(std::int64_t run) {
  change(stays_spent({{run, privacy::no_event()}}), [&](const Books& books, const auto& append) {
    if (open_run(books, run).booking.process != this_process()) {
      throw base::InternalError("a run can be cancelled only by the process that booked it");
    }
    append(Cancelled{run});
  });
}

void Ledger::resolve(std::int64_t run, std::string_view attestation) {
  check_words("the attestation", attestation);
  change(nothing_booked, [&](const Books& books, const auto& append) {
    if (running(open_run(books, run).booking.process)) {
      throw base::BudgetError(
          fmt::format("the process of run {} is still running; end it first", run));
    }
    append(Resolved{run, std::string(attestation)});
  });
}

Records Ledger::see_records(std::string_view data_set, std::string_view fingerprint,
                            const std::string& file) {
  auto result = Records::known;
  change("the records were not noted", [&](const Books& books, const auto& append) {
    const auto& account = books.account(data_set);
    if (const auto* owner = books.owner(fingerprint)) {
      if (owner->name() != account.name()) {
        throw base::BudgetError(
            fmt::format("these records have the account '{}'; they cannot be booked under '{}'",
                        owner->name(), data_set));
      }
      return;
    }
    result = account.records.empty() ? Records::first : Records::changed;
    append(RecordsSeen{account.name(), std::string(fingerprint), file});
  });
  return result;
}

}  // namespace tacet::ledger
