#pragma once

#include "tacet/accounting/routes/language.h"
#include "tacet/privacy/exact_cost.h"

namespace tacet::accounting {

/// The guarantee to state for events that were calibrated for `asked` at delta_left(asked). Its
/// delta is the delta asked for. Its epsilon is proved at delta_left of the result, and also at the
/// whole delta, at which a ledger accounts the events (stated_cost): the last digits of an
/// accountant differ between the two, and the statement must equal the booking. If the proof does
/// not reach `asked`, epsilon is above it, and the caller has to add noise. GuaranteeError as
/// delta_left.
[[nodiscard]] Guarantee stated_guarantee(const Event& events, const Guarantee& asked,
                                         double prg_slack_of);

/// The cost of `event` by basic composition between neighbours of `adjacency`, for everybody who
/// adds up epsilons and deltas: a basic account of a ledger, a budget in memory. `stated` is the
/// guarantee that the run asked for. The booked delta is that of `stated`, and the booked epsilon
/// is the larger one of the stated and the proved epsilon. They count as the decimals that were
/// written if the proof reaches them. GuaranteeError as account().
[[nodiscard]] privacy::Amount stated_cost(const Event& event, Adjacency adjacency,
                                          const Guarantee& stated);

}  // namespace tacet::accounting
