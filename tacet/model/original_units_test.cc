#include "tacet/model/original_units.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/encode/encoder.h"

namespace tacet::model {
namespace original_units_test {

// The numbers count from their middle, or else from their lower bound.
data::Schema mixed_schema(data::RowScaling scaling, bool centre = true) {
  data::Schema schema;
  schema.columns = {
      {"age", data::NumericColumn{.lower = 20, .upper = 100, .centre = centre}},
      {"gain", data::NumericColumn{.lower = 0, .upper = 999, .log1p = true, .centre = centre}},
      {"town", data::CategoricalColumn{.categories = {"Bern", "Basel"}}},
      {"sex", data::CategoricalColumn{.categories = {"m", "f"}, .coding = data::Coding::sign}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.row_scaling = scaling;
  return schema;
}

LinearModel numbered_model(const data::Schema& schema) {
  auto model = empty_model(schema, LogisticLoss{});
  for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
    model.coefficients[i] = 1.0 + static_cast<double>(i);
  }
  return model;
}

double margin_of(const data::Schema& schema, const LinearModel& model,
                 const std::array<std::string_view, 4>& fields) {
  const std::vector<std::string> names{"age", "gain", "town", "sex"};
  data::Encoder encoder(schema, names, data::TargetUse::absent, "test");
  data::EncodedRow row;
  encoder.encode(fields, row);
  return margin(model.output(0), data::SparseRow{row.columns, row.values});
}

// Truncation to 1/2048 moves each of at most five features by less than one unit.
constexpr double grid_error = 2 * 21.0 / 2048;

TEST(OriginalUnits, ConstantScalingMovesEveryRecordAlike) {
  const auto schema = mixed_schema(data::RowScaling::constant_root, false);
  const auto model = numbered_model(schema);
  const auto effects = original_units(schema, model, 0);
  EXPECT_EQ(effects[0].longest_row, effects[0].shortest_row);
  const double young = margin_of(schema, model, {"30", "0", "Bern", "m"});
  const double old = margin_of(schema, model, {"90", "0", "Bern", "m"});
  EXPECT_NEAR(old - young, 60 * effects[0].longest_row, grid_error);
  const double other_town = margin_of(schema, model, {"30", "0", "Basel", "m"});
  EXPECT_NEAR(other_town - young, effects[3].longest_row - effects[2].longest_row, grid_error);
  const double woman = margin_of(schema, model, {"30", "0", "Bern", "f"});
  EXPECT_NEAR(woman - young, effects[4].longest_row, grid_error);
  EXPECT_EQ(effects[4].step, "m to f");
}

TEST(OriginalUnits, TheExtremeRowsOfClippingHaveTheStatedFactors) {
  const auto schema = mixed_schema(data::RowScaling::clip1, false);
  const auto model = numbered_model(schema);
  const auto range = scale_range(schema);
  EXPECT_EQ(range.shortest_row, 1 / std::sqrt(3.0));  // two groups and the intercept
  EXPECT_EQ(range.longest_row, 1 / std::sqrt(5.0));   // and two numbers at their upper bound
  const auto effects = original_units(schema, model, 0);
  const double shortest = margin_of(schema, model, {"20", "0", "Bern", "m"});
  const double longest = margin_of(schema, model, {"100", "999", "Bern", "m"});
  const double shortest_woman = margin_of(schema, model, {"20", "0", "Bern", "f"});
  const double longest_woman = margin_of(schema, model, {"100", "999", "Bern", "f"});
  EXPECT_NEAR(shortest_woman - shortest, effects[4].shortest_row, grid_error);
  EXPECT_NEAR(longest_woman - longest, effects[4].longest_row, grid_error);
}

TEST(OriginalUnits, LogarithmsCountInTheirOwnUnit) {
  const auto schema = mixed_schema(data::RowScaling::constant_root, false);
  const auto effects = original_units(schema, numbered_model(schema), 0);
  EXPECT_EQ(effects[1].step, "1 in log(1 + x)");
  EXPECT_NEAR(effects[1].longest_row, 2 / std::log(1000.0) / std::sqrt(5.0), 1e-15);
}

TEST(OriginalUnits, RegressionsSpeakInUnitsOfTheTarget) {
  auto schema = mixed_schema(data::RowScaling::constant_root, false);
  schema.target = {"y", data::RegressionTarget{0, 500}};
  const auto effects = original_units(schema, numbered_model(schema), 0);
  EXPECT_NEAR(effects[0].longest_row, 250.0 / 80 / std::sqrt(5.0), 1e-12);
  EXPECT_EQ(effects.back().step, "constant");
}

TEST(OriginalUnits, ATableOfCoefficientsHasNoMarginsToMove) {
  const auto schema = mixed_schema(data::RowScaling::constant_root, false);
  auto model = numbered_model(schema);
  model.coefficients.clear();
  model.table.emplace();
  EXPECT_THROW(static_cast<void>(original_units(schema, model, 0)), base::UsageError);
}

TEST(OriginalUnits, StepsAreLongerAroundTheMiddle) {
  const auto from_lower = mixed_schema(data::RowScaling::constant_root, false);
  const auto first = original_units(from_lower, numbered_model(from_lower), 0);
  const auto schema = mixed_schema(data::RowScaling::constant_root);
  const auto model = numbered_model(schema);
  const auto effects = original_units(schema, model, 0);
  const double length = std::sqrt(5 + 2 * 0.5625);  // two numbers may be 1.25 long
  EXPECT_NEAR(effects[0].longest_row, first[0].longest_row * 2.5 * std::sqrt(5.0) / length, 1e-15);
  const double young = margin_of(schema, model, {"30", "0", "Bern", "m"});
  const double old = margin_of(schema, model, {"90", "0", "Bern", "m"});
  EXPECT_NEAR(old - young, 60 * effects[0].longest_row, grid_error);
}

TEST(OriginalUnits, ANumberWithHatsIsACurve) {
  auto schema = mixed_schema(data::RowScaling::constant_root);
  std::get<data::NumericColumn>(schema.columns[0].rule).knots = 3;
  const auto model = numbered_model(schema);
  const auto effects = original_units(schema, model, 0);
  ASSERT_EQ(effects.size(), 8U);  // three points, gain, two towns, sex, the constant
  EXPECT_EQ(effects[0].name, "age");
  EXPECT_EQ(effects[0].step, "to 20");
  EXPECT_EQ(effects[1].step, "to 60");
  EXPECT_EQ(effects[3].name, "gain");
  const double at_20 = margin_of(schema, model, {"20", "0", "Bern", "m"});
  const double at_60 = margin_of(schema, model, {"60", "0", "Bern", "m"});
  const double at_100 = margin_of(schema, model, {"100", "0", "Bern", "m"});
  EXPECT_NEAR(at_60 - at_20, effects[1].longest_row - effects[0].longest_row, grid_error);
  EXPECT_NEAR(at_100 - at_60, effects[2].longest_row - effects[1].longest_row, grid_error);
}

TEST(OriginalUnits, BinsAndIndicatorsCountBesideTheNumber) {
  auto schema = mixed_schema(data::RowScaling::constant_root);
  auto& age = std::get<data::NumericColumn>(schema.columns[0].rule);
  age.bins = 2;
  age.missing_indicator = true;
  const auto model = numbered_model(schema);
  const auto effects = original_units(schema, model, 0);
  ASSERT_EQ(effects.size(), 9U);
  EXPECT_EQ(effects[1].name, "age in [20, 60)");
  EXPECT_EQ(effects[1].step, "this bin");
  EXPECT_EQ(effects[3].name, "age missing");
  const double below = margin_of(schema, model, {"50", "0", "Bern", "m"});
  const double middle = margin_of(schema, model, {"60", "0", "Bern", "m"});
  const double missing = margin_of(schema, model, {"NA", "0", "Bern", "m"});
  constexpr double error = 2 * 45.0 / 2048;
  const double bins = effects[2].longest_row - effects[1].longest_row;
  EXPECT_NEAR(middle - below, 10 * effects[0].longest_row + bins, error);
  EXPECT_NEAR(missing - middle, effects[3].longest_row, error);
}

TEST(OriginalUnits, ScaledCategoriesStepAsFarAsTheyAreScaled) {
  auto schema = mixed_schema(data::RowScaling::constant_root);
  std::get<data::CategoricalColumn>(schema.columns[2].rule).scales = {0.5, 2};
  const auto model = numbered_model(schema);
  const auto effects = original_units(schema, model, 0);
  const double bern = margin_of(schema, model, {"60", "0", "Bern", "m"});
  const double basel = margin_of(schema, model, {"60", "0", "Basel", "m"});
  EXPECT_NEAR(basel - bern, effects[3].longest_row - effects[2].longest_row, grid_error);
  const auto none = margin_of(schema, model, {"60", "0", "Thun", "m"});
  EXPECT_NEAR(basel - none, effects[3].longest_row, grid_error);
  schema.row_scaling = data::RowScaling::clip1;
  const auto range = scale_range(schema);
  EXPECT_LT(range.longest_row, 1 / std::sqrt(1 + 4 + 1 + 0.25));
  EXPECT_LE(range.longest_row, range.shortest_row);
}

// Numbers alone, with every way to say where they begin.
data::Schema numbers_schema() {
  data::Schema schema;
  schema.columns = {{"a", data::NumericColumn{.lower = -3, .upper = 9}},
                    {"id", data::IgnoredColumn{}},
                    {"b", data::NumericColumn{.lower = 0, .upper = 1}},
                    {"c", data::NumericColumn{.lower = 10, .upper = 50, .typical = 20}},
                    {"d", data::NumericColumn{.lower = 5, .upper = 6, .standard = {{0.2, 0.5}}}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.row_scaling = data::RowScaling::constant_root;
  return schema;
}

TEST(StraightLine, IsTheMarginOfRecordsWithinTheBounds) {
  const auto schema = numbers_schema();
  const auto model = numbered_model(schema);
  const auto line = straight_line(schema, model, 0);
  ASSERT_TRUE(line);
  ASSERT_EQ(line->factors.size(), 4U);
  const std::vector<std::string> names{"a", "id", "b", "c", "d"};
  data::Encoder encoder(schema, names, data::TargetUse::absent, "test");
  data::EncodedRow row;
  const std::array<std::array<std::string_view, 5>, 4> records{{{"-3", "x", "0", "10", "5"},
                                                                {"9", "", "1", "50", "6"},
                                                                {"0.5", "", "0.25", "20", "5.5"},
                                                                {"2", "7", "0.75", "31", "5.125"}}};
  for (const auto& record : records) {
    encoder.encode(record, row);
    const double margin_there = margin(model.output(0), data::SparseRow{row.columns, row.values});
    double by_line = line->constant;
    for (std::size_t k = 0, column = 0; k < record.size(); ++k) {
      if (k == 1) continue;
      by_line +=
          std::stod(std::string(record[k])) * model.coefficients[column] * line->factors[column];
      ++column;
    }
    EXPECT_NEAR(by_line, margin_there, grid_error);
  }
}

TEST(StraightLine, IsNoneOfWhatBends) {
  const auto bent = [](auto change) {
    auto schema = numbers_schema();
    change(schema, std::get<data::NumericColumn>(schema.columns[0].rule));
    return !straight_line(schema, numbered_model(schema), 0);
  };
  EXPECT_FALSE(bent([](auto&, auto&) {}));
  EXPECT_TRUE(bent([](auto& schema, auto&) { schema.row_scaling = data::RowScaling::clip1; }));
  EXPECT_TRUE(bent([](auto&, auto& rule) { rule.knots = 5; }));
  EXPECT_TRUE(bent([](auto&, auto& rule) { rule.bins = 3; }));
  EXPECT_TRUE(bent([](auto&, auto& rule) { rule.period = 7; }));
  EXPECT_TRUE(bent([](auto&, auto& rule) { rule.missing_indicator = true; }));
  EXPECT_TRUE(bent([](auto&, auto& rule) { rule.lower = 0, rule.log1p = true; }));
  EXPECT_TRUE(bent([](auto& schema, auto&) {
    schema.columns.push_back({"e", data::CategoricalColumn{.categories = {"x", "y"}}});
  }));
}

}  // namespace original_units_test
}  // namespace tacet::model
