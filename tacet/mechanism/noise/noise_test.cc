// Laplace and discrete noise on bounded sums; the classical Gaussian calibration.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/noise/discrete_noise.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/record_norm.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace noise_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Event;
using privacy::NoiseMultiplier;

constexpr auto adjacency = Adjacency::add_remove;

BoundedSum sum_of(std::vector<std::int64_t> values, double grid, std::int64_t bound) {
  return BoundedSum::from_certified(std::move(values), grid, bound);
}

struct Spender {
  random::SeededSource source;
  privacy::MemoryBudget budget{adjacency};
  privacy::Reservation reservation;

  Spender(std::uint64_t seed, const Event& event)
      : source(seed), reservation(budget.reserve(event, {1, 0, adjacency})) {}
};

TEST(AbsoluteNorm, IsTheSmallestBoundThatTheEuclideanOneImplies) {
  EXPECT_EQ(internal::absolute_norm_bound(sum_of({0}, 1, 1000)), 1000);
  EXPECT_EQ(internal::absolute_norm_bound(sum_of({0, 0, 0, 0}, 1, 1000)), 2000);
  EXPECT_EQ(internal::absolute_norm_bound(sum_of({0, 0}, 1, 1000)), 1415);
  // A count: one record, one cell.
  EXPECT_EQ(internal::absolute_norm_bound(sum_of({5, 2, 9, 1}, 1, 1)), 1);
  EXPECT_EQ(internal::absolute_norm_bound(sum_of({5, 2, 9, 1}, 1, 3)), 6);
  EXPECT_THROW((void)internal::absolute_norm_bound(sum_of({0, 0}, 1, INT64_MAX)), base::UsageError);
}

TEST(LaplaceMechanism, HasTheStatedScaleAndStaysOnTheGrid) {
  constexpr std::size_t draws = 200000;
  const Event event = privacy::Laplace{2};
  Spender spender(1, event);
  // L1 norm bound min(5^2, ...) = 25 grid units of 1/4.
  const auto released =
      release_laplace(sum_of(std::vector<std::int64_t>(draws, 8), 0.25, 5), NoiseMultiplier(2), {},
                      spender.source, spender.reservation);
  EXPECT_EQ(released.event(), event);
  double sum = 0;
  for (const double value : released.value()) {
    EXPECT_EQ(std::nearbyint(value * 4), value * 4);
    sum += std::fabs(value - 2);
  }
  // Mean |X| = scale = 12.5 with deviation 12.5; rounding to 1/4 changes it by 1e-4.
  EXPECT_NEAR(sum / draws, 12.5, 6.2 * 12.5 / std::sqrt(draws) + 1e-3);
  // Rounded up, or exact.
  EXPECT_GE(accounting::epsilon(event, adjacency, Delta(0)), 0.5);
  EXPECT_LE(accounting::epsilon(event, adjacency, Delta(0)), std::nextafter(0.5, 1));
}

TEST(LaplaceMechanism, RefusesNoNoise) {
  Spender spender(1, privacy::Laplace{0});
  EXPECT_THROW((void)release_laplace(sum_of({0}, 1, 1), NoiseMultiplier(0), {}, spender.source,
                                     spender.reservation),
               base::UsageError);
}

TEST(LaplaceMechanism, RoundedAndDiscreteNoiseHaveTheirOwnCosts) {
  // At t = D = 1 the discrete law is as bad as randomised response: tanh(1/2) at epsilon 0.
  const Event discrete = privacy::DiscreteLaplace{1, 1};
  const Event rounded = privacy::Laplace{1};
  const Delta delta(1e-6);
  const auto cost = [&](const Event& event) {
    return accounting::epsilon(privacy::Repeated{40, event}, adjacency, delta);
  };
  EXPECT_GT(cost(discrete), cost(rounded) * 1.02);
}

