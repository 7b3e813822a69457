#include "tacet/mechanism/point/inverse_sensitivity.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace inverse_sensitivity_test {

using privacy::Adjacency;
using privacy::Epsilon;

/// Mean, normaliser over the domain and shares of the law exp(-rate G) on a fine grid.
struct FineLaw {
  double log_normaliser = 0;
  double mean = 0;
  std::vector<random::WeightedLevel> runs;
  double lower = 0;
  double step = 0;
  double rate = 0;
  double total = 0;

  FineLaw(const PiecewiseLinearSum& sum, const Grid& grid, double radius, double epsilon)
      : runs(internal::slope_runs(sum.open(AccessKeys::key()), grid,
                                  static_cast<std::int64_t>(std::nearbyint(radius / grid.step())))),
        lower(grid.lower()),
        step(grid.step()),
        rate(0.5 * epsilon / static_cast<double>(sum.sensitivity(Adjacency::replace_one))) {
    double first = 0;
    for (const auto& run : runs) {
      const auto count = static_cast<double>(run.count);
      const double mass = count * std::exp(-rate * static_cast<double>(run.level));
      total += mass;
      mean += mass * (lower + (first + 0.5 * (count - 1)) * step);
      first += count;
    }
    mean /= total;
    log_normaliser = std::log(total * step);
  }
  [[nodiscard]] double below(double x) const {
    double sum = 0;
    double left = (x - lower) / step;
    for (const auto& run : runs) {
      const double count = std::min(left, static_cast<double>(run.count));
      if (count <= 0) break;
      sum += count * std::exp(-rate * static_cast<double>(run.level));
      left -= count;
    }
    return sum / total;
  }
};

// Reference values of the continuous laws computed at 12 digits; the grid has 2^24 points.
constexpr double tolerance = 3e-6;

PiecewiseLinearSum distances(const std::vector<double>& values) {
  PiecewiseLinearSum sum(-1, 1);
  for (const double s : values) sum.add(-1, std::array{Breakpoint{s, 2}});
  return sum;
}

TEST(MinimiserLaw, OfDistancesMatchesReferenceValues) {
  const auto sum = distances({0.1, 0.2, 0.25, 0.4, 0.9});
  const Grid grid(0, 1, 0x1p-24);
  const FineLaw sharp(sum, grid, 0, 1);
  EXPECT_NEAR(sharp.log_normaliser, -0.700209968167, tolerance);
  EXPECT_NEAR(sharp.below(.1), .057707096419, tolerance);
  EXPECT_NEAR(sharp.below(.25), .231282089541, tolerance);
  EXPECT_NEAR(sharp.below(.9), 1 - .057707096419, tolerance);
  EXPECT_NEAR(sharp.mean, .475311506307, tolerance);
  const FineLaw wide(sum, grid, 0.05, 1);
  EXPECT_NEAR(wide.log_normaliser, -0.565932200632, tolerance);
  EXPECT_NEAR(wide.below(.25), .265047256641, tolerance);
  EXPECT_NEAR(wide.below(.5), .600426251447, tolerance);
  EXPECT_NEAR(wide.mean, .457881742208, tolerance);
  const FineLaw strict(sum, grid, 0.05, 3);
  EXPECT_NEAR(strict.log_normaliser, -1.346825140882, tolerance);
  EXPECT_NEAR(strict.below(.5), .813102072978, tolerance);
}

// For an odd number of values the replacements until a point is the median are half the slope,
// rounded up.
TEST(MinimiserLaw, OfDistancesCountsReplacementsOfTheMedian) {
  const Grid grid(0, 1, 0x1p-4);
  const auto runs =
      internal::slope_runs(distances({0.1, 0.2, 0.25, 0.4, 0.9}).open(AccessKeys::key()), grid, 0);
  std::vector<std::int64_t> replacements;
  for (const auto& run : runs) {
    const double halves = static_cast<double>(run.level) * 0x1p-21;
    replacements.insert(replacements.end(), run.count,
                        static_cast<std::int64_t>(std::ceil(halves)));
  }
  EXPECT_EQ(replacements,
            (std::vector<std::int64_t>{3, 3, 2, 2, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3}));
}

