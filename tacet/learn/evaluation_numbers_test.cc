#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/model/metrics.h"
#include "tests/support/noisy_evaluation.h"
#include "tests/support/statistics.h"

namespace tacet::learn {
namespace evaluation_numbers_test {

using privacy::Adjacency;
using test::evaluated;
using test::one_number;
using test::plan_at;
using test::record_count;
using test::with_little_noise;

/// Targets and predictions of numbers between 10 and 30.
struct Numbers {
  Numbers() : dataset(schema.shape()) {
    schema.target->rule = data::RegressionTarget{.lower = 10, .upper = 30};
    model = model::empty_model(schema, model::SquaredLoss{});
    model.coefficients = {1};
    dataset = data::Dataset(schema.shape());
    for (int i = 0; i < record_count; ++i) add(i % 2 == 0 ? 0.25 : -0.5, i % 4 < 2 ? 0.5 : -0.5);
  }

  void add(double prediction, double label) {
    const std::vector<std::int16_t> row{static_cast<std::int16_t>(2048 * prediction)};
    dataset.append_dense(row, label);
  }

  [[nodiscard]] NoisyFigures run(const EvaluationPlan& plan, std::uint64_t seed) const {
    return evaluated({dataset, model}, plan, seed).all;
  }

  data::Schema schema = one_number();
  model::LinearModel model;
  data::Dataset dataset;
};

// Errors .25, 1, .75, 0 in turn, of targets .5, .5, -.5, -.5; times 10 in the target's units.
TEST(Evaluation, FiguresOfNumbersAreThoseOfTheRecords) {
  const Numbers setting;
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto found = setting.run(with_little_noise(plan_at(setting.model, 50, adjacency)), 1);
    EXPECT_NEAR(found.mae.value().value, 5, 0.01);
    const double squares = (0.25 * 0.25 + 1 + 0.75 * 0.75) / 4;
    EXPECT_NEAR(found.rmse.value().value, 10 * std::sqrt(squares), 0.01);
    EXPECT_NEAR(found.r2.value().value, 1 - squares / 0.25, 0.01);
  }
}

TEST(Evaluation, NoiseInFiguresOfNumbersIsAsStated) {
  const Numbers setting;
  const double exact = 1 - (0.25 * 0.25 + 1 + 0.75 * 0.75) / 4 / 0.25;
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = plan_at(setting.model, 1, adjacency);
    constexpr int runs = 400;
    double squares = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const auto found = setting.run(plan, seed).r2.value();
      squares += std::pow((found.value - exact) / found.noise_stddev, 2);
    }
    EXPECT_GT(test::normal_p_value((squares - runs) / std::sqrt(2.0 * runs)),
              test::false_alarm_rate);
  }
}

/// Counts up to 40, or probabilities, and predictions of their logarithm or log odds.
struct Shares : Numbers {
  explicit Shares(bool counts) {
    schema.target->rule = data::RegressionTarget{
        .lower = 0,
        .upper = counts ? 40.0 : 1.0,
        .kind = counts ? data::NumberKind::count : data::NumberKind::probability};
    model = counts ? model::empty_model(schema, model::PoissonLoss{})
                   : model::empty_model(schema, model::SoftLogisticLoss{});
    model.coefficients = {1};
    dataset = data::Dataset(schema.shape());
    for (int i = 0; i < record_count; ++i) {
      add(i % 2 == 0 ? -0.25 : -1, i % 8 == 0 ? 0 : i % 2 == 0 ? 0.9 : 0.2);
    }
  }

  /// {deviance, D2} without noise.
  [[nodiscard]] std::pair<double, double> exact(double upper) const {
    std::vector<double> predicted;
    std::vector<double> labels;
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      predicted.push_back(dataset.dense_row(i)[0] / 2048.0);
      labels.push_back(dataset.label(i));
    }
    return {upper * model::mean_deviance(model.loss, predicted, labels),
            model::deviance_explained(model.loss, predicted, labels).value()};
  }
};

// No loss here reaches the cap, so that the figures are those of a public evaluation.
TEST(Evaluation, DevianceOfCountsAndProbabilitiesIsThatOfTheRecords) {
  for (const bool counts : {true, false}) {
    const Shares setting(counts);
    const auto [deviance, d2] = setting.exact(counts ? 40 : 1);
    for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
      const auto plan = with_little_noise(plan_at(setting.model, 50, adjacency));
      EXPECT_EQ(plan.scores(), 6);
      const auto found = setting.run(plan, 1);
      EXPECT_NEAR(found.deviance.value().value / deviance, 1, 1e-3);
      EXPECT_NEAR(found.d2.value().value, d2, 1e-3);
    }
  }
  EXPECT_FALSE(Numbers()
                   .run(with_little_noise(plan_at(Numbers().model, 50, Adjacency::add_remove)), 1)
                   .deviance);
}

TEST(Evaluation, NoiseInDevianceIsAsStated) {
  for (const bool counts : {true, false}) {
    const Shares setting(counts);
    const auto [deviance, d2] = setting.exact(counts ? 40 : 1);
    const auto plan = plan_at(setting.model, 1, Adjacency::add_remove);
    constexpr int runs = 400;
    double of_deviance = 0;
    double of_d2 = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const auto found = setting.run(plan, seed);
      of_deviance += std::pow(
          (found.deviance.value().value - deviance) / found.deviance.value().noise_stddev, 2);
      of_d2 += std::pow((found.d2.value().value - d2) / found.d2.value().noise_stddev, 2);
    }
    for (const double squares : {of_deviance, of_d2}) {
      EXPECT_GT(test::normal_p_value((squares - runs) / std::sqrt(2.0 * runs)),
                test::false_alarm_rate);
    }
  }
}

// A count that is predicted next to never has no bound of its own: the cap is what it counts as.
TEST(Evaluation, ADevianceIsCutAtAPublicNumber) {
  Shares setting(true);
  setting.dataset = data::Dataset(setting.schema.shape());
  setting.model.coefficients = {1000};
  for (int i = 0; i < record_count; ++i) setting.add(-1, 1);
  const auto plan = with_little_noise(plan_at(setting.model, 50, Adjacency::replace_one));
  EXPECT_NEAR(setting.run(plan, 1).deviance.value().value, plan.deviance_cap(), 0.1);
  EXPECT_EQ(plan.deviance_cap(), 2 * 40 * 4 * 1.0);
}

TEST(Evaluation, R2IsLostWhereTargetsHardlyDiffer) {
  Numbers setting;
  setting.dataset = data::Dataset(setting.schema.shape());
  for (int i = 0; i < 1000; ++i) setting.add(0.25, 0.5);
  const auto found = setting.run(plan_at(setting.model, 1, Adjacency::add_remove), 1);
  EXPECT_FALSE(found.r2.has_value());
  EXPECT_TRUE(found.mae.has_value());
}

}  // namespace evaluation_numbers_test
}  // namespace tacet::learn