TEST(L2LaplaceMechanism, HasTheStatedMeanLengthAndCost) {
  constexpr int repetitions = 2000;
  constexpr std::size_t dimension = 10;
  const Event event = l2_laplace_event(Epsilon(0.5), adjacency);
  Spender spender(3, privacy::Repeated{repetitions, event});
  double sum = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto released = release_l2_laplace(
        sum_of(std::vector<std::int64_t>(dimension, 0), 0x1p-10, 1 << 10), Epsilon(0.5), adjacency,
        {.step = static_cast<std::uint64_t>(i)}, spender.source, spender.reservation);
    double square = 0;
    for (const double value : released.value()) square += value * value;
    sum += std::sqrt(square);
  }
  // Length: Gamma(10) at scale sensitivity/epsilon = 2: mean 20, deviation 2 sqrt(10).
  EXPECT_NEAR(sum / repetitions, 20, 6.2 * 2 * std::sqrt(10.0 / repetitions));
  EXPECT_EQ(event, Event(privacy::PureDp{0.5, adjacency}));
  EXPECT_THROW(
      (void)release_l2_laplace(sum_of({0}, 1, 1), Epsilon(std::numeric_limits<double>::infinity()),
                               adjacency, {}, spender.source, spender.reservation),
      base::Error);
}

TEST(DiscreteNoise, HasTheStatedLaws) {
  constexpr std::size_t draws = 100000;
  const std::vector<std::int64_t> zeros(draws, 0);
  const Event gaussian = discrete_gaussian_event(sum_of(zeros, 1, 1), NoiseMultiplier(1.5));
  Spender first(1, gaussian);
  const auto normal = release_discrete_gaussian(sum_of(zeros, 1, 1), NoiseMultiplier(1.5), {},
                                                first.source, first.reservation);
  EXPECT_EQ(normal.event(), Event(privacy::DiscreteGaussian{1.5, 1, draws}));
  const Event laplace = discrete_laplace_event(sum_of(zeros, 1, 1), NoiseMultiplier(2.5));
  Spender second(1, laplace);
  const auto exponential = release_discrete_laplace(sum_of(zeros, 1, 1), NoiseMultiplier(2.5), {},
                                                    second.source, second.reservation);
  EXPECT_EQ(exponential.event(), Event(privacy::DiscreteLaplace{2.5, 1}));
  const auto fits = [&](const std::vector<double>& values, const auto& weight) {
    constexpr int reach = 5;
    std::vector<std::int64_t> seen(2 * reach + 2);
    for (const double value : values) {
      const bool far = std::fabs(value) > reach;
      ++seen[far ? 2 * reach + 1 : static_cast<std::size_t>(value + reach)];
    }
    double total = 0;
    std::vector<double> expected(seen.size());
    for (int k = -200; k <= 200; ++k) {
      total += weight(k);
      const bool far = std::abs(k) > reach;
      expected[far ? 2 * reach + 1 : static_cast<std::size_t>(k + reach)] += weight(k);
    }
    for (auto& count : expected) count *= static_cast<double>(draws) / total;
    return test::chi_square_p_value(seen, expected);
  };
  EXPECT_GT(fits(normal.value(), [](int k) { return std::exp(-k * k / 4.5); }),
            test::false_alarm_rate);
  EXPECT_GT(fits(exponential.value(), [](int k) { return std::exp(-std::abs(k) / 2.5); }),
            test::false_alarm_rate);
}

TEST(DiscreteNoise, RefusesNoiseBeyondItsSamplers) {
  EXPECT_THROW((void)discrete_gaussian_event(sum_of({0}, 1, 1), NoiseMultiplier(0)),
               base::UsageError);
  EXPECT_THROW((void)discrete_gaussian_event(sum_of({0}, 1, 1 << 30), NoiseMultiplier(1)),
               base::UsageError);
  EXPECT_THROW((void)discrete_laplace_event(sum_of({0}, 1, 1), NoiseMultiplier(0)),
               base::UsageError);
  EXPECT_THROW((void)discrete_laplace_event(sum_of({0}, 1, 1), NoiseMultiplier(1e20)),
               base::UsageError);
}

}  // namespace noise_test
}  // namespace tacet::mechanism
