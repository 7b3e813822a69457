#include "tacet/mechanism/point/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/point/level_sets.h"
#include "tacet/mechanism/select/rational_epsilon.h"

namespace tacet::mechanism {
namespace {

using internal::Key;
using internal::Pulls;

// Levels are rounded to billionths, so that 0.9 of ten values are exactly nine.
constexpr std::int64_t level_unit = 1'000'000'000;

/// The level a / b in lowest terms.
struct LevelRatio {
  std::int64_t a;
  std::int64_t b;
};

LevelRatio level_ratio(double level) {
  const std::int64_t a = std::llround(level * static_cast<double>(level_unit));
  const std::int64_t common = std::gcd(a, level_unit);
  return {a / common, level_unit / common};
}

void check(const QuantileQuery& query) {
  if (!(query.level >= 0 && query.level <= 1)) {
    throw base::UsageError("the level of a quantile must lie in [0, 1] (0.5 is the median), got {}",
                           query.level);
  }
  if (query.radius < 0 || query.radius > query.grid.last()) {
    throw base::UsageError("the radius must lie in 0..{} grid steps, got {}", query.grid.last(),
                           query.radius);
  }
}

std::vector<Key> sorted_keys(const std::vector<double>& values, const Grid& grid) {
  std::vector<Key> keys;
  keys.reserve(values.size());
  for (const double value : values) keys.push_back(internal::key_at(grid.nearest(value)));
  internal::sort_keys(keys, internal::key_at(grid.last()));
  return keys;
}

/// The runs of the score and by how much one neighbour moves it.
struct ScoredGrid {
  std::vector<random::WeightedLevel> runs;
  std::int64_t sensitivity;
};

ScoredGrid order_statistic(const std::vector<Key>& keys, const QuantileQuery& query) {
  if (keys.empty()) throw base::DataError("a quantile needs at least one value, got none");
  __extension__ using WideCount = __int128;
  const auto n = static_cast<std::int64_t>(keys.size());
  const LevelRatio level = level_ratio(query.level);
  const auto ceiling = static_cast<std::int64_t>((WideCount{level.a} * n + level.b - 1) / level.b);
  const std::int64_t k = std::clamp<std::int64_t>(ceiling, 1, n);
  const Pulls pulls{.left_pull = 1 - k, .right_pull = k, .keys = keys, .weights = {}};
  return {level_runs(pulls, {query.grid.last(), query.radius}), 1};
}

/// Pinball losses have slopes -a and b - a (over b). One record more changes the slope of the sum
/// by at most the steeper one.
ScoredGrid pinball(const std::vector<Key>& keys, const QuantileQuery& query) {
  const LevelRatio level = level_ratio(query.level);
  const auto n = static_cast<std::int64_t>(keys.size());
  const Pulls pulls{.left_pull = -level.a * n,
                    .right_pull = level.a * n,
                    .keys = keys,
                    .weights = {},
                    .common_weight = level.b};
  return {level_runs(pulls, {query.grid.last(), query.radius}),
          std::max(level.a, level.b - level.a)};
}

}  // namespace

privacy::Event quantile_event(const QuantileQuery& query, privacy::Epsilon epsilon) {
  // One record moves either loss by at most 1: docs/proofs/selection.md, section 5 for order
  // statistics, section 6 for sums of pinball losses.
  return privacy::BoundedRange{epsilon.value(), query.adjacency};
}

privacy::Released<double> release_quantile(const privacy::Private<std::vector<double>>& values,
                                           const QuantileQuery& query, privacy::Epsilon epsilon,
                                           const ReleaseContext& context) {
  check(query);
  const RationalEpsilon rational = round_down(epsilon);
  const auto event = quantile_event(query, epsilon);
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  const auto keys = sorted_keys(values.open(access), query.grid);
  const ScoredGrid scored = query.adjacency == privacy::Adjacency::replace_one
                                ? order_statistic(keys, query)
                                : pinball(keys, query);
  random::Stream stream(context.claim(random::Purpose::selection));
  const std::int64_t point =
      internal::choose_point(scored.runs, rational, scored.sensitivity, stream);
  return {access, query.grid.point(point), event};
}

}  // namespace tacet::mechanism
