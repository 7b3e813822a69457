#include "tacet/model/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace metrics_test {

using Labels = std::vector<std::int64_t>;
using Values = std::vector<double>;

TEST(Metrics, AccuracyIsTheShareOfEqualEntries) {
  EXPECT_EQ(accuracy(Labels{0, 1, 2, 2}, Labels{0, 2, 2, 2}), 0.75);
}

TEST(Metrics, AucCountsPairsAndTiesHalf) {
  // By hand: positives .8, .4; negatives .4, .1. Wins 1 + 1 + .5 + 1 of 4.
  EXPECT_EQ(auc(Values{0.8, 0.4, 0.4, 0.1}, Labels{1, 1, 0, 0}), 0.875);
  EXPECT_EQ(auc(Values{0.5, 0.5, 0.5}, Labels{1, 0, 0}), 0.5);
  EXPECT_EQ(auc(Values{-3, 4}, Labels{1, 0}), 0.0);
}

TEST(Metrics, AucIsAbsentWithOneClass) {
  EXPECT_FALSE(auc(Values{1, 2}, Labels{1, 1}).has_value());
}

TEST(Metrics, AucEqualsTheCountOverAllPairs) {
  Values scores;
  Labels positive;
  for (int i = 0; i < 200; ++i) {
    scores.push_back((i * 37) % 23);
    positive.push_back((i * 11) % 7 < 3 ? 1 : 0);
  }
  double wins = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (positive[i] == 0 || positive[j] == 1) continue;
      pairs += 1;
      wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  }
  EXPECT_NEAR(auc(scores, positive).value(), wins / pairs, 1e-14);
}

TEST(Metrics, LogLossOfAFairCoinIsLogTwoAndStaysFinite) {
  EXPECT_NEAR(log_loss(Values{0.5, 0.5}), std::log(2.0), 1e-15);
  EXPECT_NEAR(log_loss(Values{0.0}), 15 * std::log(10.0), 1e-12);
}

TEST(Metrics, RegressionErrorsByHand) {
  const Values predicted{1, 2, 3};
  const Values actual{1, 4, 7};
  EXPECT_EQ(mean_absolute_error(predicted, actual), 2);
  EXPECT_NEAR(root_mean_squared_error(predicted, actual), std::sqrt(20.0 / 3), 1e-15);
  // Squared error 20, about the mean 18.
  EXPECT_NEAR(r_squared(predicted, actual).value(), 1 - 20.0 / 18, 1e-14);
  EXPECT_FALSE(r_squared(Values{1, 2}, Values{3, 3}).has_value());
}

TEST(Metrics, PinballWeighsTheSidesByItsLevel) {
  EXPECT_NEAR(pinball_loss(Values{0}, Values{2}, 0.9), 1.8, 1e-15);
  EXPECT_NEAR(pinball_loss(Values{2}, Values{0}, 0.9), 0.2, 1e-15);
  EXPECT_THROW((void)pinball_loss(Values{0}, Values{0}, 1), base::UsageError);
}

TEST(Metrics, CalibrationTableCountsEveryRecordOnce) {
  const auto table = calibration_table(Values{0, 0.05, 0.5, 0.55, 1}, Labels{0, 1, 1, 0, 1}, 10);
  ASSERT_EQ(table.size(), 10U);
  EXPECT_EQ(table[0].count, 2);
  EXPECT_EQ(table[0].positive_fraction, 0.5);
  EXPECT_EQ(table[0].mean_probability, 0.025);
  EXPECT_EQ(table[5].count, 2);
  EXPECT_EQ(table[9].count, 1);
  EXPECT_EQ(table[1].count, 0);
  EXPECT_EQ(table[1].mean_probability, 0);
}

TEST(Metrics, BrierScoreIsTheMeanSquaredMiss) {
  EXPECT_DOUBLE_EQ(brier_score(Values{0.9, 0.2, 0.5}, Labels{1, 0, 1}), (0.01 + 0.04 + 0.25) / 3);
}

TEST(Metrics, NothingToCompareIsRefused) {
  EXPECT_THROW((void)accuracy(Labels{}, Labels{}), base::UsageError);
  EXPECT_THROW((void)mean_absolute_error(Values{1}, Values{1, 2}), base::UsageError);
  EXPECT_THROW((void)calibration_table(Values{1}, Labels{1}, 0), base::UsageError);
}

// The median of -0.5, 0.1, 0.3, 0.9 and 1 is 0.3, their mean 0.36, their 0.9-quantile 1.
// Counts 0, 2, 5, 1 of at most 10 and means 1, 2, 3, 4: 2 mean(y ln(y / m) - y + m) by hand, and
// 1 less its share of the deviance of the mean, 2, as scikit-learn's PoissonRegressor.score has it.
TEST(Metrics, DevianceIsThatOfAPoissonRegression) {
  const std::vector<double> labels{0, .2, .5, .1};
  const std::vector<double> means{1, 2, 3, 4};
  std::vector<double> margins;
  for (const double m : means) margins.push_back(std::log(m / 10));
  const auto term = [](double y, double m) { return (y > 0 ? y * std::log(y / m) : 0) - y + m; };
  const double deviance = (term(0, 1) + term(2, 2) + term(5, 3) + term(1, 4)) / 2;
  const double constant = (term(0, 2) + term(2, 2) + term(5, 2) + term(1, 2)) / 2;
  EXPECT_NEAR(10 * mean_deviance(PoissonLoss{}, margins, labels), deviance, 1e-13);
  EXPECT_NEAR(*deviance_explained(PoissonLoss{}, margins, labels), 1 - deviance / constant, 1e-13);
  EXPECT_NEAR(10 * best_constant_loss(PoissonLoss{}, labels), constant / 2, 1e-13);
  const std::vector<double> equal{.3, .3};
  EXPECT_FALSE(deviance_explained(PoissonLoss{}, std::vector<double>{-1, -2}, equal));
  const std::vector<double> none{0, 0};
  EXPECT_NEAR(mean_deviance(PoissonLoss{}, std::vector<double>{0, 0}, none), 2, 1e-13);
}

TEST(Metrics, BestConstantIsTheMeanTheMedianOrTheQuantile) {
  const std::vector<double> labels{0.9, -0.5, 0.3, 0.1, 1.0};
  const auto about = [&](const Loss& loss, double constant) {
    double sum = 0;
    for (const double label : labels) sum += loss_value(loss, constant, label);
    return sum / 5;
  };
  EXPECT_NEAR(best_constant_loss(SquaredLoss{}, labels), about(SquaredLoss{}, 0.36), 1e-9);
  EXPECT_NEAR(best_constant_loss(AbsoluteLoss{}, labels), about(AbsoluteLoss{}, 0.3), 1e-8);
  const Loss pinball = PinballLoss{.quantile = 0.9};
  EXPECT_NEAR(best_constant_loss(pinball, labels), about(pinball, 1.0), 1e-8);
  EXPECT_THROW((void)best_constant_loss(pinball, {}), base::UsageError);
}

}  // namespace metrics_test
}  // namespace tacet::model
