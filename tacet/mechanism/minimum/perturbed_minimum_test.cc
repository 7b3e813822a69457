#include "tacet/mechanism/minimum/perturbed_minimum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace perturbed_minimum_test {

using privacy::Adjacency;

using numeric::infinity;

privacy::Reservation reserved(privacy::TrustingBudget& budget, const privacy::Event& event) {
  return budget.reserve(event, {infinity, 1e-5, Adjacency::replace_one});
}

// Without records the minimiser is -b / regularization.
constexpr double regularization = 4;
std::vector<double> empty_minimiser(std::span<const double> linear) {
  std::vector<double> point;
  for (const double b : linear) point.push_back(-b / regularization);
  return point;
}

double mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

// 20,000 coordinates: a mean square has a relative deviation of 1/100; six of them, one failure in
// 10^9 tests.
TEST(PerturbedMinimum, AddsBothNoises) {
  constexpr std::size_t columns = 20000;
  for (const double output : {.001, 5.0}) {
    const privacy::ObjectivePerturbation event{3, 1, .25, regularization, 1e-4, output};
    random::SeededSource source(1);
    privacy::TrustingBudget budget(Adjacency::replace_one);
    auto reservation = reserved(budget, event);
    const auto released =
        release_perturbed_minimum(event, columns, empty_minimiser, {{}, source, reservation});
    const double expected = 9 / (regularization * regularization) + output * output;
    EXPECT_NEAR(mean_square(released.value()) / expected, 1, .06);
    EXPECT_EQ(released.event(), privacy::Event(event));
    EXPECT_EQ(reservation.spent(), privacy::Event(event));
    // A second release is more than was reserved.
    EXPECT_THROW((void)release_perturbed_minimum(event, columns, empty_minimiser,
                                                 {{.step = 1}, source, reservation}),
                 base::BudgetError);
  }
}

TEST(PerturbedMinimum, ThePureFormHasGammaNorms) {
  constexpr std::size_t columns = 25;
  const PurePerturbation pure{
      privacy::Epsilon(1),
      Adjacency::add_remove,
      {.linear = 2, .output = 1e-6, .distance = 1e-8, .regularization = regularization}};
  random::SeededSource source(2);
  privacy::TrustingBudget budget(Adjacency::add_remove);
  const privacy::Event event = privacy::PureDp{1, Adjacency::add_remove};
  double sum = 0;
  constexpr int runs = 100;
  for (std::uint64_t run = 0; run < runs; ++run) {
    auto reservation = budget.reserve(event, {1, 0, Adjacency::add_remove});
    const auto released = release_purely_perturbed_minimum(pure, columns, empty_minimiser,
                                                           {{.step = run}, source, reservation});
    sum += std::sqrt(mean_square(released.value()) * static_cast<double>(columns));
    EXPECT_EQ(released.event(), event);
  }
  // Norms are Gamma of shape 25 and scale 2 / 4: mean 12.5, standard deviation 2.5.
  EXPECT_NEAR(sum / runs, 12.5, 6 * 2.5 / std::sqrt(runs));
}

// A search that ends by its last resort returns another point within the tolerance: it gets the
// same noise as one that ends at once, to the last bit.
TEST(PerturbedMinimum, TheCourseOfTheSolverLeavesTheNoiseAlone) {
  const privacy::ObjectivePerturbation event{3, 1, .25, regularization, 1e-4, .01};
  const double grid = minimum_grids({.linear = 3,
                                     .output = .01,
                                     .distance = 1e-4 / regularization,
                                     .regularization = regularization},
                                    50)
                          .output;
  const auto released = [&](double off) {
    random::SeededSource source(4);
    privacy::TrustingBudget budget(Adjacency::replace_one);
    auto reservation = reserved(budget, event);
    return release_perturbed_minimum(event, 50,
                                     [&](std::span<const double> linear) {
                                       auto point = empty_minimiser(linear);
                                       for (double& w : point)
                                         w = grid * std::nearbyint(w / grid) + off;
                                       return point;
                                     },
                                     {{}, source, reservation})
        .value();
  };
  const auto fast = released(0);
  const auto last_resort = released(3 * grid);
  for (std::size_t j = 0; j < fast.size(); ++j) EXPECT_EQ(last_resort[j] - fast[j], 3 * grid);
}

// The solver sees multiples of a power of two, and what is released lies on the output's grid.
TEST(PerturbedMinimum, EverythingLiesOnItsGrid) {
  const privacy::ObjectivePerturbation event{3, 1, .25, regularization, 1e-4, .01};
  constexpr double distance = 1e-4 / regularization;
  const auto grids = minimum_grids(
      {.linear = 3, .output = .01, .distance = distance, .regularization = regularization}, 50);
  EXPECT_EQ(grids.linear, 0x1p-21);
  EXPECT_EQ(grids.output, 0x1p-23);
  const double half_diagonal = .5 * std::sqrt(50.0);
  EXPECT_LE(half_diagonal * grids.output, distance / 32);
  EXPECT_LE(half_diagonal * grids.linear / regularization, distance / 32);
  // Never finer or coarser than what serves the noise.
  const auto fine = minimum_grids({1, 1, 1e-30, 1}, 50);
  EXPECT_EQ(fine.linear, 0x1p-30);
  EXPECT_EQ(fine.output, 0x1p-30);
  const auto coarse = minimum_grids({1, 1, 1, 1}, 1);
  EXPECT_EQ(coarse.linear, 0x1p-20);
  EXPECT_EQ(coarse.output, 0x1p-16);
  random::SeededSource source(3);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = reserved(budget, event);
  const auto released =
      release_perturbed_minimum(event, 50,
                                [&](std::span<const double> linear) {
                                  for (const double b : linear)
                                    EXPECT_EQ(b / grids.linear, std::nearbyint(b / grids.linear));
                                  return std::vector<double>(linear.size(), M_PI);
                                },
                                {{}, source, reservation});
  for (const double w : released.value()) {
    EXPECT_EQ(w / grids.output, std::nearbyint(w / grids.output));
  }
}

TEST(PerturbedMinimum, TheSolversToleranceLeavesRoomForBothRoundings) {
  const MinimumGrids grids{1e-3, 1e-4};
  EXPECT_NEAR(solver_tolerance(.01, 4, grids, 4), .01 - (1e-3 / 4 + 1e-4) * 1, 1e-12);
  EXPECT_LT(solver_tolerance(.01, 4, grids, 40000), 0);
  EXPECT_THROW((void)minimum_grids({0, 1, .1, 1}, 1), base::UsageError);
  EXPECT_THROW((void)minimum_grids({1, infinity, .1, 1}, 1), base::UsageError);
}

}  // namespace perturbed_minimum_test
}  // namespace tacet::mechanism
