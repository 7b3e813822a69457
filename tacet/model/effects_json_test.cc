#include "tacet/model/effects_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/model/column_effects.h"

namespace tacet::model {
namespace effects_json_test {

data::Schema schema_of(const data::NumericColumn& age) {
  data::Schema schema;
  schema.columns = {{"age", age}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  return schema;
}

TEST(EffectsJson, AStepHasOneEffectAndOneOddsRatio) {
  const auto schema = schema_of({.lower = 20, .upper = 100, .step = 10});
  auto model = empty_model(schema, LogisticLoss{});
  model.coefficients = {1, 2};
  model.noise_stddevs = {0.5, 0.5};
  const auto list = effects_json(schema, model).at(0);
  ASSERT_EQ(list.size(), 2U);
  const auto expected = column_effects(schema, model)[0][0];
  EXPECT_EQ(list[0]["step"], "10");
  EXPECT_EQ(list[0]["effect"], expected.effect);
  EXPECT_EQ(list[0]["odds_ratio"], std::exp(expected.effect));
  EXPECT_EQ(list[0]["noise_sd"], *expected.noise);
  EXPECT_EQ(list[1]["step"], "constant");
}

TEST(EffectsJson, ACurveIsOneEntryWithItsRange) {
  const auto schema = schema_of({.lower = 0, .upper = 40, .knots = 3});
  auto model = empty_model(schema, LogisticLoss{});
  model.coefficients = {0, 0, 1, 8, 0};
  const auto list = effects_json(schema, model).at(0);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["direction"], "rises");
  EXPECT_EQ(list[0]["range"].get<double>(),
            list[0]["max"].get<double>() - list[0]["min"].get<double>());
  EXPECT_FALSE(list[0].contains("odds_ratio"));
}

}  // namespace effects_json_test
}  // namespace tacet::model
