#include "tacet/learn/plan/gradient_diameter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/solver/local_minimum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace gradient_diameter_test {

using privacy::Adjacency;

// Independent computation over the same grid.
TEST(GradientDiameter, ReproducesTheIndependentNumbersOfTheLogisticLoss) {
  const std::pair<double, double> known[] = {
      {0.01, 1.003987973624}, {0.3, 1.016342194778}, {0.5, 1.035480005738}, {1, 1.107909820638},
      {2, 1.283542024630},    {3, 1.437545949855},   {5, 1.645643156569},   {10, 1.873650057277}};
  for (const auto& [radius, diameter] : known) {
    EXPECT_NEAR(logistic_diameter(3, radius), diameter, 1e-9) << radius;
  }
  EXPECT_EQ(logistic_diameter(1, 1.2), 1);
  EXPECT_EQ(logistic_diameter(7, std::numeric_limits<double>::infinity()), 2);
}

std::vector<double> random_point(std::mt19937_64& generator, std::size_t columns, double radius) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share;
  std::vector<double> point(columns);
  double square = 0;
  for (double& value : point) {
    value = normal(generator);
    square += value * value;
  }
  // Half of the points on the sphere: extremes are there.
  const double length = radius * std::min(1.0, 2 * share(generator));
  for (double& value : point) value *= length / std::sqrt(square);
  return point;
}

// Random search; a random pair must never lie further apart than the bound says.
TEST(GradientDiameter, NoPairOfRecordsIsFurtherApart) {
  std::mt19937_64 generator(11);
  for (const std::size_t columns : {1U, 2U, 3U}) {
    for (const double radius : {0.7, 3.0}) {
      const GradientRegion region{static_cast<std::int64_t>(columns), 1.5, radius};
      for (const model::Loss& loss :
           {model::Loss{model::LogisticLoss{}}, model::Loss{model::HingeLoss{}},
            model::Loss{model::SquaredLoss{}}, model::Loss{model::PinballLoss{.quantile = 0.9}}}) {
        const double replaced = gradient_diameter(loss, region, Adjacency::replace_one);
        const double zeroed = gradient_diameter(loss, region, Adjacency::zero_out);
        double furthest = 0;
        double longest = 0;
        for (int trial = 0; trial < 5000; ++trial) {
          const auto weights = random_point(generator, columns, radius);
          std::vector<double> difference(columns, 0.0);
          for (const double side : {1.0, -1.0}) {
            auto row = random_point(generator, columns, region.norm_bound);
            // Extremes lie along the weights or across them: half of the rows are along.
            if (trial % 2 == 0) {
              double length_of_weights = 0;
              for (const double w : weights) length_of_weights += w * w;
              const double scale = side * region.norm_bound / std::sqrt(length_of_weights);
              for (std::size_t j = 0; j < columns; ++j) row[j] = scale * weights[j];
            }
            double prediction = 0;
            for (std::size_t j = 0; j < columns; ++j) prediction += weights[j] * row[j];
            const double label = generator() % 2 == 0 ? 1.0 : -1.0;
            const double slope = model::loss_slope(loss, prediction, label);
            double length = 0;
            for (std::size_t j = 0; j < columns; ++j) {
              difference[j] += side * slope * row[j];
              length += slope * row[j] * slope * row[j];
            }
            longest = std::max(longest, std::sqrt(length));
          }
          double distance = 0;
          for (const double value : difference) distance += value * value;
          furthest = std::max(furthest, std::sqrt(distance));
        }
        EXPECT_LE(furthest, replaced * (1 + 1e-12)) << columns << " " << radius;
        EXPECT_LE(longest, zeroed * (1 + 1e-12)) << columns << " " << radius;
        // And it is not a vacuous bound.
        EXPECT_GE(furthest, 0.6 * replaced) << model::loss_name(loss) << columns << " " << radius;
      }
    }
  }
}

// Attained where it is claimed: one column, a row at each of the two worst places.
TEST(GradientDiameter, OfTheSquaredLossIsAttainedOnALine) {
  for (const double radius : {0.3, 0.5, 0.8, 4.0}) {
    double least = 0;
    double largest = 0;
    for (int i = -1000; i <= 1000; ++i) {
      for (const double label : {-1.0, 1.0}) {
        const double row = i * 1e-3;
        const double gradient = row * (row * radius - label);
        least = std::min(least, gradient);
        largest = std::max(largest, gradient);
      }
    }
    const double diameter = squared_diameter(1, radius);
    EXPECT_LE(largest - least, diameter);
    EXPECT_GE(largest - least, diameter * (1 - 1e-5)) << radius;
  }
  EXPECT_LT(squared_diameter(1, 4), 0.6 * 2 * 5);
  EXPECT_LE(squared_diameter(1, 4), squared_diameter(2, 4));
  EXPECT_THROW((void)squared_diameter(2, 0), base::UsageError);
}

/// What a mechanism would see: the minimiser at next to no noise.
std::vector<double> minimum_of(const data::Dataset& dataset,
                               const optimize::LocalProblem& problem) {
  base::ThreadPool pool(1);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  const privacy::Event event = privacy::Gaussian{1e-9};
  auto reservation = budget.reserve(
      event, {std::numeric_limits<double>::infinity(), 1e-5, Adjacency::replace_one});
  return mechanism::release_gaussian(optimize::local_minimum(dataset, problem, pool),
                                     privacy::NoiseMultiplier(1e-9), {{}, source, reservation})
      .value();
}

