#include "tacet/run/payment.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/pipes.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/ledger/marks.h"
#include "tacet/run/booking.h"
#include "tacet/run/enrolment.h"

namespace tacet::run {

namespace {

void check_one_pays(const Expense& expense, const Front& front, bool has_account) {
  if (has_account + (front.budget != nullptr) + (front.ledger != nullptr) > 1) {
    throw base::UsageError("one run is paid once: give a budget or a ledger");
  }
  if (front.ledger != nullptr && !expense.data.empty()) {
    throw base::InternalError("the account of a file is found by its name and marks");
  }
}

}  // namespace

Expense unprotected_use(const std::string& command, const std::string& data,
                        const std::string& what) {
  return {.command = command,
          .data = data,
          .cost = {std::numeric_limits<double>::infinity(), 0, privacy::Adjacency::add_remove},
          .unprotected_reason = what};
}

ledger::RunDetails internal::details_of(const Expense& expense, const Front& front,
                                        const std::string& data_set) {
  return {.data_set = data_set,
          .command = expense.command,
          .privacy_unit = expense.privacy_unit,
          .override_reason = front.account.override_reason,
          .unprotected_reason = expense.unprotected_reason,
          .for_ever = front.account.for_ever};
}

void check_output(const std::string& output, const Expense& expense) {
  namespace fs = std::filesystem;
  std::error_code none;
  const auto refuse = [&](std::string_view what) {
    throw base::UsageError("the result would overwrite {} '{}'; name another file for it", what,
                           output);
  };
  if (fs::equivalent(output, expense.data, none)) refuse("the records");
  if (fs::equivalent(output, expense.schema.file, none)) refuse("the schema");
  if (fs::path(output).filename() == ledger::marks_file_name) refuse("the mark of a ledger,");
}

Payment::Payment(const Expense& expense, const Front& front)
    : expense_(expense),
      front_(front),
      account_(find_account(expense.data, front,
                            {.unprotected_reason = expense.unprotected_reason,
                             .may_be_attested = expense.look_schema.has_value()})),
      ledger_(front.ledger) {
  check_one_pays(expense, front, account_.has_value());
  internal::check_memory_budget(front.budget, expense.privacy_unit, expense.schema.schema);
  if (account_) open_account();
  if (ledger_ == nullptr || !expense.data.empty()) return;
  internal::check_details(ledger_->details(), {expense.privacy_unit, expense.unprotected_reason});
  if (expense.in_parts) return;
  fingerprint_ = ledger_->ledger().fingerprint();
}

void Payment::open_account() {
  own_ = std::make_unique<ledger::LedgerBudget>(
      *account_->ledger, internal::details_of(expense_, front_, account_->data_set));
  ledger_ = own_.get();
}

/// Kept before a value is read; it books nothing, so that nothing is debited from it.
privacy::Reservation Payment::attest() {
  account_->ledger->attest_look({.data_set = account_->data_set,
                                 .command = expense_.command,
                                 .reason = front_.account.look_reason,
                                 .schema_sha256 = *expense_.look_schema});
  spread_look(*account_, front_);
  own_.reset();
  ledger_ = nullptr;
  privacy::Reservation nothing(privacy::no_event(), {0, 0, expense_.cost.adjacency}, nullptr);
  note_in_marks(nothing);
  return nothing;
}

void Payment::warn_of_end(const privacy::Reservation& reservation) const {
  const bool ends =
      !expense_.unprotected_reason.empty() || std::isinf(reservation.guarantee().epsilon);
  if (!ends || !account_ || !front_.warn) return;
  front_.warn(fmt::format(
      "the account '{}' is infinite from now on: it can promise nothing any more, for ever",
      account_->data_set));
}

/// Where the account counts deltas and this run takes the last of them.
void Payment::warn_of_last_delta() const {
  if (!account_ || !front_.warn || !(expense_.cost.delta > 0)) return;
  if (!front_.account.override_reason.empty()) return;
  const auto snapshot = account_->ledger->snapshot();
  const auto& account = snapshot.account(account_->data_set);
  if (account.cap().currency != ledger::Currency::basic) return;
  const double left = account.counted.remaining(account.cap()).delta;
  auto after = account.counted;
  after.add({0, expense_.cost.delta, true});
  if (!(left > 0) || after.remaining(account.cap()).delta > 0) return;
  front_.warn(
      fmt::format("this takes all that is left of delta in the account '{}' ({}): after it only "
                  "runs with delta 0 fit. A smaller `delta` leaves some",
                  account_->data_set, left));
}

privacy::Reservation Payment::reserve() {
  if (account_ && !front_.account.look_reason.empty()) return attest();
  if (ledger_ != nullptr) {
    warn_of_last_delta();
    auto reservation = ledger_->reserve(expense_.planned, expense_.cost);
    note_in_marks(reservation);
    warn_of_end(reservation);
    return reservation;
  }
  // Where nobody adds prices up: the plan's own, which it has proved.
  if (front_.budget == nullptr) return {expense_.planned, expense_.cost, nullptr};
  return front_.budget->reserve(expense_.planned, expense_.cost);
}

/// Before a value is read: from here on a copy of the ledger lacks a row that the marks know.
void Payment::note_in_marks(privacy::Reservation& reservation) {
  if (!account_ || !account_->marks) return;
  try {
    // Data may lie where nobody writes: then the mark names the ledger, and an earlier row of it.
    static_cast<void>(ledger::advance_marks(*account_->marks, *account_->ledger, front_.cancel));
  } catch (...) {
    give_back(reservation);
    throw;
  }
}

void Payment::book_schema() {
  const auto& [schema, file] = expense_.schema;
  if (schema == nullptr || !schema->cost) return;
  const auto adjacency = expense_.cost.adjacency;
  if (ledger_ != nullptr) return internal::book_schema(*ledger_, *schema, adjacency, file);
  if (front_.budget == nullptr) return;
  const auto cost = data::cost_between(*schema, adjacency);
  if (auto* memory = internal::memory_budget(front_.budget)) {
    return memory->book_once(data::booking_name(cost), cost.events, cost.guarantee);
  }
  auto fit = front_.budget->reserve(cost.events, cost.guarantee);
  fit.debit(cost.events);
  fit.commit();
}

void Payment::note_records(privacy::Reservation& reservation) {
  try {
    check_records();
  } catch (const base::IoError&) {
    // The ledger cannot be written any more: what it says of the reservation is what counts.
    tried_to_give_back_ = true;
    reservation.cancel();
    throw;
  }
}

void Payment::check_records() {
  if (fingerprint_) {
    // Neither a column more or less nor a schema that reads fewer hides the records.
    std::vector<std::string> seen{fingerprint_->digest()};
    if (auto read = fingerprint_->digest_of_read(); read != seen.front()) {
      seen.push_back(std::move(read));
    }
    static_cast<void>(
        ledger_->ledger().see_records(ledger_->details().data_set, seen, "records in memory"));
  }
  if (!account_ || expense_.data.empty()) return;
  const auto fingerprints =
      seen_ ? seen_->fingerprints() : fingerprints_of(*account_->ledger, expense_.data);
  if (fingerprints.empty()) {
    throw base::UsageError(
        "the ledger cannot tell whether it knows the records of '{}', since they can be read once: "
        "give a file, or write them to the standard input of the program",
        expense_.data);
  }
  const auto found = account_->ledger->see_records(account_->data_set, fingerprints, expense_.data);
  if (found == ledger::RecordMatch::changed) {
    front_.warn(fmt::format(
        "the records of '{}' are not those seen before under '{}'; the same budget goes on, "
        "because it protects persons and not files",
        expense_.data, account_->data_set));
  }
  // A pipe is in no folder, so there is no place for a mark.
  const bool placed = !data::is_pipe(expense_.data);
  if (found == ledger::RecordMatch::given && !account_->marks && placed) restore_mark();
}

/// The account was made for the records, and no mark tells of it: it was lost.
void Payment::restore_mark() {
  try {
    mark_data(expense_.data, *account_, {}, front_.cancel);
  } catch (const base::IoError& error) {
    if (!front_.warn) return;
    front_.warn(fmt::format(
        "the data could not be marked, so that spending without `ledger` goes unnoticed: {}",
        error.what()));
  }
}

void Payment::give_back(privacy::Reservation& reservation) {
  if (tried_to_give_back_) return;
  try {
    reservation.cancel();
  } catch (const base::Error& error) {
    if (front_.warn) front_.warn(fmt::format("the reservation stays spent: {}", error.what()));
  }
}

void Payment::release(const std::string& sha256, const std::string& output, double prg_slack) {
  if (ledger_ != nullptr) ledger_->release_digest(sha256, output, prg_slack);
  if (auto* memory = internal::memory_budget(front_.budget)) memory->note_paid(expense_.command);
}

}  // namespace tacet::run
