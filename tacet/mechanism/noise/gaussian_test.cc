#include "tacet/mechanism/noise/gaussian.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <utility>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace gaussian_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::NoiseMultiplier;

privacy::Reservation reservation_for(privacy::TrustingBudget& budget, double multiplier,
                                     std::int64_t times) {
  return budget.reserve(privacy::Repeated{times, privacy::Gaussian{multiplier}},
                        {1, 1e-6, Adjacency::add_remove});
}

struct Releaser {
  random::SeededSource source;
  privacy::TrustingBudget budget{Adjacency::add_remove};
  privacy::Reservation reservation;
  double multiplier;
  std::uint64_t step = 0;

  Releaser(std::uint64_t seed, double noise, std::int64_t times)
      : source(seed), reservation(reservation_for(budget, noise, times)), multiplier(noise) {}

  std::vector<double> operator()(const std::vector<std::int64_t>& values, double grid,
                                 std::int64_t bound) {
    return release_gaussian(
               BoundedSum::from_certified(privacy::Certifier::clipped(), values, grid, bound),
               NoiseMultiplier(multiplier), {{.step = step++}, source, reservation})
        .value();
  }
};

TEST(GaussianMechanism, AddsTheSameNoiseWhateverTheValues) {
  Releaser first(5, 2, 1);
  Releaser second(5, 2, 1);
  const std::vector<std::int64_t> values{0, 7, -3, 1 << 20, -(1LL << 40)};
  const auto noisy = first(values, 0.25, 1024);
  const auto noise = second({0, 0, 0, 0, 0}, 0.25, 1024);
  for (std::size_t j = 0; j < values.size(); ++j) {
    EXPECT_EQ(noisy[j], noise[j] + 0.25 * static_cast<double>(values[j]));
  }
}

// Memory that is lent changes where a release lies, whatever is left in it, and nothing else.
TEST(GaussianMechanism, ReusesTheMemoryOfAReleaseThatIsDoneWith) {
  Releaser fresh(5, 2, 2);
  Releaser lent(5, 2, 2);
  const std::vector<std::int64_t> values{0, 7, -3};
  for (const std::size_t room : {std::size_t{2}, std::size_t{100}}) {
    std::vector<double> storage(room, 17.0);
    const double* place = storage.data();
    const auto noisy = release_gaussian(
        BoundedSum::from_certified(privacy::Certifier::clipped(), values, 0.25, 1024),
        NoiseMultiplier(2), {{.step = lent.step++}, lent.source, lent.reservation},
        std::move(storage));
    EXPECT_EQ(noisy.value(), fresh(values, 0.25, 1024));
    EXPECT_EQ(noisy.value().data() == place, room >= values.size());
  }
}

// Neighbouring inputs reach the same outputs: all multiples of the grid.
TEST(GaussianMechanism, ReleasesMultiplesOfTheGrid) {
  Releaser release(6, 3, 50);
  for (int i = 0; i < 50; ++i) {
    for (const double value : release({i, 2 * i + 1, -i}, 0x1p-20, 4096)) {
      EXPECT_EQ(std::nearbyint(value * 0x1p20), value * 0x1p20);
    }
  }
}

TEST(GaussianMechanism, NoiseHasTheStatedDeviation) {
  constexpr std::size_t draws = 400000;
  Releaser release(7, 1.5, 1);
  double square = 0;
  for (const double value : release(std::vector<std::int64_t>(draws, 0), 1.0, 2048)) {
    square += value * value;
  }
  const double expected = 1.5 * 1.5 * 2048 * 2048 + 1.0 / 12;
  // 6.2 standard errors of a mean of squared normals: false alarm 1e-9.
  EXPECT_NEAR(square / draws / expected, 1, 6.2 * std::sqrt(2.0 / draws));
}

