#include "tacet/mechanism/select/scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace {

constexpr std::int64_t largest_sensitivity = std::int64_t{1} << 40;
// The difference of two scores within these limits is a 64-bit integer.
constexpr std::int64_t largest_score = std::int64_t{1} << 61;
constexpr int fraction_bits = 20;

std::vector<std::int64_t> clamped(std::vector<std::int64_t> values) {
  // Clamping never increases the distance of two values.
  for (auto& value : values) value = std::clamp(value, -largest_score, largest_score);
  return values;
}

void check_movement(std::int64_t sensitivity, Movement movement, privacy::Adjacency adjacency) {
  if (sensitivity < 1 || sensitivity > largest_sensitivity) {
    throw base::UsageError("the sensitivity of integer scores must lie in [1, 2^40], got {}",
                           sensitivity);
  }
  if (movement == Movement::one_way && adjacency != privacy::Adjacency::add_remove) {
    throw base::UsageError(
        "scores move one way only between add_remove neighbours, not under {}; use Movement::any",
        to_string(adjacency));
  }
}

}  // namespace

Scores::Scores(std::vector<std::int64_t> values, std::int64_t sensitivity, double unit,
               Movement movement, privacy::Adjacency adjacency)
    : values_(clamped(std::move(values))),
      sensitivity_(sensitivity),
      unit_(unit),
      movement_(movement),
      adjacency_(adjacency) {
  if (values_.empty()) throw base::UsageError("a selection needs at least one candidate, got none");
  check_movement(sensitivity, movement, adjacency);
}

Scores Scores::integers(std::vector<std::int64_t> values, std::int64_t sensitivity,
                        Movement movement, privacy::Adjacency adjacency) {
  return {std::move(values), sensitivity, 1.0, movement, adjacency};
}

Scores Scores::rounded(std::span<const double> values, double sensitivity, Movement movement,
                       privacy::Adjacency adjacency) {
  if (!(sensitivity >= 0x1p-900 && sensitivity <= 0x1p900)) {
    throw base::UsageError("the sensitivity of scores must be positive and finite, got {}",
                           sensitivity);
  }
  // A power of two, so that dividing by it is exact.
  const int exponent = std::ilogb(sensitivity) - fraction_bits;
  std::vector<std::int64_t> integers;
  integers.reserve(values.size());
  for (const double value : values) {
    if (std::isnan(value)) {
      throw base::NumericError(
          "a candidate's score is not a number; give every candidate a number, the worst one where "
          "its computation failed");
    }
    const double bound = static_cast<double>(largest_score);
    integers.push_back(static_cast<std::int64_t>(
        std::clamp(std::nearbyint(std::ldexp(value, -exponent)), -bound, bound)));
  }
  // Rounding two values to integers increases their distance by at most 1.
  const auto moved = static_cast<std::int64_t>(std::ceil(std::ldexp(sensitivity, -exponent))) + 1;
  return {std::move(integers), moved, std::ldexp(1.0, exponent), movement, adjacency};
}

Scores Scores::differences() const {
  if (values_.size() < 2) throw base::UsageError("differences need at least two candidates");
  std::vector<std::int64_t> result;
  result.reserve(values_.size() - 1);
  for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
    result.push_back(values_[i] - values_[i + 1]);
  }
  const std::int64_t moves = movement_ == Movement::one_way ? 1 : 2;
  return {std::move(result), moves * sensitivity_, unit_, Movement::any, adjacency_};
}

SparseScores SparseScores::integers(std::int64_t population,
                                    std::vector<random::ScoredCandidate> listed,
                                    const ScoreMoves& moves, privacy::Sample sample) {
  if (population < 1) throw base::UsageError("a selection needs at least one candidate, got none");
  check_movement(moves.sensitivity, moves.movement, moves.adjacency);
  random::internal::check_candidates(population, listed);
  for (auto& item : listed) item.score = std::clamp(item.score, -largest_score, largest_score);
  return {population, std::move(listed), moves, sample};
}

SparseScores SparseScores::from_certified(privacy::Certified /*proof*/, const ScoreBounds& bounds,
                                          std::vector<random::ScoredCandidate> listed,
                                          privacy::Sample sample) {
  const auto is_length = [](double length) { return length >= 0 && std::isfinite(length); };
  if (bounds.score_bound < 1 || bounds.score_bound > largest_score || bounds.support < 0 ||
      !is_length(bounds.l2_sensitivity) || !is_length(bounds.range_sensitivity)) {
    throw base::UsageError("the bounds of scores are positive and finite");
  }
  if (bounds.population < 1) throw base::UsageError("a selection needs at least one candidate");
  check_movement(bounds.sensitivity, Movement::any, bounds.adjacency);
  bool ascending = true;
  std::int64_t before = -1;
  for (auto& item : listed) {
    ascending &= item.index > before;
    before = item.index;
    item.score = std::clamp<std::int64_t>(item.score, 0, bounds.score_bound);
  }
  if (!ascending || before >= bounds.population) {
    random::internal::check_candidates(bounds.population, listed);
  }
  SparseScores scores(bounds.population, std::move(listed),
                      {bounds.sensitivity, Movement::any, bounds.adjacency}, sample);
  scores.bounds_ = bounds;
  return scores;
}

}  // namespace tacet::mechanism
