#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/release_means.h"
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
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> select_top(const Scores& scores,
                                                                      std::int64_t count,
                                                                      privacy::Epsilon epsilon_each,
                                                                      const ReleaseMeans& means);

}  // namespace tacet::mechanism