// Penalised minimisers of the squared loss around centres near the boundary of the ball, where
// gradients differ most: never further apart than the share that the diameter gives, and on a line
// as far.
TEST(GradientDiameter, MinimisersOfTheSquaredLossMoveNoFurtherThanItSays) {
  std::mt19937_64 generator(7);
  for (const std::size_t columns : {1U, 2U, 3U}) {
    for (const double radius : {0.4, 4.0}) {
      optimize::LocalProblem problem{
          .loss = optimize::GlmLoss(model::SquaredLoss{}, 0, radius + 1),
          .rows = {0, 2},
          .domain = optimize::Ball{radius},
          .gradient_share = squared_diameter(static_cast<std::int64_t>(columns), radius) / 2,
          .tolerance = 1e-7};
      double closest = 0;
      for (int trial = 0; trial < 200; ++trial) {
        problem.sum_l2 = trial % 2 == 0 ? 1 : 300;
        problem.centre = random_point(generator, columns, 0.98 * radius);
        const auto dataset_of = [&](double scale, double label) {
          data::Dataset dataset({.columns = static_cast<std::int64_t>(columns), .norm_bound = 1});
          double length = 0;
          for (const double w : problem.centre) length += w * w;
          std::vector<std::int16_t> row;
          for (const double w : problem.centre) {
            row.push_back(static_cast<std::int16_t>(2047 * scale * w / std::sqrt(length)));
          }
          dataset.append_dense(std::vector<std::int16_t>(columns, 500), 0.5);
          dataset.append_dense(row, label);
          return dataset;
        };
        const double shorter = trial % 4 < 2 ? 1 : std::min(1.0, 0.5 / radius);
        const auto here = minimum_of(dataset_of(1, -1), problem);
        const auto there = minimum_of(dataset_of(shorter, 1), problem);
        double square = 0;
        for (std::size_t j = 0; j < columns; ++j) square += std::pow(here[j] - there[j], 2);
        const double bound =
            2 * optimize::local_share(problem, 1, static_cast<std::int64_t>(columns));
        EXPECT_LE(std::sqrt(square), bound);
        closest = std::max(closest, std::sqrt(square) / bound);
      }
      EXPECT_GT(closest, columns == 1 ? 0.95 : 0.7) << columns << ' ' << radius;
    }
  }
}

// Random pairs again, slopes cut: predictions inside the target's range keep theirs.
TEST(GradientDiameter, OfACutLossHoldsForEveryPairAndIsThatOfTheLossWhereTheBallIsSmall) {
  std::mt19937_64 generator(5);
  const model::Loss losses[] = {model::SquaredLoss{}, model::PowerRegressionLoss{.exponent = 1.5},
                                model::SquaredEpsilonInsensitiveLoss{.insensitivity = 0.1}};
  for (const auto& loss : losses) {
    const double steepest = model::slope_bound_within(loss, 1);
    for (const double radius : {0.6, 1.0, 4.0}) {
      const GradientRegion region{.columns = 2, .radius = radius, .cut = true};
      const GradientRegion whole{.columns = 2, .radius = radius};
      const double replaced = gradient_diameter(loss, region, Adjacency::replace_one);
      EXPECT_LE(replaced, gradient_diameter(loss, whole, Adjacency::replace_one));
      EXPECT_LE(replaced, 2 * steepest);
      if (radius <= 1) {
        EXPECT_EQ(lipschitz_constant(loss, region), lipschitz_constant(loss, whole));
      }
      double furthest = 0;
      for (int trial = 0; trial < 20000; ++trial) {
        const auto weights = random_point(generator, 2, radius);
        double square = 0;
        std::vector<double> gradients[2];
        for (auto& gradient : gradients) {
          gradient = random_point(generator, 2, 1);
          const double prediction = weights[0] * gradient[0] + weights[1] * gradient[1];
          const double label = generator() % 2 == 0 ? 1.0 : -1.0;
          const double slope = model::loss_slope(loss, prediction, label);
          if (std::fabs(prediction) <= 1) {
            EXPECT_LE(std::fabs(slope), steepest);
          }
          for (double& value : gradient) value *= std::clamp(slope, -steepest, steepest);
        }
        for (std::size_t j = 0; j < 2; ++j) {
          square += std::pow(gradients[0][j] - gradients[1][j], 2);
        }
        furthest = std::max(furthest, std::sqrt(square));
      }
      EXPECT_LE(furthest, replaced * (1 + 1e-12)) << model::loss_name(loss) << radius;
      EXPECT_GE(furthest, 0.6 * replaced) << model::loss_name(loss) << radius;
    }
  }
  // What has a largest slope, or classes, keeps it.
  EXPECT_EQ(cut_reach(model::HuberLoss{}, 7), 7);
  EXPECT_EQ(cut_reach(model::PowerHingeLoss{}, 7), 7);
}

TEST(GradientDiameter, GrowsWithTheBallAndIsRefusedForAMeanOfUnknownLength) {
  EXPECT_LT(logistic_diameter(2, 1), logistic_diameter(2, 2));
  EXPECT_THROW((void)gradient_diameter(model::LogisticLoss{}, {}, Adjacency::add_remove),
               base::GuaranteeError);
  EXPECT_THROW((void)lipschitz_constant(model::SquaredLoss{}, {.radius = INFINITY}),
               base::UsageError);
}

}  // namespace gradient_diameter_test
}  // namespace tacet::learn
