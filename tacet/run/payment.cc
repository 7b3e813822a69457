#include "tacet/run/payment.h"

#include <fmt/format.h>

#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/run/records.h"

namespace tacet::run {
namespace {

/// Events name no unit, so that a fit whose unit was edited proves nothing against it; where the
/// ledger booked that fit, under whatever account, it knows better.
void refuse_relabelled(const data::SchemaCost& cost, const ledger::Standing& standing) {
  const auto fit = data::fit_name(cost);
  for (const auto& account : standing.accounts) {
    if (account.enrolled.privacy_unit == cost.unit) continue;
    const auto booked = account.commands.lower_bound(fit);
    if (booked == account.commands.end() || !booked->first.starts_with(fit)) continue;
    throw base::BudgetError(
        "the schema says that its fit protects each {}, but the ledger booked that fit under '{}' "
        "for each {}: the schema was edited; nothing was booked. Use the schema as it was fitted",
        cost.unit, account.name(), account.enrolled.privacy_unit);
  }
}

}  // namespace

Payment::Payment(const Expense& expense, const Front& front)
    : expense_(expense), front_(front), account_(find_account(expense.data, front)) {
  if (!account_) return;
  budget_ = std::make_unique<ledger::LedgerBudget>(
      *account_->ledger, ledger::RunDetails{.data_set = account_->data_set,
                                            .command = expense.command,
                                            .privacy_unit = expense.privacy_unit,
                                            .override_reason = front.account.override_reason,
                                            .unprotected_reason = expense.unprotected_reason});
}

privacy::Reservation Payment::reserve() {
  // Without an account nobody adds prices up: the plan's own, which it has proved.
  if (!budget_) return {expense_.planned, expense_.cost, nullptr};
  auto reservation = budget_->reserve(expense_.planned, expense_.cost);
  note_in_marks(reservation);
  return reservation;
}

/// Before a value is read: from here on a copy of the ledger lacks a row that the marks know.
void Payment::note_in_marks(privacy::Reservation& reservation) {
  if (!account_ || !account_->marks) return;
  try {
    ledger::advance_marks(*account_->marks, *account_->ledger, front_.cancel);
  } catch (...) {
    give_back(reservation);
    throw;
  }
}

void Payment::book_schema() {
  const auto& [schema, file] = expense_.schema;
  if (!account_ || schema == nullptr || !schema->cost) return;
  const auto cost = data::cost_between(*schema, expense_.cost.adjacency);
  auto details = budget_->details();
  details.command = data::booking_name(cost);
  const auto standing = account_->ledger->standing();
  refuse_relabelled(cost, standing);
  if (standing.account(details.data_set).commands.contains(details.command)) return;
  details.privacy_unit = cost.unit;
  if (details.unprotected_reason.empty()) details.unprotected_reason = cost.unprotected_reason;
  ledger::LedgerBudget budget(*account_->ledger, std::move(details));
  auto reservation = budget.reserve(cost.events, cost.guarantee);
  reservation.debit(cost.events);
  reservation.commit();
  // Its output exists: the schema.
  budget.release(data::schema_to_toml(*schema), file, cost.cipher_delta);
}

void Payment::check_records() {
  if (!account_) return;
  const auto fingerprint = fingerprint_of(*account_->ledger, expense_.data);
  if (!fingerprint) return;
  const auto found = account_->ledger->see_records(account_->data_set, *fingerprint, expense_.data);
  if (found == ledger::Records::changed) {
    front_.warn(fmt::format(
        "the records of '{}' are not those seen before under '{}'; the same budget goes on, "
        "because it protects persons and not files",
        expense_.data, account_->data_set));
  }
}

void Payment::give_back(privacy::Reservation& reservation) {
  try {
    reservation.cancel();
  } catch (const base::Error& error) {
    front_.warn(fmt::format("the reservation stays spent: {}", error.what()));
  }
}

void Payment::release(const std::string& sha256, const std::string& output, double cipher_delta) {
  if (budget_) budget_->release_digest(sha256, output, cipher_delta);
}

}  // namespace tacet::run
