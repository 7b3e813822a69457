#include "tacet/mechanism/noise/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

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

TEST(GaussianMechanism, NoiseHasTheStatedStandardDeviation) {
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

using privacy::Adjacency;
using privacy::NoiseMultiplier;
using privacy::WeightedSum;

privacy::Reservation reservation_for(privacy::TrustingBudget& budget, double multiplier,
                                     Adjacency adjacency) {
  return budget.reserve(privacy::Gaussian{multiplier}, {1, 1e-6, adjacency});
}

std::vector<double> release(WeightedSum sum, double multiplier, std::uint64_t seed) {
  privacy::TrustingBudget budget(Adjacency::add_remove);
  auto reservation = reservation_for(budget, multiplier, Adjacency::add_remove);
  random::SeededSource source(seed);
  return release_gaussian(std::move(sum), NoiseMultiplier(multiplier), {{}, source, reservation})
      .value();
}

TEST(WeightedGaussian, AddsTheSameNoiseWhateverTheValues) {
  const std::vector<WeightedSum::Block> blocks{{2, 1000}, {1, 300}};
  const auto noisy =
      release(WeightedSum::from_certified(privacy::Certifier::clipped(), {5, -9, 1 << 30}, 0.5,
                                          blocks, Adjacency::add_remove),
              2, 3);
  const auto noise = release(WeightedSum::from_certified(privacy::Certifier::clipped(), {0, 0, 0},
                                                         0.5, blocks, Adjacency::add_remove),
                             2, 3);
  EXPECT_EQ(noisy[0] - noise[0], 2.5);
  EXPECT_EQ(noisy[1] - noise[1], -4.5);
  EXPECT_EQ(noisy[2] - noise[2], 0x1p29);
}

TEST(WeightedGaussian, EveryBlockHasNoiseOfItsOwnStandardDeviation) {
  constexpr std::size_t draws = 200000;
  const std::vector<double> scales{4000, 2828.4271247461902, 100};
  std::vector<WeightedSum::Block> blocks;
  for (const double scale : scales) blocks.push_back({draws, scale});
  const auto noise = release(WeightedSum::from_certified(privacy::Certifier::clipped(),
                                                         std::vector<std::int64_t>(3 * draws, 0), 1,
                                                         blocks, Adjacency::add_remove),
                             1.25, 11);
  for (std::size_t b = 0; b < scales.size(); ++b) {
    double square = 0;
    double beside = 0;  // with the same place of the next block
    for (std::size_t i = 0; i < draws; ++i) {
      const double value = noise[b * draws + i];
      square += value * value;
      beside += value * noise[(b + 1) % 3 * draws + i];
    }
    const double expected = std::pow(1.25 * scales[b], 2) + 1.0 / 12;
    const double mean_error = 1 / std::sqrt(static_cast<double>(draws));
    // 6.5 standard errors: false alarm 1e-10 each, six of them.
    EXPECT_NEAR(square / draws / expected, 1, 6.5 * std::sqrt(2.0) * mean_error);
    EXPECT_NEAR(beside / draws / (1.25 * 1.25 * scales[b] * scales[(b + 1) % 3]), 0,
                6.5 * mean_error);
  }
}

TEST(WeightedGaussian, DebitsOneGaussian) {
  privacy::TrustingBudget budget(Adjacency::zero_out);
  auto reservation = reservation_for(budget, 3, Adjacency::zero_out);
  random::SeededSource source(1);
  const auto released =
      release_gaussian(WeightedSum::from_certified(privacy::Certifier::clipped(), {1, 2}, 1,
                                                   {{1, 50}, {1, 70}}, Adjacency::zero_out),
                       NoiseMultiplier(3), {{}, source, reservation});
  EXPECT_EQ(released.event(), privacy::Event(privacy::Gaussian{3}));
  EXPECT_EQ(reservation.spent(), privacy::Event(privacy::Gaussian{3}));
}

// Two records may lie closer than their lengths allow: a bound of that kind says nothing about a
// record that is added.
TEST(WeightedGaussian, RefusesABoundOfAnotherAdjacencyBeforeTheDebit) {
  privacy::TrustingBudget budget(Adjacency::add_remove);
  auto reservation = reservation_for(budget, 1, Adjacency::add_remove);
  random::SeededSource source(1);
  auto sum = WeightedSum::from_certified(privacy::Certifier::clipped(), {1}, 1, {{1, 50}},
                                         Adjacency::replace_one);
  EXPECT_THROW(static_cast<void>(
                   release_gaussian(std::move(sum), NoiseMultiplier(1), {{}, source, reservation})),
               base::InternalError);
  reservation.cancel();  // which it could not after a debit
}

TEST(WeightedGaussian, RefusesNoNoiseAndNoiseBeyondItsGrid) {
  privacy::TrustingBudget budget(Adjacency::add_remove);
  random::SeededSource source(1);
  for (const double multiplier : {0.0, 0x1p30}) {
    auto reservation = reservation_for(budget, multiplier, Adjacency::add_remove);
    auto sum = WeightedSum::from_certified(privacy::Certifier::clipped(), {1, 1}, 1,
                                           {{1, 50}, {1, 10}}, Adjacency::add_remove);
    EXPECT_THROW(static_cast<void>(release_gaussian(std::move(sum), NoiseMultiplier(multiplier),
                                                    {{}, source, reservation})),
                 base::UsageError);
    reservation.cancel();
  }
}

TEST(WeightedSum, RefusesScalesAndBlocksThatMakeNoSense) {
  const auto make = [](double grid, std::vector<WeightedSum::Block> blocks) {
    return WeightedSum::from_certified(privacy::Certifier::clipped(), {1, 2}, grid,
                                       std::move(blocks), Adjacency::add_remove);
  };
  EXPECT_THROW(static_cast<void>(make(0, {{2, 1}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(1, {{2, 0}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(1, {{1, 1}, {1, INFINITY}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(1, {{1, 1}})), base::InternalError);
  EXPECT_EQ(make(1, {{1, 1}, {1, 2}}).size(), 2U);
  EXPECT_TRUE(make(1, {{2, 1}}).covers(Adjacency::replace_one));
}

}  // namespace gaussian_test

}  // namespace tacet::mechanism
