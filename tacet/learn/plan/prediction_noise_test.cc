#include "tacet/learn/plan/prediction_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/data/encode/standardise.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/product_records.h"

namespace tacet::learn {
namespace prediction_noise_test {

constexpr DescentLaw law{
    .steps = 60, .averaged = 24, .step_size = 0.5, .momentum = 0.9, .stddev = 0.1, .curvature = 1};

/// The averaged weights' answer to a unit of noise in one weight's gradient at a step.
std::vector<double> answer(const std::vector<std::vector<double>>& hessian,
                           const std::vector<double>& rates, std::int64_t step, std::size_t where) {
  const std::size_t d = rates.size();
  std::vector<double> w(d), v(d), mean(d);
  for (std::int64_t t = 0; t < law.steps; ++t) {
    auto gradient = std::vector<double>(d);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) gradient[j] += hessian[j][k] * w[k];
    }
    if (t == step) gradient[where] += 1;
    for (std::size_t j = 0; j < d; ++j) {
      v[j] = law.momentum * v[j] - law.step_size * rates[j] * gradient[j];
      w[j] += v[j];
      if (t >= law.steps - law.averaged) mean[j] += w[j] / static_cast<double>(law.averaged);
    }
  }
  return mean;
}

/// The standard deviation of the noise in a record's prediction, computed from every answer.
double exact(const std::vector<std::vector<double>>& hessian, const std::vector<double>& rates,
             const std::vector<double>& row) {
  double variance = 0;
  for (std::int64_t step = 0; step < law.steps; ++step) {
    for (std::size_t where = 0; where < rates.size(); ++where) {
      const auto mean = answer(hessian, rates, step, where);
      double moved = 0;
      for (std::size_t j = 0; j < row.size(); ++j) moved += row[j] * mean[j];
      variance += moved * moved;
    }
  }
  return law.stddev * std::sqrt(variance);
}

TEST(BoundedStddevs, HoldForAnyHessianAndStepsOfSeveralLengths) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> rates{2, 2, 0.5, 1};
    const std::size_t d = rates.size();
    // Of a few records of norm 1: its largest eigenvalue is at most 1.
    std::vector<std::vector<double>> hessian(d, std::vector<double>(d));
    std::vector<double> row(d);
    for (int record = 0; record < 3; ++record) {
      double square = 0;
      for (double& one : row) square += std::pow(one = normal(bits), 2);
      for (double& one : row) one /= std::sqrt(square);
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t k = 0; k < d; ++k) hessian[j][k] += row[j] * row[k] / 3;
      }
    }
    auto stepped = law;
    stepped.curvature *= 2;
    const auto stddevs = bounded_stddevs(stepped, rates);
    for (double& one : row) one = normal(bits);
    double bound = 0;
    for (std::size_t j = 0; j < d; ++j) bound += std::pow(row[j] * stddevs[j], 2);
    EXPECT_LE(exact(hessian, rates, row), std::sqrt(bound) * (1 + 1e-9));
  }
}

TEST(BoundedStddevs, AreExactWhereNothingPulls) {
  const std::vector<std::vector<double>> flat(2, std::vector<double>(2));
  const std::vector<double> rates{1, 1};
  const auto stddevs = bounded_stddevs(law, rates);
  EXPECT_NEAR(exact(flat, rates, {0.6, 0.8}), stddevs[0], 1e-9 * stddevs[0]);
}

ParameterValues asked(std::string_view curves) {
  return {{"epsilon", 1.0},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"curves", std::string(curves)}};
}

TrainedModel train(std::string_view curves, std::uint64_t seed) {
  const auto plan = plan_training(test::product_schema(), asked(curves));
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(1);
  return plan.run(test::product_records(plan.reading_schema(), test::product_rows, 1), plan.schema,
                  {source, reservation, pool});
}

model::ModelFile file_of(const TrainedModel& trained) {
  return {.schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
}

// Seeds are fixed, and what is stated is several times what such data leave of the noise.
TEST(PredictionNoise, OfCurvesHoldsTheSpreadOfRepeatedTrainings) {
  std::vector<double> sums(50);
  std::vector<double> squares(50);
  constexpr int runs = 6;
  double bound = 0;
  for (int run = 0; run < runs; ++run) {
    const auto trained = train("0.4", 100 + static_cast<std::uint64_t>(run));
    const auto records = test::product_records(trained.schema, 50, 2);
    const auto noise = PredictionNoise::of(file_of(trained));
    ASSERT_TRUE(noise);
    for (std::int64_t k = 0; k < records.rows(); ++k) {
      const auto place = static_cast<std::size_t>(k);
      double margin = 0;
      model::margins(trained.model, records, k, {&margin, 1});
      const double value = label_value(trained.model, margin);
      sums[place] += value;
      squares[place] += value * value;
      bound = std::max(bound, noise->stddev(records, k));
      EXPECT_LE(noise->stddev(records, k), noise->longest());
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double variance = (squares[k] - sums[k] * sums[k] / runs) / (runs - 1);
    EXPECT_LT(std::sqrt(variance), bound);
  }
}

TEST(PredictionNoise, EstimatesOfSingleCoefficientsAreNoBound) {
  auto file = file_of(train("0.4", 1));
  file.receipt.algorithm = "adassp";
  file.schema.curves.reset();
  file.model.noise_stddevs.assign(file.model.coefficients.size(), 1);
  EXPECT_TRUE(PredictionNoise::of(file));
  file.model.noise_stddevs.front() = 2;
  EXPECT_FALSE(PredictionNoise::of(file));
}

TEST(PredictionNoise, IsNotStatedForAnEditedReceiptOrAnotherPath) {
  auto file = file_of(train("0.4", 1));
  ASSERT_TRUE(PredictionNoise::of(file));
  const auto parameters = file.receipt.parameters;
  for (const auto* name : {"steps", "average"}) {
    auto edited = file;
    edited.receipt.parameters.replace(parameters.find(name), 1, "x");
    EXPECT_FALSE(PredictionNoise::of(edited)) << name;
  }
  file.receipt.algorithm = "tune";
  EXPECT_FALSE(PredictionNoise::of(file));
}

}  // namespace prediction_noise_test
}  // namespace tacet::learn