// The largest mu of a Gaussian pair that both error rates of a threshold test refute, from exact
// binomial bounds at level 1e-9 each (Nasr et al. 2023). N outputs a side.
double audited_mu(double multiplier, double shift_in_bounds, int trials) {
  const boost::math::normal normal;
  constexpr std::int64_t bound = 4096;
  const auto shift = static_cast<std::int64_t>(shift_in_bounds * bound);
  const auto count = static_cast<std::size_t>(trials);
  Releaser release(8, multiplier, 2);
  const auto low = release(std::vector<std::int64_t>(count, 0), 1.0, bound);
  const auto high = release(std::vector<std::int64_t>(count, shift), 1.0, bound);
  const double threshold = static_cast<double>(shift) / 2;
  std::int64_t false_positives = 0;
  std::int64_t false_negatives = 0;
  for (std::size_t i = 0; i < count; ++i) {
    false_positives += low[i] > threshold ? 1 : 0;
    false_negatives += high[i] <= threshold ? 1 : 0;
  }
  const double positives = test::binomial_upper_bound(false_positives, trials, 1e-9);
  const double negatives = test::binomial_upper_bound(false_negatives, trials, 1e-9);
  return boost::math::quantile(normal, 1 - positives) - boost::math::quantile(normal, negatives);
}

TEST(GaussianMechanism, AuditStaysBelowTheClaimAndFindsPlantedFaults) {
  // Calibrated for epsilon 1, delta 1e-5 under add_remove.
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5));
  constexpr int trials = 200000;
  EXPECT_LE(audited_mu(1 / mu, 1, trials), mu);
  EXPECT_GE(audited_mu(1 / mu, 1, trials), 0.7 * mu);
  // Faults: half the noise; variance taken for standard deviation; replace_one accounted at
  // distance C.
  EXPECT_GT(audited_mu(0.5 / mu, 1, trials), mu);
  EXPECT_GT(audited_mu(1 / mu / std::sqrt(2), 1, trials), mu);
  EXPECT_GT(audited_mu(1 / mu, 2, trials), mu);
}

TEST(GaussianMechanism, DebitsTheReservationAndStopsWhenItIsSpent) {
  Releaser release(9, 2, 3);
  for (int i = 0; i < 3; ++i) (void)release({1}, 1.0, 16);
  EXPECT_THROW((void)release({1}, 1.0, 16), base::BudgetError);
}

TEST(GaussianMechanism, RefusesAnotherNoiseThanReserved) {
  Releaser release(10, 2, 3);
  release.multiplier = 1.9;
  EXPECT_THROW((void)release({1}, 1.0, 16), base::BudgetError);
}

TEST(GaussianMechanism, RefusesToUseANoiseAddressTwice) {
  Releaser release(11, 2, 3);
  (void)release({1}, 1.0, 16);
  release.step = 0;
  EXPECT_THROW((void)release({1}, 1.0, 16), base::InternalError);
}

TEST(GaussianMechanism, RefusesNoiseThatProtectsNothingOrLeavesTheGrid) {
  Releaser none(12, 0, 1);
  EXPECT_THROW((void)none({1}, 1.0, 16), base::UsageError);
  EXPECT_NO_THROW(none.reservation.cancel());  // nothing was debited
  Releaser wide(13, 1e9, 1);
  EXPECT_THROW((void)wide({1}, 1.0, 1 << 20), base::UsageError);
  EXPECT_NO_THROW(wide.reservation.cancel());
}

TEST(GaussianMechanism, ReturnsTheEventItCost) {
  random::SeededSource source(1);
  privacy::TrustingBudget budget(Adjacency::add_remove);
  auto reservation = reservation_for(budget, 2.5, 1);
  const auto released =
      release_gaussian(BoundedSum::from_certified(privacy::Certifier::clipped(), {1, 2}, 1.0, 16),
                       NoiseMultiplier(2.5), {{}, source, reservation});
  EXPECT_EQ(released.event(), privacy::Event(privacy::Gaussian{2.5}));
}

}  // namespace gaussian_test
}  // namespace tacet::mechanism
