#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/privacy/receipt.h"

/// What a fitted schema costs whoever uses it. The events decide: every epsilon here is what the
/// accountant proves for them, never a number that a file states beside them.
namespace tacet::data {

/// What the schema's fit released, between neighbours of `adjacency`. A fit under add_remove serves
/// replace_one too, release by release (accounting/shapes/rewrite.h). UsageError for a schema
/// without cost or for any other difference.
[[nodiscard]] privacy::Event fit_events(const Schema& schema, privacy::Adjacency adjacency);

/// The schema's cost between neighbours of `adjacency`, as its events prove it. If the fit was made
/// for another adjacency, delta is the sum of the deltas of its releases. Errors as fit_events.
[[nodiscard]] SchemaCost cost_between(const Schema& schema, privacy::Adjacency adjacency);

/// The receipt of a result computed with the schema, which has the schema's cost as a part: both
/// events composed, stated at the sums of both epsilons and of both deltas, as the decimals that
/// they are: what a ledger of sums books for the two. More than the sums where more is proved, as
/// where the PRG slacks, which add up, take more of delta. What protects nobody makes a result
/// that protects nobody. Its parameter `schema_fit` is the fit's booking_name between these
/// neighbours. The same receipt for a schema without cost. UsageError as fit_events and where the
/// result protects another unit than the fit; GuaranteeError as privacy::delta_left, and where
/// nothing is proved for both together.
[[nodiscard]] privacy::Receipt with_schema_cost(const Schema& schema, privacy::Receipt receipt);

/// The name of the parameter by which a receipt says whose cost is a part of its own.
inline constexpr const char* schema_fit_name = "schema_fit";

/// As above for what is still a plan; it protects the schema's unit.
struct PlannedCost {
  privacy::Event events;
  privacy::Guarantee guarantee;
  double prg_slack = 0;  ///< the PRG slack
};
[[nodiscard]] PlannedCost with_schema_cost(const Schema& schema, const PlannedCost& planned);

/// The receipt of the schema itself, with what its answers were drawn with among the parameters.
/// UsageError for a schema without cost.
[[nodiscard]] privacy::Receipt fit_receipt(const Schema& schema);

/// Refuses the receipt of a protected result whose schema was fitted for another unit, or whose
/// events do not begin with those of the fit: a GuaranteeError.
void check_carries_cost(const Schema& schema, const privacy::Receipt& receipt);

/// Whether the first of the receipt's two events is that of the fit which its parameters name; a
/// receipt that names none has none. GuaranteeError where they contradict each other.
[[nodiscard]] bool names_its_fit(const privacy::Receipt& receipt);

/// What the commands of all bookings of this fit begin with: its id.
[[nodiscard]] std::string fit_name(const SchemaCost& cost);

/// The command under which ledgers book this fit: its id, and a digest of its events, so that
/// another fit under a borrowed id is another command.
[[nodiscard]] std::string booking_name(const SchemaCost& cost);

}  // namespace tacet::data
