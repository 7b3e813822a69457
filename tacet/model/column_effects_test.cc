#include "tacet/model/column_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/model/original_units.h"

namespace tacet::model {
namespace column_effects_test {

data::Schema schema_of(const data::NumericColumn& age) {
  data::Schema schema;
  schema.columns = {
      {"age", age},
      {"sex", data::CategoricalColumn{.categories = {"m", "f"}, .coding = data::Coding::sign}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  return schema;
}

LinearModel model_of(const data::Schema& schema, std::vector<double> coefficients) {
  auto model = empty_model(schema, LogisticLoss{});
  EXPECT_EQ(model.coefficients.size(), coefficients.size());
  model.coefficients = std::move(coefficients);
  return model;
}

TEST(ColumnEffects, AStepIsTheOneNamedOrHalfTheDistanceOfTheBounds) {
  data::NumericColumn age{.lower = 20, .upper = 100};
  auto schema = schema_of(age);
  const auto half = column_effects(schema, model_of(schema, {1, 2, 3}))[0];
  ASSERT_EQ(half.size(), 3U);
  EXPECT_EQ(half[0].step, "40");
  EXPECT_TRUE(half[2].intercept);
  EXPECT_FALSE(half[0].intercept);
  age.step = 10;
  schema = schema_of(age);
  const auto named = column_effects(schema, model_of(schema, {1, 2, 3}))[0];
  EXPECT_EQ(named[0].step, "10");
  EXPECT_NEAR(named[0].effect, half[0].effect / 4, 1e-15);
  const auto unit = original_units(schema, model_of(schema, {1, 2, 3}), 0);
  EXPECT_LE(named[0].effect, 10 * unit[0].shortest_row);
  EXPECT_GE(named[0].effect, 10 * unit[0].longest_row);
  schema = schema_of({.lower = 0, .upper = 1});
  EXPECT_EQ(column_effects(schema, model_of(schema, {1, 2, 3}))[0][0].step, "1");
}

TEST(ColumnEffects, AStepOfLogarithmsGoesFromTheLowerBoundToTheMiddle) {
  const auto schema = schema_of({.lower = 0, .upper = 99, .log1p = true});
  const auto effects = column_effects(schema, model_of(schema, {1, 0, 0}))[0];
  EXPECT_EQ(effects[0].step, "0 to 9");
  const auto unit = original_units(schema, model_of(schema, {1, 0, 0}), 0);
  EXPECT_GT(effects[0].effect, unit[0].longest_row * std::log(10) * (1 - 1e-12));
}

TEST(ColumnEffects, ACurveIsOneLineWithItsRangeDirectionAndPlace) {
  const auto schema = schema_of({.lower = 0, .upper = 40, .knots = 5});
  const auto curve = [&](const std::vector<double>& hats, double line) {
    std::vector<double> coefficients{line};
    coefficients.insert(coefficients.end(), hats.begin(), hats.end());
    coefficients.insert(coefficients.end(), {0, 0});
    const auto effects = column_effects(schema, model_of(schema, coefficients))[0];
    EXPECT_EQ(effects.size(), 3U);
    EXPECT_EQ(effects[0].features.size(), 6U);
    EXPECT_EQ(effects[1].features, (std::vector<std::size_t>{6}));
    return effects[0].curve.value();
  };
  const auto up = curve({0, 1, 2, 8, 9}, 0);
  EXPECT_EQ(up.direction, "rises");
  EXPECT_EQ(up.steepest, "20 to 30");
  EXPECT_EQ(up.min, 0);
  EXPECT_GT(up.max, 0);
  EXPECT_EQ(curve({5, 4, 4, 1, 0}, 0).direction, "falls");
  EXPECT_EQ(curve({0, 1, 5, 1, 0}, 0).direction, "rises to 20, then falls");
  EXPECT_EQ(curve({0, -1, 5, 1, 2}, 0).direction, "turns 3 times");
  EXPECT_EQ(curve({0, 0, 0, 0, 0}, 0).direction, "is level");
  EXPECT_EQ(curve({0, 0, 0, 0, 0}, -1).direction, "falls");
}

TEST(ColumnEffects, ClearnessIsTheEstimateBesideItsNoise) {
  const auto schema = schema_of({.lower = 0, .upper = 40});
  auto model = model_of(schema, {-6, 1, 1});
  model.noise_stddevs = {2, 2, 1};
  const auto effects = column_effects(schema, model)[0];
  EXPECT_EQ(effects[0].clearness, 3);
  EXPECT_EQ(effects[1].clearness, 0.5);
  EXPECT_NEAR(effects[0].noise.value() / std::abs(effects[0].effect), 1.0 / 3, 1e-15);
}

// Of one coefficient the usual quantile; of more a larger one, since the largest is looked for.
TEST(ColumnEffects, NoiseIsAsClearAsItsLargestOfMany) {
  EXPECT_NEAR(clearness_of_noise(1), 1.959963984540054, 1e-9);
  EXPECT_NEAR(clearness_of_noise(20), 3.0233, 1e-4);  // 0.05 / 40 on each side
}

}  // namespace column_effects_test
}  // namespace tacet::model