TEST(MinimiserLaw, OfPinballLossesMatchesReferenceValues) {
  PiecewiseLinearSum sum(-0.9, 0.1);
  for (const double s : {0.1, 0.2, 0.25, 0.4, 0.9}) {
    sum.add(-0.9, std::array{Breakpoint{s, 1}});
  }
  const FineLaw law(sum, Grid(0, 1, 0x1p-24), 0.02, 2);
  EXPECT_NEAR(law.log_normaliser, -.836394154911, tolerance);
  EXPECT_NEAR(law.below(.25), .028793386982, tolerance);
  EXPECT_NEAR(law.below(.5), .263729100376, tolerance);
  EXPECT_NEAR(law.mean, .658057086042, tolerance);
}

TEST(MinimiserLaw, OfAbsoluteErrorsMatchesReferenceValues) {
  PiecewiseLinearSum sum(-1, 1);
  const std::vector<std::pair<double, double>> records{{1, .3},    {-.5, .1},  {.8, .6},
                                                       {.25, -.2}, {-1, -.55}, {0, .4}};
  for (const auto& [a, y] : records) {
    if (a != 0) sum.add(-std::fabs(a), std::array{Breakpoint{y / a, 2 * std::fabs(a)}});
  }
  const FineLaw law(sum, Grid(-1, 1, 0x1p-23), 0.01, 2);
  EXPECT_NEAR(law.log_normaliser, -.325571290066, tolerance);
  EXPECT_NEAR(law.mean, .151241770208, tolerance);
  EXPECT_NEAR(law.below(.56) - law.below(.54), .027696431097, tolerance);
}

TEST(MinimiserLaw, OfHingeLossesMatchesReferenceValues) {
  PiecewiseLinearSum sum(-1, 1);
  for (const double z : {.9, -.4, .7, 1.0, -.2}) {
    sum.add(z > 0 ? -z : 0, std::array{Breakpoint{1 / z, std::fabs(z)}});
  }
  const FineLaw law(sum, Grid(-4, 4, 0x1p-21), 0.1, 1);
  EXPECT_NEAR(law.log_normaliser, 1.725357434829, tolerance);
  EXPECT_NEAR(law.mean, .404450894604, 4 * tolerance);
}

/// |a x - y| for random a, y, hinge and pinball losses.
void add_random_loss(PiecewiseLinearSum& sum, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> any(-1, 1);
  const double a = any(generator);
  const double y = any(generator);
  switch (generator() % 4) {
    case 0:
      sum.add(-std::fabs(a), std::array{Breakpoint{y / a, 2 * std::fabs(a)}});
      break;
    case 1:
      sum.add(a > 0 ? -a : 0, std::array{Breakpoint{1 / a, std::fabs(a)}});
      break;
    case 2:
      sum.add(-.3, std::array{Breakpoint{y, 1}});
      break;
    default:
      sum.add(-1, std::array{Breakpoint{y - .1, 1}, Breakpoint{y + .1, 1}});
  }
}

std::vector<double> log_law(const PiecewiseLinearSum& sum, const Grid& grid, std::int64_t radius,
                            double epsilon, Adjacency adjacency) {
  const double rate = 0.5 * epsilon / static_cast<double>(sum.sensitivity(adjacency));
  std::vector<double> result;
  double total = 0;
  for (const auto& run : internal::slope_runs(sum.open(AccessKeys::key()), grid, radius)) {
    const double log_mass = -rate * static_cast<double>(run.level);
    result.insert(result.end(), run.count, log_mass);
    total += static_cast<double>(run.count) * std::exp(log_mass);
  }
  for (double& value : result) value -= std::log(total);
  return result;
}

