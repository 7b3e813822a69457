#pragma once

#include "tacet/accounting/routes/language.h"
#include "tacet/privacy/exact_cost.h"

namespace tacet::accounting {

/// What `event` costs by basic composition between neighbours of `adjacency`, for whoever adds up
/// epsilons and deltas: a basic account of a ledger, a budget in memory. `stated` is the guarantee
/// that the run asked for. Its delta is booked, and the larger of its epsilon and the proved one;
/// as the decimals that were written where the proof reaches that far. GuaranteeError as account().
[[nodiscard]] privacy::Amount stated_cost(const Event& event, Adjacency adjacency,
                                          const Guarantee& stated);

}  // namespace tacet::accounting
