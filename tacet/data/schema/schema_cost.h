#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/privacy/receipt.h"

/// The cost of a fitted schema for its users. The events decide: every epsilon here is proved by
/// the accountant, and never taken from a number that a file states.
namespace tacet::data {

/// The events of the schema's fit between neighbours of `adjacency`. A fit under add_remove can be
/// used under replace_one too, release by release (accounting/shapes/rewrite.h). UsageError for a
/// schema without cost, and for any other difference.
[[nodiscard]] privacy::Event fit_events(const Schema& schema, privacy::Adjacency adjacency);

/// The schema's cost between neighbours of `adjacency`, as its events prove it. If the fit was made
/// for another adjacency, delta is the sum of the deltas of its releases. Errors as fit_events.
[[nodiscard]] SchemaCost cost_between(const Schema& schema, privacy::Adjacency adjacency);

/// The receipt of a result computed with the schema, including the schema's cost. Its event is the
/// composition of both. It states the sums of both epsilons and of both deltas, as exact decimals,
/// which is what a basic ledger books for the two. It states more if the proof needs more, for
/// example because the PRG slacks add up and take more of delta. If the fit protects nobody,
/// neither does the result. The parameter `schema_fit` is the fit's booking_name between these
/// neighbours. For a schema without cost it returns the same receipt. UsageError as fit_events, and
/// if the result protects another unit than the fit. GuaranteeError as privacy::delta_left, and if
/// nothing is proved for both together.
[[nodiscard]] privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt);

/// The name of the parameter in which a receipt names the fit whose cost it includes.
inline constexpr const char* schema_fit_name = "schema_fit";

/// As above, for a plan; it protects the schema's unit.
struct PlannedCost {
  privacy::Event events;
  privacy::Guarantee guarantee;
  double prg_slack = 0;  ///< the PRG slack
};
[[nodiscard]] PlannedCost with_schema_cost(const Schema& schema, const PlannedCost& planned);

/// The receipt of the schema itself; its parameters include those of the fit's answers. UsageError
/// for a schema without cost.
[[nodiscard]] privacy::Receipt fit_receipt(const Schema& schema);

/// GuaranteeError if a receipt claims protection although its schema was fitted for another unit,
/// or although its events do not begin with those of the fit.
void check_carries_cost(const Schema& schema, const privacy::Receipt& receipt);

/// Whether the first of the receipt's two events is that of the fit which its parameters name;
/// false if they name none. GuaranteeError if they contradict each other.
[[nodiscard]] bool names_its_fit(const privacy::Receipt& receipt);

/// The id of the fit, with which the commands of all of its bookings begin.
[[nodiscard]] std::string fit_name(const SchemaCost& cost);

/// The command under which ledgers book this fit: its id and a digest of its events. Another fit
/// that uses the same id has another command.
[[nodiscard]] std::string booking_name(const SchemaCost& cost);

}  // namespace tacet::data
