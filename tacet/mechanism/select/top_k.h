#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/sample_permit.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// What select_top costs: `count` draws of bounded range `epsilon_each`.
[[nodiscard]] privacy::Event top_event(std::int64_t count, privacy::Epsilon epsilon_each,
                                       privacy::Adjacency adjacency);

/// `count` candidates, best first, each drawn by the exponential mechanism at epsilon_each from
/// those left (peeling); one draw of Gumbel noise for all candidates and the largest `count` of
/// them is the same law (Durfee, Rogers 2019). Exact, as select_exponential is.
///
/// Debits `reservation` by top_event before a random bit is drawn. A UsageError unless
/// 1 <= count <= scores.size().
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(
    const Scores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// What select_top costs among scores that neighbours move together: `count` draws that each weigh
/// a score by exp(eta score), eta = score_weight(...), the smallest pool standing for all of them
/// (wide models: docs/proofs/wide.md, section 4).
[[nodiscard]] privacy::Event top_event(const ScoreBounds& bounds, std::int64_t count,
                                       privacy::Epsilon epsilon_each);

/// epsilon_each / (2 sensitivity) rounded down to 24 bits: what one unit of score weighs.
[[nodiscard]] double score_weight(const ScoreBounds& bounds, privacy::Epsilon epsilon_each);

/// The same law among very many candidates of which only those with a score are listed; time and
/// memory grow with these and with `count`. Costs top_event of the scores' bounds, or of their
/// adjacency where they state none; under their sample, where they are of one.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(
    const SparseScores& scores, std::int64_t count, privacy::Epsilon epsilon_each,
    const ReleaseContext& context);

/// One of several releases from one sample: takes top_event out of the permit.
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(const SparseScores& scores,
                                                                      std::int64_t count,
                                                                      privacy::Epsilon epsilon_each,
                                                                      const PermitContext& context);

}  // namespace tacet::mechanism
