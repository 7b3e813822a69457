#include "tacet/learn/evaluation_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/model/metrics.h"
#include "tests/support/noisy_evaluation.h"
#include "tests/support/statistics.h"

namespace tacet::learn {
namespace evaluation_histogram_test {

using privacy::Adjacency;
using test::evaluated;
using test::one_number;
using test::plan_at;
using test::with_little_noise;

constexpr double coefficient = 4;

/// Records of two classes, with margins from -4 to 4.
struct Scores {
  Scores() : model(model::empty_model(schema, model::LogisticLoss{})), dataset(schema.shape()) {
    model.coefficients = {coefficient};
  }

  void add(double margin, bool positive) {
    const auto stored = static_cast<std::int16_t>(std::lround(2048 * margin / coefficient));
    dataset.append_dense(std::vector<std::int16_t>{stored}, positive ? 1.0 : -1.0);
    const double kept = coefficient * stored / 2048.0;
    margins.push_back(kept);
    probabilities.push_back(model::logistic(kept));
    classes.push_back(positive ? 1 : 0);
  }

  [[nodiscard]] double auc() const { return model::auc(margins, classes).value(); }
  [[nodiscard]] double brier() const { return model::brier_score(probabilities, classes); }
  [[nodiscard]] NoisyFigures run(const EvaluationPlan& plan, std::uint64_t seed) const {
    return evaluated({dataset, model}, plan, seed).all;
  }

  data::Schema schema = one_number();
  model::LinearModel model;
  data::Dataset dataset;
  std::vector<double> margins;
  std::vector<double> probabilities;
  std::vector<std::int64_t> classes;
};

/// Positive records have higher margins; every bin has both.
Scores many(int count) {
  Scores out;
  for (int i = 0; i < count; ++i) {
    const double place = 2.0 * i / count - 1;
    out.add(3.5 * place, (i * 7) % 10 < 5 + 4 * place);
  }
  return out;
}

/// The share of runs whose interval holds the exact figure.
struct Held {
  double auc;
  double brier;
};
Held held(const Scores& setting, double epsilon, Adjacency adjacency) {
  const auto plan = plan_at(setting.model, epsilon, adjacency);
  constexpr int runs = 200;
  int auc = 0;
  int brier = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto found = setting.run(plan, seed);
    const auto holds = [](const std::optional<NoisyInterval>& interval, double exact) {
      return interval && interval->lower <= exact && exact <= interval->upper ? 1 : 0;
    };
    auc += holds(found.auc, setting.auc());
    brier += holds(found.brier, setting.brier());
  }
  return {auc / static_cast<double>(runs), brier / static_cast<double>(runs)};
}

TEST(ScoreEdges, AreTenthsAndTheThreshold) {
  const auto usual = score_edges(0);
  ASSERT_EQ(usual.size(), 9U);
  EXPECT_EQ(usual[4], 0);
  EXPECT_NEAR(model::logistic(usual[1]), 0.2, 1e-12);
  EXPECT_EQ(score_edges(std::log(0.3 / 0.7)).size(), 9U);
  const auto more = score_edges(3);
  ASSERT_EQ(more.size(), 10U);
  EXPECT_EQ(more.back(), 3);
  EXPECT_EQ(score_bin(more, 3), 9);  // not above it
  EXPECT_EQ(score_bin(more, 3.01), 10);
  EXPECT_EQ(score_bin(more, NAN), 0);
}

TEST(EvaluationHistogram, LittleNoiseGivesTheFiguresOfTheRecords) {
  const auto setting = many(4000);
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = with_little_noise(plan_at(setting.model, 50, adjacency));
    EXPECT_EQ(plan.cells, 20);
    const auto found = setting.run(plan, 1);
    ASSERT_TRUE(found.auc && found.brier && found.majority_share);
    EXPECT_NEAR(found.auc->value, setting.auc(), 0.005);
    EXPECT_LE(found.auc->lower, setting.auc());
    EXPECT_GE(found.auc->upper, setting.auc());
    EXPECT_LT(found.auc->upper - found.auc->lower, 0.12);  // a tenth of all pairs share a bin
    EXPECT_NEAR(found.brier->value, setting.brier(), 0.01);
    EXPECT_LE(found.brier->lower, setting.brier());
    EXPECT_GE(found.brier->upper, setting.brier());
    double positive = 0;
    for (const auto one : setting.classes) positive += one == 1 ? 1 : 0;
    EXPECT_NEAR(found.majority_share->value, std::max(positive, 4000 - positive) / 4000, 1e-3);
    ASSERT_EQ(found.calibration.size(), 10U);
    for (int k = 0; k < 10; ++k) {
      double records = 0;
      for (const double p : setting.probabilities) {
        records += p > k / 10.0 && p <= (k + 1) / 10.0 ? 1 : 0;
      }
      EXPECT_NEAR(found.calibration[static_cast<std::size_t>(k)].records.value, records, 1);
    }
  }
}

