#include "tacet/model/regression_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

namespace tacet::model {
namespace regression_numbers_test {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

RegressionNumbers three_lines() {
  return {.terms = "age + sex",
          .names = {"(intercept)", "age", "sex=m"},
          .references = {"sex=f"},
          .coefficients = {.25, unknown, -1.5},
          .sampling = {.01, unknown, unknown, .002, unknown, .04},
          .noise = {.02, unknown, unknown, 0, unknown, .03},
          .degrees_of_freedom = {30, unknown, 1e6},
          .reach = 4.5,
          .row_shape = {1, 0, .5, .2, 0, 3},
          .blurred_directions = 1,
          .rows = 900};
}

TEST(RegressionNumbers, ComeBackFromTheirJson) {
  const auto table = three_lines();
  EXPECT_NO_THROW(table.validate());
  const auto text = regression_numbers_json(table).dump();
  const auto back = read_regression_numbers(nlohmann::json::parse(text), "model.table");
  EXPECT_EQ(regression_numbers_json(back).dump(), text);
  EXPECT_TRUE(back.identified(0));
  EXPECT_FALSE(back.identified(1));
  EXPECT_EQ(RegressionNumbers::place(2, 1), RegressionNumbers::place(1, 2));
  EXPECT_EQ(back.sampling[RegressionNumbers::place(0, 2)], .002);
}

TEST(RegressionNumbers, WhatMakesNoSenseIsNamed) {
  const auto fault_of = [](auto change) {
    auto table = three_lines();
    change(table);
    try {
      table.validate();
    } catch (const base::DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(fault_of([](auto& t) { t.coefficients.pop_back(); }),
            "table.coefficients must hold 3 numbers, got 2");
  EXPECT_EQ(fault_of([](auto& t) { t.names[2] = "age"; }),
            "table.names must differ from each other");
  // A number for what is not identified, and none for what is.
  EXPECT_EQ(fault_of([](auto& t) { t.noise[1] = 3; }),
            "table.noise_covariance of age and (intercept) cannot be 3");
  EXPECT_EQ(fault_of([](auto& t) { t.sampling[0] = unknown; }),
            "table.sampling_covariance of (intercept) and (intercept) cannot be nan");
  EXPECT_EQ(fault_of([](auto& t) { t.sampling[5] = -1; }),
            "table.sampling_covariance of sex=m and sex=m cannot be -1");
  EXPECT_EQ(fault_of([](auto& t) { t.sampling.pop_back(); }),
            "table.sampling_covariance must hold 6 numbers, got 5");
  EXPECT_EQ(fault_of([](auto& t) { t.degrees_of_freedom[1] = 5; }),
            "table.degrees_of_freedom[1] cannot be 5");
  EXPECT_EQ(fault_of([](auto& t) { t.rows = 0; }), "table.rows must be at least 1");
  EXPECT_EQ(fault_of([](auto& t) { t.row_shape[2] = unknown; }),
            "table.row_shape must hold as many numbers as the covariances, all finite");
  EXPECT_EQ(fault_of([](auto& t) { t.blurred_directions = 4; }),
            "table.blurred_directions must be between 0 and the number of coefficients");
  EXPECT_EQ(fault_of([](auto& t) { t.converged = false; }),
            "table.coefficients must be null where the fit did not converge");
  EXPECT_EQ(
      fault_of([](auto& t) {
        t.converged = false;
        t.near_limit = true;
        for (auto* numbers : {&t.coefficients, &t.degrees_of_freedom, &t.sampling, &t.noise}) {
          std::ranges::fill(*numbers, unknown);
        }
      }),
      "table.near_limit must be false where the fit did not converge");
  EXPECT_EQ(fault_of([](auto& t) { t.reach = 0; }), "table.reach must be above 0");
}

TEST(RegressionNumbers, OtherJsonIsRefusedAndNamesTheField) {
  const auto fault_of = [](auto change) {
    auto json = nlohmann::json::parse(regression_numbers_json(three_lines()).dump());
    change(json);
    try {
      static_cast<void>(read_regression_numbers(json, "model.table"));
    } catch (const base::DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(fault_of([](auto& j) { j["rows"] = 2.5; }),
            "model.table.rows must be a whole number, got 2.5");
  EXPECT_EQ(fault_of([](auto& j) { j["converged"] = 1; }),
            "model.table.converged must be true or false, got 1");
  EXPECT_EQ(fault_of([](auto& j) { j["coefficients"][0] = "x"; }),
            "model.table.coefficients[0] must be a number or null, got \"x\"");
  EXPECT_EQ(fault_of([](auto& j) { j.erase("reach"); }), "the key 'model.table.reach' is missing");
  EXPECT_EQ(fault_of([](auto& j) { j["more"] = 1; }), "unknown key 'model.table.more'");
}

// The table goes through a model file and comes back; it predicts nothing.
TEST(RegressionNumbers, AModelFileHoldsThemInPlaceOfCoefficients) {
  ModelFile file{.schema = data::schema_from_toml(R"(
[target]
column = "y"
positive = "1"
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 1
)",
                                                  "s.toml")};
  file.model = described_model(file.schema, LogisticLoss{});
  file.model.table = three_lines();
  file.receipt.algorithm = "inference";
  file.receipt.calibration = "tight";
  file.receipt.parameters = "{}";
  file.receipt.software_version = "1";
  file.receipt.guarantee = {1, 1e-6, privacy::Adjacency::add_remove};
  file.receipt.events = privacy::Gaussian{20};
  const auto text = model_to_json(file);
  const auto back = model_from_json(text, "m.json");
  EXPECT_EQ(model_to_json(back), text);
  ASSERT_TRUE(back.model.table);
  EXPECT_TRUE(back.model.coefficients.empty());
  EXPECT_THROW(expect_margins(back.model), base::UsageError);
  // The checksum covers the table.
  auto edited = text;
  const auto at = edited.find("4.5");
  ASSERT_NE(at, std::string::npos);
  edited[at] = '5';
  EXPECT_THROW(static_cast<void>(model_from_json(edited, "m.json")), base::DataError);
  // A model has one or the other.
  file.model.coefficients = {1, 2};
  EXPECT_THROW(static_cast<void>(model_to_json(file)), base::DataError);
}

}  // namespace regression_numbers_test
}  // namespace tacet::model
