#pragma once

#include <string>

#include "tacet/data/schema.h"
#include "tacet/privacy/receipt.h"

namespace tacet::data {

/// The schema's cost between neighbours of `adjacency`. What is (epsilon, delta)-private between
/// add_remove neighbours is (2 epsilon, (1 + e^epsilon) delta)-private between replace_one
/// neighbours: replacing a record removes one and adds another. UsageError for a schema without
/// cost or for any other difference.
[[nodiscard]] SchemaCost cost_between(const Schema& schema, privacy::Adjacency adjacency);

/// The receipt of a result computed with the schema, which has the schema's cost as a part: both
/// events composed, at the sum of both deltas, with the epsilon proved for that beside the cipher's
/// terms, which add up; or, where the sum of both epsilons is clearly less, one event that says so
/// (basic composition), at a delta that grows by what the cipher adds to both together. What
/// protects nobody makes a result that protects nobody. The same receipt for a schema without cost.
/// UsageError as cost_between; GuaranteeError as privacy::delta_left.
[[nodiscard]] privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt);

/// As above for what is still a plan.
struct PlannedCost {
  privacy::Event events;
  privacy::Guarantee guarantee;
  double cipher_delta = 0;  ///< the cipher's term
};
[[nodiscard]] PlannedCost with_schema_cost(const Schema& schema, const PlannedCost& planned);

/// The receipt of the schema itself. UsageError for a schema without cost.
[[nodiscard]] privacy::Receipt fit_receipt(const Schema& schema);

/// The command under which ledgers book the fit of this id.
[[nodiscard]] std::string booking_name(const SchemaCost& cost);

}  // namespace tacet::data