TEST(MinimiserLaw, FourThousandNeighboursNeverBeatEpsilon) {
  const Grid grid(-1, 1, 0.03125);
  constexpr double epsilon = 1.7;
  double worst = 0;
  for (std::uint64_t trial = 0; trial < 4000; ++trial) {
    const auto adjacency = trial % 2 == 0 ? Adjacency::replace_one : Adjacency::add_remove;
    PiecewiseLinearSum one(-1, 1);
    PiecewiseLinearSum other(-1, 1);
    std::mt19937_64 common(trial);
    std::mt19937_64 same(trial);
    for (std::uint64_t i = 0; i < trial % 7; ++i) {
      add_random_loss(one, common);
      add_random_loss(other, same);
    }
    add_random_loss(one, common);
    if (adjacency == Adjacency::replace_one) {
      same.discard(50);
      add_random_loss(other, same);
    }
    const auto radius = static_cast<std::int64_t>(trial % 3);
    const auto p = log_law(one, grid, radius, epsilon, adjacency);
    const auto q = log_law(other, grid, radius, epsilon, adjacency);
    for (std::size_t j = 0; j < p.size(); ++j) worst = std::max(worst, std::fabs(p[j] - q[j]));
  }
  EXPECT_LE(worst, epsilon * (1 + 1e-9));
  EXPECT_GT(worst, 0.4 * epsilon);
}

// Records whose slopes break the public bounds are clipped: they move no more than others do.
TEST(MinimiserLaw, HoldsForRecordsBeyondTheirBounds) {
  const Grid grid(-1, 1, 0.125);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  PiecewiseLinearSum one(-1, 1);
  PiecewiseLinearSum other(-1, 1);
  for (auto* sum : {&one, &other}) sum->add(-1, std::array{Breakpoint{0.2, 2}});
  one.add(-1000, std::array{Breakpoint{0.9, 5000}, Breakpoint{nan, nan}, Breakpoint{0, -3}});
  other.add(nan, std::array{Breakpoint{-1, 1e308}, Breakpoint{0.1, 1e308}});
  const auto p = log_law(one, grid, 0, 1, Adjacency::replace_one);
  const auto q = log_law(other, grid, 0, 1, Adjacency::replace_one);
  for (std::size_t j = 0; j < p.size(); ++j) EXPECT_LE(std::fabs(p[j] - q[j]), 1 + 1e-9);
}

double minimiser(const PiecewiseLinearSum& sum, const MinimiserQuery& query, double epsilon) {
  random::SeededSource source(1);
  privacy::TrustingBudget budget(query.adjacency);
  auto reservation =
      budget.reserve(minimiser_event(query, Epsilon(epsilon)), {epsilon, 0, query.adjacency});
  return release_minimiser(sum, query, Epsilon(epsilon), {{}, source, reservation}).value();
}

TEST(Minimiser, IsTheExactOneAtALargeEpsilon) {
  PiecewiseLinearSum sum(-1, 1);
  for (int i = 0; i < 101; ++i) sum.add(-1, std::array{Breakpoint{0.01 * i, 2}});
  EXPECT_NEAR(minimiser(sum, {Grid(0, 1, 0.01), Adjacency::replace_one}, 1e5), 0.5, 1e-9);
  // A minimiser at the boundary counts as one.
  PiecewiseLinearSum falling(-1, 1);
  for (int i = 0; i < 50; ++i) falling.add(-1, {});
  EXPECT_EQ(minimiser(falling, {Grid(0, 1, 0.25), Adjacency::add_remove}, 1e5), 1);
}

TEST(Minimiser, RefusesWhatMakesNoSense) {
  EXPECT_THROW(PiecewiseLinearSum(1, 1), base::UsageError);
  EXPECT_THROW(PiecewiseLinearSum(0, std::numeric_limits<double>::infinity()), base::UsageError);
  const PiecewiseLinearSum sum(-1, 1);
  EXPECT_THROW((void)minimiser(sum, {Grid(0, 1), Adjacency::replace_one, -1}, 1), base::UsageError);
}

}  // namespace inverse_sensitivity_test
}  // namespace tacet::mechanism
