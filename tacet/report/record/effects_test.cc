#include "tacet/report/record/effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/report/record/model_panels.h"

namespace tacet::report::effects_test {

using data::RowScaling;

data::Schema every_kind(RowScaling scaling) {
  data::Schema schema;
  schema.columns = {
      {"age", data::NumericColumn{.lower = 20, .upper = 100, .knots = 5}},
      {"gain", data::NumericColumn{.lower = 0, .upper = 999, .log1p = true}},
      {"hours", data::NumericColumn{.lower = 0, .upper = 80, .missing_indicator = true, .bins = 4}},
      {"month", data::NumericColumn{.lower = 1, .upper = 12, .period = 12}},
      {"town", data::CategoricalColumn{.categories = {"Bern", "Basel", "Chur"},
                                       .other = data::OtherRule::column}},
      {"car", data::CategoricalColumn{.categories = {"none", "one"}}},
      {"sex", data::CategoricalColumn{.categories = {"m", "f"}, .coding = data::Coding::sign}}};
  schema.interactions = {{"town", "car"}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.row_scaling = scaling;
  return schema;
}

model::ModelFile random_model(const data::Schema& schema) {
  model::ModelFile file{.schema = schema,
                        .model = model::empty_model(schema, model::LogisticLoss{})};
  std::mt19937_64 bits(11);
  for (auto& one : file.model.coefficients) one = double(bits() % 2001) / 1000 - 1;
  return file;
}

double encoded_margin(const model::ModelFile& file, const std::vector<std::string>& fields) {
  const std::vector<std::string> names{"age", "gain", "hours", "month", "town", "car", "sex"};
  data::Encoder encoder(file.schema, names, data::TargetUse::absent, "test");
  data::EncodedRow row;
  const std::vector<std::string_view> views(fields.begin(), fields.end());
  encoder.encode(views, row);
  return model::margin(file.model.output(0), data::SparseRow{row.columns, row.values});
}

const EffectPanel& column(const Effects& effects, const std::string& name) {
  return *std::ranges::find(effects.columns, name, &EffectPanel::name);
}

/// A point of a panel, found as a reader finds it: by its number or its words.
const PanelPoint& point_of(const EffectPanel& effect, const std::string& value) {
  if (effect.kind != EffectKind::curve) {
    return *std::ranges::find(effect.points, value, &PanelPoint::label);
  }
  if (value.empty()) return effect.missing.front();
  const PanelPoint* found = nullptr;  // the last one: from an edge on
  for (const auto& point : effect.points) {
    if (std::abs(point.at - std::stod(value)) < 1e-9) found = &point;
  }
  return *found;
}

class EffectsOf : public testing::TestWithParam<RowScaling> {};

// Cells of features are cut to multiples of 1/2048, of at most twelve features of size below 1.25.
constexpr double grid = 12.0 * 1.5 / 2048;

TEST_P(EffectsOf, PanelsAndInterceptAddUpToTheMargin) {
  const auto file = random_model(every_kind(GetParam()));
  const auto effects = effects_of(file);
  std::mt19937_64 bits(5);
  const auto pick = [&](const std::vector<std::string>& values) {
    return values[bits() % values.size()];
  };
  for (int record = 0; record < 1000; ++record) {
    const std::vector<std::string> fields{pick({"20", "40", "60", "80", "100"}),
                                          pick({"0", "999"}),
                                          pick({"0", "20", "40", "60", ""}),
                                          pick({"1", "12"}),
                                          pick({"Bern", "Basel", "Chur", "(other)"}),
                                          pick({"none", "one"}),
                                          pick({"m", "f"})};
    double sum = effects.intercept[0];
    double square = effects.intercept_squared_length;
    const std::vector<std::string> names{"age", "gain", "hours", "month", "town", "car", "sex"};
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto& point = point_of(column(effects, names[k]), fields[k]);
      sum += point.adds[0];
      square += point.squared_length;
    }
    const auto& pair = point_of(column(effects, "town and car"), fields[4] + " & " + fields[5]);
    sum += pair.adds[0];
    square += pair.squared_length;
    if (effects.by_length) sum *= effects.row_length / std::max(1.0, std::sqrt(square));
    EXPECT_NEAR(sum, encoded_margin(file, fields), grid);
  }
}

INSTANTIATE_TEST_SUITE_P(Scalings, EffectsOf,
                         testing::Values(RowScaling::constant_root, RowScaling::clip1));

TEST(Effects, APanelOfCategoriesShowsWhatTheyAreComparedWith) {
  const auto effects = effects_of(random_model(every_kind(RowScaling::constant_root)));
  const auto plot = panel_of(effects, column(effects, "car"), "car").plots.at(0);
  const auto found = std::ranges::find(plot.levels, "(any other)");
  ASSERT_NE(found, plot.levels.end());
  EXPECT_EQ(plot.marks.at(std::size_t(found - plot.levels.begin())).value, 0);
  // Every other value has a coefficient of its own.
  const auto all = panel_of(effects, column(effects, "town"), "town").plots.at(0);
  EXPECT_EQ(std::ranges::count(all.levels, "(any other)"), 0);
}

TEST(Effects, BetweenItsPointsACurveIsStraight) {
  const auto file = random_model(every_kind(RowScaling::constant_root));
  const auto effects = effects_of(file);
  const auto& age = column(effects, "age");
  EXPECT_TRUE(age.straight);
  EXPECT_FALSE(column(effects, "gain").straight);
  for (const double at : {25.0, 33.0, 51.0, 99.0}) {
    const auto right = std::ranges::find_if(age.points, [&](auto& p) { return p.at > at; });
    const auto left = right - 1;
    const double share = (at - left->at) / (right->at - left->at);
    const double between = left->adds[0] + share * (right->adds[0] - left->adds[0]);
    const std::vector<std::string> rest{"0", "0", "1", "Bern", "none", "m"};
    auto fields = rest;
    fields.insert(fields.begin(), std::to_string(at));
    auto base = rest;
    base.insert(base.begin(), "20");
    const double moved = encoded_margin(file, fields) - encoded_margin(file, base);
    EXPECT_NEAR(between - age.points.front().adds[0], moved, grid);
  }
}

TEST(Effects, NoiseOfADifferenceIsAtMostTheSumOfItsParts) {
  auto file = random_model(every_kind(RowScaling::constant_root));
  EXPECT_FALSE(effects_of(file).noise_stated);
  file.model.noise_stddevs.assign(file.model.coefficients.size(), 0.01);
  const auto effects = effects_of(file);
  ASSERT_TRUE(effects.noise_stated);
  const auto& town = column(effects, "town");
  EXPECT_NEAR(town.range_noise[0], std::sqrt(2.0) * 0.01 / effects.row_length, 1e-12);
  const auto& sex = column(effects, "sex");
  EXPECT_NEAR(sex.range_noise[0], 2 * 0.01 / effects.row_length, 1e-12);
  // Coefficients of unlike noise: nothing is known of how they go together.
  file.model.noise_stddevs.back() = 0.02;
  EXPECT_NEAR(column(effects_of(file), "town").range_noise[0], 2 * 0.01 / effects.row_length,
              1e-12);
  EXPECT_EQ(sex.told_from_noise(), sex.range[0] / sex.range_noise[0] > sex.noise_quantile);
}

TEST(Effects, WhatIsNoiseAloneIsSeldomToldFromIt) {
  data::Schema schema;
  schema.columns = {{"town", data::CategoricalColumn{.categories = {"a", "b", "c", "d", "e"}}},
                    {"age", data::NumericColumn{.lower = 0, .upper = 10, .knots = 6}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  auto file = random_model(schema);
  file.model.noise_stddevs.assign(file.model.coefficients.size(), 0.5);
  std::mt19937_64 bits(3);
  std::normal_distribution<double> noise(0, 0.5);
  int told = 0;
  constexpr int runs = 500;
  for (int run = 0; run < runs; ++run) {
    for (auto& one : file.model.coefficients) one = noise(bits);
    for (const auto& effect : effects_of(file).columns) told += effect.told_from_noise() ? 1 : 0;
  }
  // 5 of 100 each; of 1,000 with that rate more than 88 are seen once in 10^7 times.
  EXPECT_LE(told, 88);
}

}  // namespace tacet::report::effects_test
