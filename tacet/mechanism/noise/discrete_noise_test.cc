#include "tacet/mechanism/noise/discrete_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace discrete_noise_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Event;
using privacy::NoiseMultiplier;
using test::Spender;

constexpr auto adjacency = Adjacency::add_remove;

BoundedSum sum_of(std::vector<std::int64_t> values, double grid, std::int64_t bound) {
  return BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), grid, bound);
}

TEST(DiscreteNoise, HasTheStatedLaws) {
  constexpr std::size_t draws = 100000;
  const std::vector<std::int64_t> zeros(draws, 0);
  const Event gaussian = discrete_gaussian_event(sum_of(zeros, 1, 1), NoiseMultiplier(1.5));
  Spender first(1, gaussian, adjacency, 1);
  const auto normal = release_discrete_gaussian(sum_of(zeros, 1, 1), NoiseMultiplier(1.5),
                                                {{}, first.source, first.reservation});
  EXPECT_EQ(normal.event(), Event(privacy::DiscreteGaussian{1.5, 1, draws}));
  const Event laplace = discrete_laplace_event(sum_of(zeros, 1, 1), NoiseMultiplier(2.5));
  Spender second(1, laplace, adjacency, 1);
  const auto exponential = release_discrete_laplace(sum_of(zeros, 1, 1), NoiseMultiplier(2.5),
                                                    {{}, second.source, second.reservation});
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

TEST(DiscreteNoise, EventsAreOfTheSumsOwnBoundAndDimension) {
  const auto sum = sum_of({1, 2, 3, 4}, 0.25, 6);
  EXPECT_EQ(discrete_gaussian_event(sum, NoiseMultiplier(2)),
            Event(privacy::DiscreteGaussian{12, 6, 4}));
  // sqrt(4) 6 = 12 bounds the L1 norm of a record of four cells.
  EXPECT_EQ(discrete_laplace_event(sum, NoiseMultiplier(2)),
            Event(privacy::DiscreteLaplace{24, 12}));
}

TEST(DiscreteNoise, IsDebitedBeforeItIsDrawn) {
  const auto zeros = [] { return sum_of({0}, 1, 1); };
  const auto event = discrete_gaussian_event(zeros(), NoiseMultiplier(3));
  Spender spender(1, event, adjacency, 1);
  (void)release_discrete_gaussian(zeros(), NoiseMultiplier(3),
                                  {spender.next(), spender.source, spender.reservation});
  const auto next = spender.next();
  EXPECT_THROW((void)release_discrete_gaussian(zeros(), NoiseMultiplier(3),
                                               {next, spender.source, spender.reservation}),
               base::BudgetError);
  EXPECT_THROW((void)release_discrete_laplace(zeros(), NoiseMultiplier(3),
                                              {next, spender.source, spender.reservation}),
               base::BudgetError);
  // The refused ones took no noise from that place.
  EXPECT_NO_THROW((void)spender.source.claim(random::Purpose::noise, next.step, next.tensor));
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

}  // namespace discrete_noise_test
}  // namespace tacet::mechanism
