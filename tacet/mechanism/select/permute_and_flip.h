#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The event of one selection by permute-and-flip: pure epsilon. It is not of bounded range: under
/// zCDP it costs up to four times as much as the exponential mechanism.
[[nodiscard]] privacy::Event permute_and_flip_event(privacy::Epsilon epsilon,
                                                    privacy::Adjacency adjacency);

/// Visits the candidates in random order and takes one with probability exp(epsilon (score - best)
/// / (2 D)), or with D instead of 2 D if all scores move in the same direction (McKenna, Sheldon
/// 2020). Its expected score is never below that of the exponential mechanism, so it is the better
/// choice for a single selection under pure privacy. Adding exponential noise and taking the
/// largest is the same law. Exact, as select_exponential is.
///
/// Debits `reservation` by permute_and_flip_event before a random bit is drawn.
[[nodiscard]] privacy::Released<std::int64_t> select_permute_and_flip(
    const Scores& scores, privacy::Epsilon epsilon, const ReleaseContext& context);

/// The event of `count` draws, one after the other from the remaining candidates: that many times
/// pure epsilon_each. No more is proved, since the loss of one draw spans up to 2 epsilon_each.
[[nodiscard]] privacy::Event permute_and_flip_top_event(std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        privacy::Adjacency adjacency);

/// Selects `count` of very many candidates by repeated permute-and-flip, in the order of the draws.
/// (Adding exponential noise to all scores at once and taking the largest `count` has another law,
/// without a proof.) Costs permute_and_flip_top_event, under the sample of the scores if they have
/// one.
///
/// A draw visits at most all candidates and on average at most exp(epsilon (score bound) / (2 D)):
/// UsageError if the smaller one of both, times `count`, is above 2^26 by public numbers, and
/// unless 1 <= count <= scores.population().
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// One of several releases from one sample: takes permute_and_flip_top_event out of the permit.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const PermitContext& context);

}  // namespace tacet::mechanism
