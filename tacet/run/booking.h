#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacet/accounting/memory_budget.h"
#include "tacet/data/schema/schema.h"
#include "tacet/ledger/ledger_budget.h"

/// What everybody who spends from a ledger owes it beside the price.
namespace tacet::run::internal {

/// What the fit of a schema still owes an account.
struct OwedFit {
  data::SchemaCost cost;
  ledger::RunDetails details;
};

/// The fit of `schema` as a run of its own beside the one of `details`, under the unit that the
/// fit protects; nothing where the schema was not fitted or the account holds that already.
/// BudgetError for a schema that was edited since.
[[nodiscard]] std::optional<OwedFit> owed_fit(const ledger::Snapshot& snapshot,
                                              ledger::RunDetails details,
                                              const data::Schema& schema,
                                              privacy::Adjacency adjacency);

/// Books what the schema cost when it was fitted, under the unit that the fit protects, unless the
/// account holds that already: each fit is paid for once, told by its name and its events. `name`
/// is the schema's, for the ledger. BudgetError for a schema that was edited since.
void book_schema(const ledger::LedgerBudget& budget, const data::Schema& schema,
                 privacy::Adjacency adjacency, const std::string& name);

/// What a release protects.
struct Protected {
  std::string_view unit;
  /// Empty, or why it protects nobody.
  std::string_view unprotected_reason = {};
};

/// UsageError where the ledger would be told another unit than `released` protects, or keep as
/// protected what protects nobody.
void check_details(const ledger::RunDetails& details, const Protected& released);

/// The budget where it is one in memory, else null.
[[nodiscard]] accounting::MemoryBudget* memory_budget(privacy::Budget* budget);

/// Checks a budget in memory before anything is reserved with it. BudgetError if it protects
/// another unit, or if it would have to add the price of a schema's fit that protects nobody.
/// Budgets of other kinds, and null, pass.
void check_memory_budget(privacy::Budget* budget, std::string_view unit,
                         const data::Schema* schema = nullptr);

}  // namespace tacet::run::internal
