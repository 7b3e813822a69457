#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/random/source/source.h"

namespace tacet::random {

/// A candidate with a score other than 0.
struct ScoredCandidate {
  std::int64_t index;
  std::int64_t score;  ///< in grid units
};

/// `count` of the candidates 0, ..., population - 1, drawn one after the other without replacement,
/// each time with probability proportional to exp(weight * score); candidates that are not listed
/// have score 0. Returned in the order of the draws. This is the exponential mechanism applied
/// `count` times (peeling). Its law is that of the largest values of weight * score + Gumbel noise
/// (Durfee and Rogers 2019).
///
/// The law is exact: candidate i finishes a race at time E_i exp(-weight * score_i), where E_i is
/// exponential. Listed candidates get a time each, the others get their order statistics (Renyi
/// 1953). Times are compared as real numbers, with as many bits as the order needs. Time and memory
/// grow with listed.size() + count, not with the population. The running time depends on the draws
/// and on how many candidates are listed.
///
/// `weight` in [0, 2^64] is taken exactly; for such weights 512 bits decide, whatever the scores
/// are. `listed` ascends by index. A UsageError if it does not, if an index lies outside the
/// population, or if count is not in [0, population].
[[nodiscard]] std::vector<std::int64_t> exponential_race(BlockClaim claim, std::int64_t population,
                                                         std::span<const ScoredCandidate> listed,
                                                         double weight, std::int64_t count);

namespace internal {

/// A UsageError unless the candidates lie in the population, each once, ascending by index.
void check_candidates(std::int64_t population, std::span<const ScoredCandidate> listed);

/// The arithmetic that decides comparisons. The answers are the same.
enum class Arithmetic { doubles_first, exact_only };

/// The listed candidates, and after them the first `others` finishers among `rest` unlisted ones.
struct Runners {
  std::span<const ScoredCandidate> listed;
  double weight;
  std::int64_t rest;
  std::size_t others;
};
/// The first `count` places in order, out of listed.size() + others runners.
[[nodiscard]] std::vector<std::size_t> race_order(Stream& stream, const Runners& runners,
                                                  std::size_t count, Arithmetic arithmetic);

}  // namespace internal
}  // namespace tacet::random
