#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The event of select_top: `count` draws of bounded range `epsilon_each`.
[[nodiscard]] privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                                       privacy::Adjacency adjacency);

/// `count` candidates, best first, each drawn by the exponential mechanism at epsilon_each from the
/// remaining candidates (peeling). Adding Gumbel noise to all scores once and taking the largest
/// `count` has the same law (Durfee, Rogers 2019). Exact, as select_exponential is.
///
/// Debits `reservation` by top_event before a random bit is drawn. A UsageError unless 1 <= count
/// <= scores.size().
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(
    const Scores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// The event of select_top for scores that neighbours move together: `count` draws that weigh a
/// score by exp(eta score), eta = score_weight(...). The smallest pool stands for all of them (wide
/// models: docs/proofs/wide.md, section 4).
[[nodiscard]] privacy::Event top_event(const ScoreBounds& bounds, std::int64_t count,
                                       privacy::Epsilon epsilon_each);

/// epsilon_each / (2 sensitivity), rounded down to 24 bits: the weight of one unit of score.
[[nodiscard]] double score_weight(const ScoreBounds& bounds, privacy::Epsilon epsilon_each);

/// The same law among very many candidates of which only those with a score are listed; time and
/// memory grow with these and with `count`. Costs top_event for the scores' bounds, or for their
/// adjacency if they have no bounds; under their sample, if they have one.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// One of several releases from one sample: takes top_event out of the permit.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(const SparseScores& scores,
                                                                      std::int64_t count,
                                                                      privacy::Epsilon epsilon_each,
                                                                      const PermitContext& context);

}  // namespace tacet::mechanism
