#include "tacet/mechanism/noise/laplace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace laplace_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Event;
using privacy::NoiseMultiplier;
using test::Spender;

constexpr auto adjacency = Adjacency::add_remove;

BoundedSum sum_of(std::vector<std::int64_t> values, double grid, std::int64_t bound) {
  return BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), grid, bound);
}

TEST(LaplaceMechanism, HasTheStatedScaleAndStaysOnTheGrid) {
  constexpr std::size_t draws = 200000;
  const Event event = privacy::Laplace{2};
  Spender spender(1, event, adjacency, 1);
  // L1 norm bound min(5^2, ...) = 25 grid units of 1/4.
  const auto released =
      release_laplace(sum_of(std::vector<std::int64_t>(draws, 8), 0.25, 5), NoiseMultiplier(2),
                      {{}, spender.source, spender.reservation});
  EXPECT_EQ(released.event(), event);
  double sum = 0;
  for (const double value : released.value()) {
    EXPECT_EQ(std::nearbyint(value * 4), value * 4);
    sum += std::fabs(value - 2);
  }
  // Mean |X| = scale = 12.5 with standard deviation 12.5; rounding to 1/4 changes it by 1e-4.
  EXPECT_NEAR(sum / draws, 12.5, 6.2 * 12.5 / std::sqrt(draws) + 1e-3);
  // Rounded up, or exact.
  EXPECT_GE(accounting::epsilon(event, adjacency, Delta(0)), 0.5);
  EXPECT_LE(accounting::epsilon(event, adjacency, Delta(0)), std::nextafter(0.5, 1));
}

// The rounding of real Laplace noise of scale b: P(k) is the integral from k - 1/2 to k + 1/2.
TEST(LaplaceMechanism, HasTheRoundedLaw) {
  constexpr std::size_t draws = 100000;
  constexpr int reach = 8;
  constexpr double scale = 2.5;
  Spender spender(2, privacy::Laplace{scale}, adjacency, 1);
  const auto released =
      release_laplace(sum_of(std::vector<std::int64_t>(draws, 0), 1, 1), NoiseMultiplier(scale),
                      {{}, spender.source, spender.reservation});
  std::vector<std::int64_t> seen(2 * reach + 2);
  for (const double value : released.value()) {
    const bool far = std::fabs(value) > reach;
    ++seen[far ? 2 * reach + 1 : static_cast<std::size_t>(value + reach)];
  }
  std::vector<double> expected;
  const auto above = [](double x) { return 0.5 * std::exp(-x / scale); };
  for (int k = -reach; k <= reach; ++k) {
    const double p =
        k == 0 ? 1 - 2 * above(0.5) : above(std::abs(k) - 0.5) - above(std::abs(k) + 0.5);
    expected.push_back(p * draws);
  }
  expected.push_back(2 * above(reach + 0.5) * draws);
  EXPECT_GT(test::chi_square_p_value(seen, expected), test::false_alarm_rate);
}

TEST(LaplaceMechanism, RefusesNoNoise) {
  Spender spender(1, privacy::Laplace{0}, adjacency, 1);
  EXPECT_THROW((void)release_laplace(sum_of({0}, 1, 1), NoiseMultiplier(0),
                                     {{}, spender.source, spender.reservation}),
               base::UsageError);
  Spender wide(1, privacy::Laplace{1e9}, adjacency, 1);
  EXPECT_THROW((void)release_laplace(sum_of({0}, 1, 1 << 20), NoiseMultiplier(1e9),
                                     {{}, wide.source, wide.reservation}),
               base::UsageError);
  const Event event = l2_laplace_event(Epsilon(1e-9), adjacency);
  Spender euclidean(1, event, adjacency, 1);
  EXPECT_THROW((void)release_l2_laplace(sum_of({0}, 1, 1 << 20), Epsilon(1e-9), adjacency,
                                        {{}, euclidean.source, euclidean.reservation}),
               base::UsageError);
  for (auto* refused : {&spender, &wide, &euclidean}) {
    EXPECT_NO_THROW(refused->reservation.cancel());  // nothing was debited
  }
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
  Spender spender(3, privacy::Repeated{repetitions, event}, adjacency, 1);
  double sum = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto released = release_l2_laplace(
        sum_of(std::vector<std::int64_t>(dimension, 0), 0x1p-10, 1 << 10), Epsilon(0.5), adjacency,
        {{.step = static_cast<std::uint64_t>(i)}, spender.source, spender.reservation});
    double square = 0;
    for (const double value : released.value()) square += value * value;
    sum += std::sqrt(square);
  }
  // Length: Gamma(10) at scale sensitivity/epsilon = 2: mean 20, standard deviation 2 sqrt(10).
  EXPECT_NEAR(sum / repetitions, 20, 6.2 * 2 * std::sqrt(10.0 / repetitions));
  EXPECT_EQ(event, Event(privacy::PureDp{0.5, adjacency}));
  EXPECT_THROW(
      (void)release_l2_laplace(sum_of({0}, 1, 1), Epsilon(std::numeric_limits<double>::infinity()),
                               adjacency, {{}, spender.source, spender.reservation}),
      base::Error);
}

}  // namespace laplace_test
}  // namespace tacet::mechanism
