#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// What one selection by permute-and-flip costs: pure epsilon. It is not of bounded range: under
/// zCDP it costs up to four times what the exponential mechanism does.
[[nodiscard]] privacy::Event permute_and_flip_event(privacy::Epsilon epsilon,
                                                    privacy::Adjacency adjacency);

/// Visits the candidates in random order and takes one with probability exp(epsilon (score - best)
/// / (2 D)), or with D instead of 2 D where scores move one way (McKenna, Sheldon 2020). Its
/// expected score is never below the exponential mechanism's: the choice for a single selection
/// under pure privacy. Adding exponential noise and taking the largest is the same law. Exact, as
/// select_exponential is.
///
/// Debits `reservation` by permute_and_flip_event before a random bit is drawn.
[[nodiscard]] privacy::Released<std::int64_t> select_permute_and_flip(
    const Scores& scores, privacy::Epsilon epsilon, const ReleaseContext& context);

/// `count` draws, one after the other from the candidates left, cost so often pure epsilon_each:
/// no more is proved, since one draw's loss spans up to 2 epsilon_each.
[[nodiscard]] privacy::Event permute_and_flip_top_event(std::int64_t count,
                                                        privacy::Epsilon epsilon_each,
                                                        privacy::Adjacency adjacency);

/// `count` of very many candidates by repeated permute-and-flip, first drawn first. (Exponential
/// noise on all scores at once and the largest `count` of them is another law, which nothing is
/// proved for.) Costs permute_and_flip_top_event, under the scores' sample where they are of one.
///
/// A draw visits at most all candidates and on average at most exp(epsilon (score bound) / (2 D)):
/// a UsageError where the smaller of both times `count` is beyond 2^26, by what is public, and
/// unless 1 <= count <= scores.population().
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// One of several releases from one sample: takes permute_and_flip_top_event out of the permit.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top_permute_and_flip(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const PermitContext& context);

}  // namespace tacet::mechanism
