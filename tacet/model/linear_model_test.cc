#include "tacet/model/linear_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace linear_model_test {

LinearModel three_features(PredictionTask task) {
  LinearModel model;
  model.loss = LogisticLoss{};
  model.task = task;
  model.features = {"a", "b", "(intercept)"};
  if (task == PredictionTask::binary) model.classes = {"no", "yes"};
  if (task == PredictionTask::multi_class) model.classes = {"x", "y", "z"};
  model.coefficients.assign(model.features.size() * static_cast<std::size_t>(model.output_count()),
                            0.0);
  return model;
}

std::string fault_of(const LinearModel& model) {
  try {
    model.validate();
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(LinearModel, MarginIsTheSumInRealUnits) {
  const std::vector<double> coefficients{2, -1, 0.5};
  const std::vector<std::int16_t> row{1024, 512, 2048};
  EXPECT_EQ(margin(coefficients, row), 2 * 0.5 - 0.25 + 0.5);
}

TEST(LinearModel, DenseAndSparseMarginsAreTheSameBits) {
  std::vector<double> coefficients;
  std::vector<std::int16_t> row;
  std::vector<std::uint32_t> columns;
  std::vector<std::int16_t> values;
  for (int i = 0; i < 101; ++i) {
    coefficients.push_back(std::sin(i) * std::pow(10, i % 9 - 4));
    row.push_back(static_cast<std::int16_t>(i % 3 == 0 ? 0 : i * 19 - 900));
    if (row.back() == 0) continue;
    columns.push_back(static_cast<std::uint32_t>(i));
    values.push_back(row.back());
  }
  EXPECT_EQ(margin(coefficients, row), margin(coefficients, data::SparseRow{columns, values}));
}

TEST(LinearModel, TheSignDecidesBetweenTwoClasses) {
  const auto model = three_features(PredictionTask::binary);
  EXPECT_EQ(predicted_class(model, std::vector{0.1}), 1);
  EXPECT_EQ(predicted_class(model, std::vector{0.0}), 0);
  EXPECT_EQ(predicted_class(model, std::vector{-0.1}), 0);
}

TEST(LinearModel, TheLargestMarginDecidesBetweenSeveralAndTheFirstOfEquals) {
  const auto model = three_features(PredictionTask::multi_class);
  EXPECT_EQ(predicted_class(model, std::vector{-3.0, -1.0, -2.0}), 1);
  EXPECT_EQ(predicted_class(model, std::vector{-3.0, 5.0, 5.0}), 1);
}

TEST(LinearModel, ProbabilitiesAddToOneForAnyMargin) {
  const auto binary = three_features(PredictionTask::binary);
  std::vector<double> two(2);
  for (const double margin : {-800.0, -1.5, 0.0, 2.0, 800.0}) {
    class_probabilities(binary, std::vector{margin}, two);
    EXPECT_NEAR(two[0] + two[1], 1, 1e-15);
    EXPECT_EQ(two[1], logistic(margin));
  }
  const auto several = three_features(PredictionTask::multi_class);
  std::vector<double> three(3);
  class_probabilities(several, std::vector{1.0, 0.0, -1.0}, three);
  EXPECT_NEAR(three[0] + three[1] + three[2], 1, 1e-15);
  EXPECT_GT(three[0], three[1]);
  class_probabilities(several, std::vector{-900.0, -900.0, -900.0}, three);
  EXPECT_EQ(three[0], 1.0 / 3);
}

TEST(LinearModel, OnlyTheLogisticLossGivesProbabilities) {
  auto model = three_features(PredictionTask::binary);
  model.loss = HingeLoss{};
  std::vector<double> out(2);
  EXPECT_THROW(class_probabilities(model, std::vector{1.0}, out), base::UsageError);
}

TEST(LinearModel, RegressionValuesAreInTheTargetsUnitsAndBounds) {
  auto model = three_features(PredictionTask::regression);
  model.target_lower = 0;
  model.target_upper = 500;
  EXPECT_EQ(regression_value(model, 0), 250);
  EXPECT_EQ(regression_value(model, -1), 0);
  EXPECT_EQ(regression_value(model, 0.5), 375);
  EXPECT_EQ(regression_value(model, 7), 500);
}

TEST(LinearModel, ProbabilitiesAndCountsArePredictedThroughTheirLinks) {
  auto model = three_features(PredictionTask::regression);
  model.target_lower = 0;
  model.target_upper = 40;
  model.loss = PoissonLoss{};
  EXPECT_NEAR(regression_value(model, std::log(0.25)), 10, 1e-14);
  EXPECT_EQ(regression_value(model, 3), 40);
  EXPECT_EQ(label_value(model, 0.25), 10);
  EXPECT_EQ(clipped_margin(model, 3), 0);
  model.loss = SoftLogisticLoss{};
  model.target_upper = 1;
  EXPECT_EQ(regression_value(model, 0), 0.5);
  EXPECT_EQ(label_value(model, 0.25), 0.25);
  EXPECT_EQ(clipped_margin(model, 30), 30);
}

TEST(LinearModel, SoftmaxGivesProbabilitiesThatAddUpByThemselves) {
  auto model = three_features(PredictionTask::multi_class);
  model.loss = SoftmaxLoss{};
  const std::vector<double> margins{1, 3, -1e5};
  std::vector<double> shares(3);
  model.classes = {"a", "b", "c"};
  class_probabilities(model, margins, shares);
  EXPECT_NEAR(shares[1], 1 / (1 + std::exp(-2)), 1e-15);
  EXPECT_EQ(shares[2], 0);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-15);
}

TEST(LinearModel, ShapeAndNamesComeFromTheSchema) {
  data::Schema schema;
  schema.columns = {
      {"age", data::NumericColumn{.lower = 0, .upper = 100, .log1p = false, .fill = {}}},
      {"sex", data::CategoricalColumn{{"f", "m"}}}};
  schema.target = {"y", data::MultiClassTarget{{"a", "b", "c"}}};
  const auto model = empty_model(schema, LogisticLoss{});
  EXPECT_EQ(model.task, PredictionTask::multi_class);
  EXPECT_EQ(model.feature_count(), schema.encoded_column_count());
  EXPECT_EQ(model.output_count(), 3);
  EXPECT_EQ(fault_of(model), "no fault");
}

TEST(LinearModel, FaultsNameTheField) {
  auto model = three_features(PredictionTask::binary);
  EXPECT_EQ(fault_of(model), "no fault");
  model.coefficients[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(fault_of(model).find("coefficients[1]"), std::string::npos);
  model = three_features(PredictionTask::binary);
  model.coefficients.pop_back();
  EXPECT_NE(fault_of(model).find("coefficients must hold 3 numbers"), std::string::npos);
  model = three_features(PredictionTask::binary);
  model.noise_stddevs = {1, -1, 1};
  EXPECT_NE(fault_of(model).find("noise_stddevs[1]"), std::string::npos);
  model = three_features(PredictionTask::binary);
  model.classes.clear();
  EXPECT_NE(fault_of(model).find("classes"), std::string::npos);
  model = three_features(PredictionTask::regression);
  model.target_lower = 2;
  EXPECT_NE(fault_of(model).find("target bounds"), std::string::npos);
}

TEST(LinearModel, TaskNamesAreReadBack) {
  for (const auto task :
       {PredictionTask::binary, PredictionTask::multi_class, PredictionTask::regression}) {
    EXPECT_EQ(parse_task(to_string(task)), task);
  }
  EXPECT_THROW((void)parse_task("ranking"), base::DataError);
}

}  // namespace linear_model_test
}  // namespace tacet::model
