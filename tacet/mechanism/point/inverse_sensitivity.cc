#include "tacet/mechanism/point/inverse_sensitivity.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/point/level_sets.h"
#include "tacet/mechanism/select/rational_epsilon.h"

namespace tacet::mechanism {
namespace {

constexpr int slope_bits = 20;

double number_or_zero(double value) { return std::isnan(value) ? 0 : value; }

/// Rounding a breakpoint of one record is a function of that record alone.
internal::Key key_of(double at, const Grid& grid) {
  const double place = (at - grid.lower()) / grid.step();
  if (!(place > 0)) return internal::key_at(0);
  if (place >= static_cast<double>(grid.last())) return internal::key_at(grid.last());
  const double floor = std::floor(place);
  const auto point = static_cast<std::int64_t>(floor);
  return place == floor ? internal::key_at(point) : internal::key_after(point);
}

}  // namespace

PiecewiseLinearSum::PiecewiseLinearSum(double min_slope, double largest_slope)
    : unit_(0), min_(0), largest_(0) {
  const double steepest = std::max(std::fabs(min_slope), std::fabs(largest_slope));
  if (!(min_slope < largest_slope) || !(steepest <= 0x1p900 && steepest >= 0x1p-900)) {
    throw base::UsageError(
        "slopes need finite bounds with the lower one below the upper one, got {} and {}",
        min_slope, largest_slope);
  }
  unit_ = std::ldexp(1.0, std::ilogb(steepest) - slope_bits);
  min_ = static_cast<std::int64_t>(min_slope / unit_);
  largest_ = static_cast<std::int64_t>(largest_slope / unit_);
}

std::int64_t PiecewiseLinearSum::clipped(double slope) const {
  return static_cast<std::int64_t>(
      std::clamp(slope / unit_, static_cast<double>(min_), static_cast<double>(largest_)));
}

void PiecewiseLinearSum::add(double left_slope, std::span<const Breakpoint> breakpoints) {
  double slope = number_or_zero(left_slope);
  std::int64_t before = clipped(slope);
  left_slope_ += before;
  double last = -HUGE_VAL;
  for (const auto& breakpoint : breakpoints) {
    slope += std::max(0.0, number_or_zero(breakpoint.jump));
    last = std::max(last, number_or_zero(breakpoint.at));
    // Clipping and truncation keep the order of slopes, and with it convexity.
    const std::int64_t after = std::max(before, clipped(number_or_zero(slope)));
    if (after > before) jumps_.push_back({last, after - before});
    before = after;
  }
}

std::int64_t PiecewiseLinearSum::sensitivity(privacy::Adjacency adjacency) const {
  const std::int64_t moves = adjacency == privacy::Adjacency::replace_one
                                 ? largest_ - min_
                                 : std::max(std::abs(min_), std::abs(largest_));
  return std::max<std::int64_t>(moves, 1);
}

namespace internal {

std::vector<random::WeightedLevel> slope_runs(const PiecewiseLinearSum::Slopes& slopes,
                                              const Grid& grid, std::int64_t radius) {
  std::vector<std::pair<Key, std::int64_t>> jumps;
  jumps.reserve(slopes.jumps.size());
  for (const auto& jump : slopes.jumps) jumps.emplace_back(key_of(jump.at, grid), jump.weight);
  std::sort(jumps.begin(), jumps.end());
  std::vector<Key> keys;
  std::vector<std::int64_t> weights;
  keys.reserve(jumps.size());
  weights.reserve(jumps.size());
  for (const auto& [key, weight] : jumps) {
    keys.push_back(key);
    weights.push_back(weight);
  }
  return level_runs({.left_pull = slopes.left_slope,
                     .right_pull = -slopes.left_slope,
                     .keys = keys,
                     .weights = weights},
                    {grid.last(), radius});
}

}  // namespace internal

void internal::check_radius(const MinimiserQuery& query) {
  if (query.radius < 0 || query.radius > query.grid.last()) {
    throw base::UsageError("the radius must lie in 0..{} grid steps, got {}", query.grid.last(),
                           query.radius);
  }
}

privacy::Event minimiser_event(const MinimiserQuery& query, privacy::Epsilon epsilon) {
  // docs/proofs/selection.md, section 6.
  return privacy::BoundedRange{epsilon.value(), query.adjacency};
}

privacy::Released<double> release_minimiser(const PiecewiseLinearSum& sum,
                                            const MinimiserQuery& query, privacy::Epsilon epsilon,
                                            const ReleaseContext& context) {
  internal::check_radius(query);
  const RationalEpsilon rational = round_down(epsilon);
  const auto event = minimiser_event(query, epsilon);
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  const auto runs = internal::slope_runs(sum.open(access), query.grid, query.radius);
  random::Stream stream(context.claim(random::Purpose::selection));
  const std::int64_t point =
      internal::choose_point(runs, rational, sum.sensitivity(query.adjacency), stream);
  return {access, query.grid.point(point), event};
}

}  // namespace tacet::mechanism
