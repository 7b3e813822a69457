#include "tacet/run/booking.h"

#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::run::internal {
namespace {

/// Events name no unit, so that a fit whose unit was edited proves nothing against it; where the
/// ledger booked that fit, under whatever account, it knows better.
void refuse_relabelled(const data::SchemaCost& cost, const ledger::Snapshot& snapshot) {
  const auto fit = data::fit_name(cost);
  for (const auto& account : snapshot.accounts) {
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

std::optional<OwedFit> owed_fit(const ledger::Snapshot& snapshot, ledger::RunDetails details,
                                const data::Schema& schema, privacy::Adjacency adjacency) {
  if (!schema.cost) return std::nullopt;
  auto cost = data::cost_between(schema, adjacency);
  details.command = data::booking_name(cost);
  refuse_relabelled(cost, snapshot);
  if (snapshot.account(details.data_set).commands.contains(details.command)) return std::nullopt;
  details.privacy_unit = cost.unit;
  if (details.unprotected_reason.empty()) details.unprotected_reason = cost.unprotected_reason;
  return OwedFit{std::move(cost), std::move(details)};
}

void book_schema(const ledger::LedgerBudget& budget, const data::Schema& schema,
                 privacy::Adjacency adjacency, const std::string& name) {
  if (!schema.cost) return;
  auto& ledger = budget.ledger();
  auto owed = owed_fit(ledger.snapshot(), budget.details(), schema, adjacency);
  if (!owed) return;
  const auto& cost = owed->cost;
  ledger::LedgerBudget fit(ledger, std::move(owed->details));
  auto reservation = fit.reserve(cost.events, cost.guarantee);
  reservation.debit(cost.events);
  reservation.commit();
  // Its output exists: the schema.
  fit.release(data::schema_to_toml(schema), name, cost.prg_slack);
}

void check_details(const ledger::RunDetails& details, const Protected& released) {
  if (details.privacy_unit != released.unit) {
    throw base::UsageError(
        "the ledger was told that each {} is protected (RunDetails::privacy_unit), what is "
        "released protects each {}; name the same unit",
        details.privacy_unit, released.unit);
  }
  if (!released.unprotected_reason.empty() && details.unprotected_reason.empty()) {
    throw base::UsageError(
        "{}, which protects nobody; a ledger books that as an infinite cost: say so in "
        "RunDetails::unprotected_reason, or pay from no ledger",
        released.unprotected_reason);
  }
}

accounting::MemoryBudget* memory_budget(privacy::Budget* budget) {
  return dynamic_cast<accounting::MemoryBudget*>(budget);
}

void check_memory_budget(privacy::Budget* budget, std::string_view unit,
                         const data::Schema* schema) {
  auto* memory = memory_budget(budget);
  if (memory == nullptr) return;
  if (schema != nullptr && schema->cost && !schema->cost->unprotected_reason.empty()) {
    throw base::BudgetError(
        "the fit of the schema protects nobody ({}), so that no budget can promise anything with "
        "it; fit the schema without a seed, or pay from no budget",
        schema->cost->unprotected_reason);
  }
  memory->expect_unit(unit);
}

}  // namespace tacet::run::internal
