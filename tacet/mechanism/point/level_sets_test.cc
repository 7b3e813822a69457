#include "tacet/mechanism/point/level_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/random/choose/exponential_choice.h"

namespace tacet::mechanism::internal {
namespace level_sets_test {

using random::WeightedLevel;

std::vector<std::int64_t> unrolled(const std::vector<WeightedLevel>& runs) {
  std::vector<std::int64_t> levels;
  for (const auto& run : runs) levels.insert(levels.end(), run.count, run.level);
  return levels;
}

/// Keys of values on a grid of `steps` a unit, without rounding them to its points.
std::vector<Key> exact_keys(std::vector<double> values, double lower, double steps) {
  std::vector<Key> keys;
  for (const double value : values) {
    const double place = (value - lower) * steps;
    const auto floor = static_cast<std::int64_t>(std::floor(place));
    keys.push_back(static_cast<double>(floor) == place ? key_at(floor) : key_after(floor));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Pulls order_statistic(std::int64_t k, std::span<const Key> keys) {
  return {.left_pull = 1 - k, .right_pull = k, .keys = keys, .weights = {}};
}

std::vector<double> law(const std::vector<WeightedLevel>& runs, double epsilon) {
  const auto levels = unrolled(runs);
  std::vector<double> p;
  double sum = 0;
  for (const auto level : levels) {
    p.push_back(std::exp(-0.5 * epsilon * static_cast<double>(level)));
    sum += p.back();
  }
  for (auto& value : p) value /= sum;
  return p;
}

// Reference values for the values 0.1, 0.2, 0.25, 0.4, 0.9 on the grid j/16.
TEST(LevelRuns, GiveTheExactInverseSensitivityOfTheMedian) {
  const auto keys = exact_keys({0.1, 0.2, 0.25, 0.4, 0.9}, 0, 16);
  const auto runs = level_runs(order_statistic(3, keys), {16, 0});
  EXPECT_EQ(unrolled(runs),
            (std::vector<std::int64_t>{3, 3, 2, 2, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3}));
  const auto p = law(runs, 1);
  EXPECT_NEAR(p[0], .032888823957, 1e-12);
  EXPECT_NEAR(p[2], .054224503626, 1e-12);
  EXPECT_NEAR(p[4], .147397482865, 1e-12);
  EXPECT_NEAR(p[5], .089401092522, 1e-12);
}

TEST(LevelRuns, GiveTheExactInverseSensitivityOfTheMaximumWithinARadius) {
  // The radius 1/32 on the grid j/32; every other point is one of the grid j/16.
  const auto keys = exact_keys({0.1, 0.2, 0.25, 0.4, 0.9}, 0, 32);
  const auto levels = unrolled(level_runs(order_statistic(5, keys), {32, 1}));
  const std::vector<std::int64_t> expected{5, 5, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1};
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_EQ(levels[2 * j], expected[j]) << j;
}

std::vector<std::int64_t> random_points(std::mt19937_64& generator, std::size_t n,
                                        std::int64_t last) {
  std::uniform_int_distribution<std::int64_t> any(0, last);
  std::vector<std::int64_t> points(n);
  for (auto& point : points) point = any(generator);
  return points;
}

/// How many values must be replaced until the k-th smallest lies within `radius` of `target`: those
/// that are too many below or above.
std::int64_t replacements(std::vector<Key> keys, std::int64_t k, std::int64_t target,
                          std::int64_t radius) {
  std::sort(keys.begin(), keys.end());
  const auto within = [&](Key key) {
    return key >= key_at(target - radius) && key <= key_at(target + radius);
  };
  for (std::int64_t changed = 0;; ++changed) {
    // Replacing the values furthest off by the target is best: try the cheapest sets.
    for (std::int64_t low = 0; low <= changed; ++low) {
      auto copy = keys;
      for (std::int64_t i = 0; i < low; ++i) copy[static_cast<std::size_t>(i)] = key_at(target);
      for (std::int64_t i = 0; i < changed - low; ++i) {
        copy[copy.size() - 1 - static_cast<std::size_t>(i)] = key_at(target);
      }
      std::sort(copy.begin(), copy.end());
      if (within(copy[static_cast<std::size_t>(k - 1)])) return changed;
    }
  }
}

TEST(LevelRuns, CountReplacementsOfRandomValues) {
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 400; ++trial) {
    const std::int64_t last = 12;
    auto keys = random_points(generator, 1 + static_cast<std::size_t>(trial) % 7, 2 * last);
    std::sort(keys.begin(), keys.end());
    const std::int64_t radius = trial % 3;
    const std::int64_t k = 1 + trial % static_cast<std::int64_t>(keys.size());
    const auto levels = unrolled(level_runs(order_statistic(k, keys), {last, radius}));
    ASSERT_EQ(levels.size(), 13u);
    for (std::int64_t j = 0; j <= last; ++j) {
      EXPECT_EQ(levels[static_cast<std::size_t>(j)], replacements(keys, k, j, radius));
    }
  }
}

struct Piecewise {
  std::int64_t left_slope;
  std::vector<std::pair<Key, std::int64_t>> jumps;
};

/// min |slope + normal vector| over the points (and between them) within the radius.
std::int64_t smallest_slope(const Piecewise& f, std::int64_t j, GridShape grid) {
  std::int64_t best = INT64_MAX;
  const Key first = std::max<Key>(0, key_at(j - grid.radius));
  const Key last = std::min<Key>(key_at(grid.last), key_at(j + grid.radius));
  for (Key x = first; x <= last; ++x) {
    std::int64_t below = f.left_slope;
    std::int64_t above = f.left_slope;
    for (const auto& [key, jump] : f.jumps) {
      if (key < x) below += jump;
      if (key <= x) above += jump;
    }
    // The normal cone of the interval opens one end of the range of slopes.
    if (x == 0) below = std::min<std::int64_t>(below, 0);
    if (x == key_at(grid.last)) above = std::max<std::int64_t>(above, 0);
    best = std::min(best, std::max<std::int64_t>({0, below, -above}));
  }
  return best;
}

TEST(LevelRuns, GiveTheSmallestSlopeOfRandomConvexFunctions) {
  std::mt19937_64 generator(2);
  std::uniform_int_distribution<std::int64_t> any_jump(1, 9);
  for (int trial = 0; trial < 500; ++trial) {
    const GridShape grid{9, trial % 3};
    Piecewise f{.left_slope = static_cast<std::int64_t>(trial % 41) - 30, .jumps = {}};
    for (const Key key : random_points(generator, static_cast<std::size_t>(trial) % 7, 18)) {
      f.jumps.emplace_back(key, any_jump(generator));
    }
    std::sort(f.jumps.begin(), f.jumps.end());
    std::vector<Key> keys;
    std::vector<std::int64_t> weights;
    for (const auto& [key, jump] : f.jumps) {
      keys.push_back(key);
      weights.push_back(jump);
    }
    const Pulls pulls{
        .left_pull = f.left_slope, .right_pull = -f.left_slope, .keys = keys, .weights = weights};
    const auto levels = unrolled(level_runs(pulls, grid));
    ASSERT_EQ(levels.size(), 10u);
    for (std::int64_t j = 0; j <= grid.last; ++j) {
      EXPECT_EQ(levels[static_cast<std::size_t>(j)], smallest_slope(f, j, grid))
          << "trial " << trial << " point " << j;
    }
  }
}

// Asi, Duchi 2020: replacing one value moves no point's level by more than 1, so that no point's
// probability moves by more than a factor e^epsilon.
TEST(LevelRuns, FourThousandNeighboursNeverBeatEpsilon) {
  std::mt19937_64 generator(3);
  constexpr double epsilon = 1.3;
  constexpr std::int64_t last = 20;
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    auto keys = random_points(generator, 1 + static_cast<std::size_t>(trial) % 9, 2 * last);
    auto neighbour = keys;
    neighbour[0] = random_points(generator, 1, 2 * last)[0];
    std::sort(keys.begin(), keys.end());
    std::sort(neighbour.begin(), neighbour.end());
    const std::int64_t k = 1 + trial % static_cast<std::int64_t>(keys.size());
    const auto p = law(level_runs(order_statistic(k, keys), {last, trial % 4}), epsilon);
    const auto q = law(level_runs(order_statistic(k, neighbour), {last, trial % 4}), epsilon);
    for (std::size_t j = 0; j < p.size(); ++j) {
      worst = std::max(worst, std::fabs(std::log(p[j] / q[j])));
    }
  }
  EXPECT_LE(worst, epsilon * (1 + 1e-9));
  EXPECT_GT(worst, 0.5 * epsilon);
}

TEST(SortKeys, SortsShortAndLongLists) {
  std::mt19937_64 generator(4);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{300}, std::size_t{20000}}) {
    const std::int64_t bound = (std::int64_t{1} << 42) + 5;
    auto keys = random_points(generator, n, bound);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    sort_keys(keys, bound);
    EXPECT_EQ(keys, expected);
  }
}

}  // namespace level_sets_test
}  // namespace tacet::mechanism::internal
