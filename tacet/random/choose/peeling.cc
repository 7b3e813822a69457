#include "tacet/random/choose/peeling.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::random {
namespace {

constexpr Wide largest_part = static_cast<Wide>(1) << 127;

void check_proposals(const BoundedCandidates& candidates, WideRatio weight, std::int64_t count) {
  const auto& [population, listed, score_bound] = candidates;
  if (count < 0 || count > population) {
    throw base::UsageError("a selection of {} from {} candidates is impossible", count, population);
  }
  if (score_bound < 0 || weight.denominator == 0 || weight.denominator >= largest_part ||
      weight.numerator >= largest_part / (static_cast<Wide>(score_bound) + 1)) {
    throw base::UsageError("the weight of a score times its bound must stay below 2^127");
  }
  // One pass without a branch per candidate, since there may be very many.
  bool inside = true;
  bool ascending = true;
  std::int64_t before = -1;
  for (const auto& candidate : listed) {
    inside &= candidate.score >= 0 && candidate.score <= score_bound;
    ascending &= candidate.index > before;
    before = candidate.index;
  }
  if (!ascending || before >= population) internal::check_candidates(population, listed);
  if (!inside) throw base::UsageError("scores must lie between 0 and their bound");
}

}  // namespace

std::int64_t score_of(std::span<const ScoredCandidate> listed, std::int64_t index) {
  const auto place = std::ranges::lower_bound(listed, index, {}, &ScoredCandidate::index);
  return place != listed.end() && place->index == index ? place->score : 0;
}

std::vector<std::int64_t> proposed_choices(BlockClaim claim, const BoundedCandidates& candidates,
                                           WideRatio weight, std::int64_t count) {
  check_proposals(candidates, weight, count);
  Stream stream(std::move(claim));
  std::vector<std::int64_t> chosen;
  std::unordered_set<std::int64_t> taken;
  while (std::ssize(chosen) < count) {
    const auto index = static_cast<std::int64_t>(
        uniform_below(stream, static_cast<std::uint64_t>(candidates.population)));
    const auto shortfall =
        static_cast<Wide>(candidates.score_bound - score_of(candidates.listed, index));
    // A candidate that was drawn before is proposed as often as any other. Rejecting it here leaves
    // the next draw to the others, in proportion to their weights.
    if (taken.contains(index)) continue;
    if (!bernoulli_exp(stream, weight.numerator * shortfall, weight.denominator)) continue;
    taken.insert(index);
    chosen.push_back(index);
  }
  return chosen;
}

}  // namespace tacet::random
