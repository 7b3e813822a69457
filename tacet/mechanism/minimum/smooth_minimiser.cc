#include "tacet/mechanism/minimum/smooth_minimiser.h"

#include <algorithm>
#include <cmath>

#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/numeric/elementary.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::mechanism {
namespace internal {
namespace {

constexpr std::size_t max_cells = 4096;  // each costs a pass over the records
// halvings between two computations of the sum of all cells
constexpr std::size_t between_looks = 8;
// of the envelope, relative: so that two of three proposals are accepted
constexpr double accepted_excess = 0.5;

/// A run of points, and the pulls at its first point and at the point after it.
struct Stretch {
  std::int64_t first;
  std::int64_t end;
  PointPulls at_first;
  PointPulls at_end;
};

ScoreCell cell_of(const Stretch& stretch, std::int64_t slack) {
  if (stretch.end == stretch.first + 1) {
    const std::int64_t score = stretch.at_first.score();
    return {stretch.first, stretch.end, score, score};
  }
  const std::int64_t lowest =
      std::max({std::int64_t{0}, stretch.at_first.left - slack, stretch.at_end.right - slack});
  return {stretch.first, stretch.end, lowest,
          std::max(stretch.at_end.left, stretch.at_first.right) + slack};
}

/// Logarithms of the weight of a cell at its lowest and at its highest score.
struct LogWeights {
  double upper;
  double lower;
};
LogWeights log_weights(const ScoreCell& cell, double rate) {
  const double count = numeric::log(static_cast<double>(cell.end - cell.first));
  return {count - rate * static_cast<double>(cell.lowest),
          count - rate * static_cast<double>(cell.highest)};
}

/// The logarithm of the excess weight of the envelope on the cell; minus infinity if there is none.
double log_excess(const ScoreCell& cell, double rate) {
  const auto weights = log_weights(cell, rate);
  return weights.upper + numeric::log(1 - numeric::exp(weights.lower - weights.upper));
}

bool close_enough(const std::vector<ScoreCell>& cells, double rate) {
  double heaviest = -HUGE_VAL;
  for (const auto& cell : cells) heaviest = std::max(heaviest, log_weights(cell, rate).lower);
  double lower = 0;
  double upper = 0;
  for (const auto& cell : cells) {
    const auto weights = log_weights(cell, rate);
    lower += numeric::exp(weights.lower - heaviest);
    upper += numeric::exp(weights.upper - heaviest);
  }
  return upper <= (1 + accepted_excess) * lower;
}

}  // namespace

PullsAt pulls_of(const SlopeSum& sum, const Grid& grid, std::int64_t radius) {
  return [&sum, grid, radius](std::int64_t point) {
    const auto slope = [&](std::int64_t j) { return sum.open(AccessKeys::key(), grid.point(j)); };
    PointPulls pulls{0, 0};
    const bool left = point - radius > 0;
    const bool right = point + radius < grid.last();
    if (radius == 0 && left && right) {
      const std::int64_t both = slope(point);
      return PointPulls{std::max<std::int64_t>(both, 0), std::max<std::int64_t>(-both, 0)};
    }
    if (left) pulls.left = std::max<std::int64_t>(slope(point - radius), 0);
    if (right) pulls.right = std::max<std::int64_t>(-slope(point + radius), 0);
    return pulls;
  };
}

std::vector<ScoreCell> score_cells(const PullsAt& pulls, std::int64_t last, std::int64_t slack,
                                   double rate) {
  const auto lighter = [&](const Stretch& a, const Stretch& b) {
    return log_excess(cell_of(a, slack), rate) < log_excess(cell_of(b, slack), rate);
  };
  const auto all = [&](const std::vector<Stretch>& stretches) {
    std::vector<ScoreCell> cells;
    cells.reserve(stretches.size());
    for (const auto& stretch : stretches) cells.push_back(cell_of(stretch, slack));
    return cells;
  };
  const PointPulls at_last = pulls(last);
  std::vector<Stretch> heap{{last, last + 1, at_last, at_last}};
  if (last > 0) heap.push_back({0, last, pulls(0), at_last});
  std::make_heap(heap.begin(), heap.end(), lighter);
  while (heap.size() < max_cells) {
    if (heap.size() % between_looks == 0 && close_enough(all(heap), rate)) break;
    std::pop_heap(heap.begin(), heap.end(), lighter);
    const Stretch heaviest = heap.back();
    heap.pop_back();
    if (heaviest.end == heaviest.first + 1) {  // it cannot be halved
      heap.push_back(heaviest);
      break;
    }
    const std::int64_t middle = heaviest.first + (heaviest.end - heaviest.first) / 2;
    const PointPulls at_middle = pulls(middle);
    heap.push_back({heaviest.first, middle, heaviest.at_first, at_middle});
    std::push_heap(heap.begin(), heap.end(), lighter);
    heap.push_back({middle, heaviest.end, at_middle, heaviest.at_end});
    std::push_heap(heap.begin(), heap.end(), lighter);
  }
  return all(heap);
}

std::int64_t draw_point(const PullsAt& pulls, const std::vector<ScoreCell>& cells,
                        random::WideRatio rate, random::Stream& stream) {
  std::vector<random::WeightedLevel> envelope;
  envelope.reserve(cells.size());
  for (const auto& cell : cells) {
    envelope.push_back({static_cast<std::uint64_t>(cell.end - cell.first), cell.lowest});
  }
  const random::ExponentialChoice choice(envelope, rate);
  while (true) {
    const std::size_t i = choice.draw(stream);
    const auto offset = random::uniform_below(stream, envelope[i].count);
    const std::int64_t point = cells[i].first + static_cast<std::int64_t>(offset);
    if (envelope[i].count == 1) return point;
    // Never below 0 for convex losses.
    const std::int64_t excess = std::max<std::int64_t>(pulls(point).score() - envelope[i].level, 0);
    const auto missing = rate.numerator * static_cast<random::Wide>(excess);
    if (random::bernoulli_exp(stream, missing, rate.denominator)) return point;
  }
}

}  // namespace internal

privacy::Released<double> release_minimiser(const SlopeSum& sum, const MinimiserQuery& query,
                                            privacy::Epsilon epsilon,
                                            const ReleaseContext& context) {
  internal::check_radius(query);
  const RationalEpsilon rational = round_down(epsilon);
  const auto event = minimiser_event(query, epsilon);
  context.reservation.debit(event);
  const auto rate = internal::score_rate(rational, sum.sensitivity(query.adjacency), Movement::any);
  const auto pulls = internal::pulls_of(sum, query.grid, query.radius);
  const auto cells = internal::score_cells(
      pulls, query.grid.last(), sum.max_fall(),
      static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator));
  random::Stream stream(context.claim(random::Purpose::selection));
  const std::int64_t point = internal::draw_point(pulls, cells, rate, stream);
  return {AccessKeys::key(), query.grid.point(point), event};
}

}  // namespace tacet::mechanism
