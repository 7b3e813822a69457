#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/exact/race.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// Candidates 0, ..., population - 1 with scores in [0, score_bound]. The listed ones ascend by
/// index; all others have score 0.
struct BoundedCandidates {
  std::int64_t population;
  std::span<const ScoredCandidate> listed;
  std::int64_t score_bound;
};

/// The same law as exponential_race, by proposals: a candidate that was not drawn yet is proposed
/// uniformly and accepted with probability exp(-weight (score_bound - score)), exactly. If weight
/// times score_bound is small, this is far less work than a race of all listed candidates: the
/// expected number of proposals is below count exp(weight score_bound) / (1 - count / population),
/// whatever the scores are.
///
/// UsageError for candidates that break the rules above, for a count outside of [0, population],
/// and unless weight (score_bound + 1) < 2^127 in numerator and denominator.
[[nodiscard]] std::vector<std::int64_t> proposed_choices(BlockClaim claim,
                                                         const BoundedCandidates& candidates,
                                                         WideRatio weight, std::int64_t count);

/// The score of a candidate; 0 if it is not listed.
[[nodiscard]] std::int64_t score_of(std::span<const ScoredCandidate> listed, std::int64_t index);

}  // namespace tacet::random