// 200 runs hold it in 95 of 100 at least; 6 deviations of a binomial share below that is 0.86.
TEST(EvaluationHistogram, IntervalsHoldTheExactFigure) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto found = held(many(2000), 1, adjacency);
    EXPECT_GT(found.auc, 0.86);
    EXPECT_GT(found.brier, 0.86);
  }
}

// Most cells are empty, and noise makes half of them negative.
TEST(EvaluationHistogram, IntervalsHoldItWhereCellsAreNegative) {
  Scores setting;
  for (int i = 0; i < 300; ++i) setting.add(i % 3 == 0 ? -0.1 : -3.9, false);
  for (int i = 0; i < 200; ++i) setting.add(i % 4 == 0 ? -0.3 : 3.9, true);
  const auto found = held(setting, 1, Adjacency::add_remove);
  EXPECT_GT(found.auc, 0.86);
  EXPECT_GT(found.brier, 0.86);
}

// All scores of a bin are equal, so that the estimate errs by noise alone.
TEST(EvaluationHistogram, NoiseInTheAreaIsAsStated) {
  Scores setting;
  for (int i = 0; i < 2000; ++i) {
    setting.add(-3.6 + 0.8 * (i % 10), (i / 10) % 10 < 2 + (i % 10) * 2 / 3);
  }
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = plan_at(setting.model, 1, adjacency);
    constexpr int runs = 400;
    double squares = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const auto found = setting.run(plan, seed).auc.value();
      squares += std::pow((found.value - setting.auc()) / found.noise_stddev, 2);
    }
    EXPECT_GT(test::normal_p_value((squares - runs) / std::sqrt(2.0 * runs)),
              test::false_alarm_rate);
  }
}

TEST(EvaluationHistogram, TheAreaIsNotKnownWithoutEnoughOfAClass) {
  Scores setting;
  for (int i = 0; i < 1000; ++i) setting.add(1, true);
  for (const int others : {0, 10}) {
    for (int i = 0; i < others; ++i) setting.add(-1, false);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto found = setting.run(plan_at(setting.model, 1, Adjacency::add_remove), seed);
      EXPECT_FALSE(found.auc.has_value());
      EXPECT_TRUE(found.accuracy.has_value());
    }
  }
}

// 200 groups leave no room for twenty cells each: they have a matrix.
TEST(EvaluationHistogram, ManyGroupsHaveAMatrixAlone) {
  const auto setting = many(100);
  const auto plan = plan_evaluation(setting.model, {.epsilon = privacy::Epsilon(1),
                                                    .delta = privacy::Delta(1e-6),
                                                    .adjacency = Adjacency::add_remove,
                                                    .groups = 250});
  EXPECT_EQ(plan.cells, 4);
  EXPECT_TRUE(plan.has_matrix());
  EXPECT_FALSE(plan.has_histogram());
}

}  // namespace evaluation_histogram_test
}  // namespace tacet::learn
