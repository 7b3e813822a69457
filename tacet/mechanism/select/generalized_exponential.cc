#include "tacet/mechanism/select/generalized_exponential.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace {

__extension__ using WideGap = __int128;

constexpr int gap_bits = 20;
constexpr double widest_ratio = 0x1p20;
constexpr double largest_error = 0x1p60;
constexpr std::int64_t largest_gap = std::int64_t{1} << 50;

void check(std::span<const double> errors, std::span<const double> sensitivities, double failure) {
  if (errors.empty()) throw base::UsageError("a selection needs at least one candidate, got none");
  if (errors.size() != sensitivities.size()) {
    throw base::UsageError("{} errors need as many sensitivities, got {}", errors.size(),
                           sensitivities.size());
  }
  if (!(failure > 0 && failure < 1)) {
    throw base::UsageError("the probability of failure must lie in (0, 1), got {}", failure);
  }
  const auto [min, max] = std::minmax_element(sensitivities.begin(), sensitivities.end());
  for (const double sensitivity : sensitivities) {
    if (!(sensitivity >= 0x1p-900 && sensitivity <= 0x1p900)) {
      throw base::UsageError("sensitivities must be positive and finite, got {}", sensitivity);
    }
  }
  if (*max / *min > widest_ratio) {
    throw base::UsageError("sensitivities may differ by a factor of 2^20 at most, got {} and {}",
                           *min, *max);
  }
  for (const double error : errors) {
    if (std::isnan(error)) {
      throw base::NumericError(
          "a candidate's error is not a number; give every candidate a number, the worst one where "
          "its computation failed");
    }
  }
}

/// One candidate in grid units. Integers may move by the ceiling of the real move, plus 1 for
/// rounding.
struct Candidate {
  std::int64_t penalised;  ///< q + t D, where t D is a public constant
  std::int64_t moves;
};

std::vector<Candidate> on_grid(std::span<const double> errors,
                               std::span<const double> sensitivities, double t) {
  const double smallest = *std::min_element(sensitivities.begin(), sensitivities.end());
  const int exponent = std::ilogb(smallest) - gap_bits;
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto moves =
        static_cast<std::int64_t>(std::ceil(std::ldexp(sensitivities[i], -exponent))) + 1;
    const auto error = static_cast<std::int64_t>(std::clamp(
        std::nearbyint(std::ldexp(errors[i], -exponent)), -largest_error, largest_error));
    const auto penalty = static_cast<std::int64_t>(
        std::min(std::nearbyint(t * static_cast<double>(moves)), largest_error));
    result.push_back({error + penalty, moves});
  }
  return result;
}

}  // namespace

Scores generalized_scores(std::span<const double> errors, std::span<const double> sensitivities,
                          privacy::Epsilon epsilon, double failure, privacy::Adjacency adjacency) {
  check(errors, sensitivities, failure);
  const double t = 2 * std::log(static_cast<double>(errors.size()) / failure) / epsilon.value();
  const auto candidates = on_grid(errors, sensitivities, std::min(t, largest_error));
  std::vector<std::int64_t> scores;
  scores.reserve(candidates.size());
  for (const auto& candidate : candidates) {
    std::int64_t worst = 0;  // j = i
    for (const auto& other : candidates) {
      const WideGap gap = WideGap{candidate.penalised} - other.penalised;
      if (gap <= 0) continue;
      // Rounding down moves no two quotients further apart than a whole unit
      // (docs/proofs/selection.md, section 3).
      const WideGap quotient = (gap << gap_bits) / (WideGap{candidate.moves} + other.moves);
      worst = std::max(worst, static_cast<std::int64_t>(std::min(quotient, WideGap{largest_gap})));
    }
    scores.push_back(-worst);
  }
  return Scores::integers(std::move(scores), std::int64_t{1} << gap_bits, Movement::any, adjacency);
}

}  // namespace tacet::mechanism
