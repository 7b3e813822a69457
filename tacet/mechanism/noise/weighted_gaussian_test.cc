#include "tacet/mechanism/noise/weighted_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace weighted_gaussian_test {

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

TEST(WeightedGaussian, EveryBlockHasNoiseOfItsOwnDeviation) {
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

}  // namespace weighted_gaussian_test
}  // namespace tacet::mechanism
