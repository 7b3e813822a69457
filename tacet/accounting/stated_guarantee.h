#pragma once

#include "tacet/accounting/routes/language.h"
#include "tacet/privacy/exact_cost.h"

namespace tacet::accounting {

/// The guarantee that can be stated of events calibrated for `asked` at delta_left(asked): its
/// delta, and an epsilon that is proved at delta_left of the result, and at all of its delta, where
/// whoever books the events asks (stated_cost): the last digits of an accountant differ between
/// both, and what is stated is what is booked. Where the proof does not reach what was asked for,
/// epsilon is above it and it is for the caller to add noise. GuaranteeError as delta_left.
[[nodiscard]] Guarantee stated_guarantee(const Event& events, const Guarantee& asked,
                                         double prg_slack_of);

/// What `event` costs by basic composition between neighbours of `adjacency`, for whoever adds up
/// epsilons and deltas: a basic account of a ledger, a budget in memory. `stated` is the guarantee
/// that the run asked for. Its delta is booked, and the larger of its epsilon and the proved one;
/// as the decimals that were written where the proof reaches that far. GuaranteeError as account().
[[nodiscard]] privacy::Amount stated_cost(const Event& event, Adjacency adjacency,
                                          const Guarantee& stated);

}  // namespace tacet::accounting
