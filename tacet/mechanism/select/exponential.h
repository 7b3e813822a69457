#pragma once

#include <cstdint>

#include "tacet/mechanism/release_context.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The event of one draw of the exponential mechanism: bounded range epsilon (Dong, Durfee, Rogers
/// 2020), hence pure epsilon and epsilon^2/8-zCDP.
[[nodiscard]] privacy::Event exponential_event(privacy::Epsilon epsilon,
                                               privacy::Adjacency adjacency);

/// Selects a candidate with probability proportional to exp(epsilon score / (2 D)), D the scores'
/// sensitivity, or exp(epsilon score / D) where they move one way (McSherry, Talwar 2007). Exact:
/// the released index has that law to the last bit, for the largest fraction up to epsilon (see
/// round_down). Adding Gumbel noise and taking the largest is the same law.
///
/// Debits `reservation` by exponential_event before a random bit is drawn.
///
/// Example:
///
///     // Votes for four candidates, one a person; examples/select is a whole program.
///     const auto votes = mechanism::Scores::integers(
///         {12, 9, 3, 11}, 1, mechanism::Movement::one_way, privacy::Adjacency::add_remove);
///     const auto best = [&](random::Source& source, privacy::Reservation& permit) {
///       return mechanism::select_exponential(votes, privacy::Epsilon(1), {{}, source, permit});
///     };
[[nodiscard]] privacy::Released<std::int64_t> select_exponential(const Scores& scores,
                                                                 privacy::Epsilon epsilon,
                                                                 const ReleaseContext& context);

}  // namespace tacet::mechanism
