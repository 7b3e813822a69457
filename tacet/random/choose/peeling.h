#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/exact/race.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// Candidates 0 ... population - 1 with scores in [0, score_bound]: of those listed, ascending by
/// index, and 0 of all others.
struct BoundedCandidates {
  std::int64_t population;
  std::span<const ScoredCandidate> listed;
  std::int64_t score_bound;
};

/// The law of exponential_race, by proposals: a candidate that was not drawn yet is proposed
/// uniformly and accepted with probability exp(-weight (score_bound - score)), exactly. Where
/// weight times score_bound is small this is far less work than a race of all listed candidates:
/// the expected number of proposals is below count exp(weight score_bound) / (1 - count /
/// population), whatever the scores are.
///
/// A UsageError for candidates that are not as they should be, for a count outside of
/// [0, population], and unless weight (score_bound + 1) < 2^127 in both parts.
[[nodiscard]] std::vector<std::int64_t> proposed_choices(BlockClaim claim,
                                                         const BoundedCandidates& candidates,
                                                         WideRatio weight, std::int64_t count);

/// The score of a candidate: 0 for one that is not listed.
[[nodiscard]] std::int64_t score_of(std::span<const ScoredCandidate> listed, std::int64_t index);

}  // namespace tacet::random
