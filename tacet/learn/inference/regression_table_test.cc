#include "tacet/learn/inference/regression_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace regression_table_test {

RegressionTable table() {
  RegressionTable made;
  made.names = {"(intercept)", "age", "ward=2", "ward=2 b"};
  made.references = {"ward=1"};
  made.coefficients = Eigen::Vector4d(5, .5, -1, 2);
  made.sampling = Eigen::Vector4d(.01, .03, .04, .04).asDiagonal();
  made.noise = Eigen::Vector4d(.03, .01, .05, .05).asDiagonal();
  made.sampling(2, 3) = made.sampling(3, 2) = .01;
  made.identified = {true, true, true, true};
  made.degrees_of_freedom = {1e6, 10, 8, 6};
  made.rows = 1000;
  made.row_shape = Eigen::Matrix4d::Identity();
  made.with_goodness = true;
  return made;
}

// t(10, .975) = 2.228139; P(|t(10)| > 2.5) = 0.0314445 (R: qt, pt).
TEST(RegressionTable, LinesAreThoseOfTheTLaw) {
  const auto line = table_lines(table())[1];
  EXPECT_DOUBLE_EQ(line.standard_error, .2);
  EXPECT_NEAR(line.low, .5 - 2.228139 * .2, 1e-6);
  EXPECT_NEAR(line.high, .5 + 2.228139 * .2, 1e-6);
  EXPECT_DOUBLE_EQ(line.t, 2.5);
  EXPECT_NEAR(line.p, 0.0314469, 1e-5);
  EXPECT_NEAR(line.widened, std::sqrt(.04 / .03) - 1, 1e-12);
  const auto wide = table_lines(table(), .99)[0];
  EXPECT_NEAR(wide.high - wide.low, 2 * 2.575829 * .2, 1e-4);
  EXPECT_THROW(static_cast<void>(table_lines(table(), 1)), base::UsageError);
}

TEST(RegressionTable, WhatIsNotIdentifiedHasNoNumbers) {
  auto some = table();
  some.identified[2] = false;
  const auto lines = table_lines(some);
  EXPECT_FALSE(lines[2].identified);
  EXPECT_EQ(lines[2].estimate, 0);
  EXPECT_EQ(lines[2].standard_error, 0);
  EXPECT_TRUE(lines[3].identified);
  EXPECT_FALSE(contrast_line(some, "age - ward=2").identified);
  EXPECT_THROW(static_cast<void>(explained_share(some)), base::UsageError);
}

TEST(RegressionTable, ContrastsHaveTheVarianceOfTheirCombination) {
  const auto line = contrast_line(table(), "ward=2 - ward=2 b");
  EXPECT_DOUBLE_EQ(line.estimate, -3);
  EXPECT_NEAR(line.standard_error, std::sqrt(.09 + .09 - .02), 1e-12);
  EXPECT_EQ(line.degrees_of_freedom, 6);
  EXPECT_DOUBLE_EQ(contrast_line(table(), "ward=2 - ward=1").estimate, -1);
  EXPECT_DOUBLE_EQ(contrast_line(table(), "-2.5*age+ 2 * ward=2").estimate, -3.25);
  const auto error_of = [](std::string_view text) {
    try {
      static_cast<void>(contrast_line(table(), text));
    } catch (const base::UsageError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of("ward=3"),
            "contrast 'ward=3', character 1: the name of a coefficient is expected, as the table "
            "has it; did you mean 'ward=2'?");
  EXPECT_EQ(error_of("age age"), "contrast 'age age', character 5: '+' or '-' is expected");
  EXPECT_EQ(error_of("age = ward=2"),
            "contrast 'age = ward=2', character 5: '+' or '-' is expected; that two are equal is "
            "tested by 'a - b'");
  EXPECT_NE(error_of("age > 0").find("a one-sided p is half"), std::string::npos);
  for (const auto* text : {"2 age", "age + 30"}) {
    EXPECT_NE(error_of(text).find("as in '10 * age'"), std::string::npos) << text;
  }
  EXPECT_NE(error_of("age*2").find("a number stands before a coefficient"), std::string::npos);
  EXPECT_EQ(error_of("age - age"),
            "contrast 'age - age': its terms cancel out; name different coefficients");
  EXPECT_NE(error_of("age +"), "none");
  EXPECT_NE(error_of(""), "none");
  EXPECT_NE(error_of("1e999 * age"), "none");
  // What rounds to nothing or to no number has no interval.
  EXPECT_NE(error_of("1e-320 * age").find("too large or too small"), std::string::npos);
  EXPECT_NE(error_of("1e308 * age").find("too large or too small"), std::string::npos);
}

// p.adjust(c(.01, .04, .03, .005), "holm") in R: .03 .06 .06 .02.
TEST(RegressionTable, HolmsCorrectionIsThatOfR) {
  const std::vector<double> found = holm(std::vector<double>{.01, .04, .03, .005});
  const std::vector<double> expected{.03, .06, .06, .02};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
  EXPECT_EQ(holm(std::vector<double>{.9, .8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(RegressionTable, ExplainedShareIsWhatNoiseLeavesOfTheWaldStatistic) {
  auto one = table();
  one.sampling = Eigen::Vector4d(.01, .001, .001, .001).asDiagonal();
  one.noise.setZero();
  const double wald = (.25 + 1 + 4) / .001 - 3;
  EXPECT_NEAR(explained_share(one), wald / (wald + 1000), 1e-12);
  one.coefficients.tail(3).setZero();
  EXPECT_EQ(explained_share(one), 0);
  one.with_goodness = false;
  EXPECT_THROW(static_cast<void>(explained_share(one)), base::UsageError);
}

TEST(RegressionTable, OriginalUnitsAreALinearMap) {
  RegressionDesign design;
  design.names = {"(intercept)", "age"};
  design.design.columns.resize(2);
  // age = 30 x + 50 in years, the target 100 + 50 label.
  design.originals = (Eigen::MatrixXd(2, 2) << 1, 0, -50.0 / 30, 1.0 / 30).finished();
  design.label_scale = 50;
  design.label_offset = 150;
  RegressionEstimate estimate;
  estimate.coefficients = Eigen::Vector2d(.1, .6);
  estimate.sampling = Eigen::Vector2d(.0001, .0009).asDiagonal();
  estimate.noise = Eigen::MatrixXd::Zero(2, 2);
  estimate.whitening = Eigen::MatrixXd::Identity(2, 2);
  estimate.weak = Eigen::MatrixXd::Zero(2, 2);
  estimate.narrow_cut = true;
  estimate.rows = 100;
  estimate.cut = .5;
  const auto made = regression_table(design, estimate);
  EXPECT_NEAR(made.coefficients[1], 50 * .6 / 30, 1e-12);
  // The mean at age 50 is that of x = 0.
  EXPECT_NEAR(made.coefficients[0] + 50 * made.coefficients[1], 150 + 50 * .1, 1e-12);
  EXPECT_NEAR(std::sqrt(made.sampling(1, 1)), 50 * .03 / 30, 1e-12);
  EXPECT_FALSE(made.identified[0]);
  EXPECT_TRUE(made.identified[1]);
  EXPECT_EQ(made.rows, 100);
  EXPECT_EQ(made.residual_cut, 25);
  // At age 80 the encoded row is (1, 1).
  const Eigen::Vector2d row(1, 80);
  EXPECT_NEAR(row.dot(made.row_shape * row), 2, 1e-12);
}

// What is not identified has no number in a file, and everything else comes back as it was.
TEST(RegressionTable, AFileHasTheIdentifiedPartAndNothingElse) {
  auto some = table();
  some.identified[2] = false;
  some.reach = 4;
  model::LinearModel model;
  model.loss = model::SquaredLoss{};
  model.table = table_numbers(some, "age + ward");
  EXPECT_NO_THROW(model.table->validate());
  EXPECT_TRUE(std::isnan(model.table->coefficients[2]));
  EXPECT_TRUE(std::isnan(model.table->sampling[model::RegressionNumbers::place(3, 2)]));
  const auto back = table_of(model);
  EXPECT_EQ(back.identified, some.identified);
  EXPECT_TRUE(back.with_goodness);
  for (const auto* text : {"age - ward=2 b", "2 * age"}) {
    const auto one = contrast_line(some, text);
    const auto other = contrast_line(back, text);
    EXPECT_EQ(one.estimate, other.estimate);
    EXPECT_EQ(one.standard_error, other.standard_error);
  }
  EXPECT_FALSE(contrast_line(back, "age - ward=2").identified);
  const auto corrected = holm_of_slopes(table_lines(back));
  EXPECT_FALSE(corrected[0]);
  EXPECT_FALSE(corrected[2]);
  // The smaller of the two is doubled, the other one stays.
  ASSERT_LT(2 * table_lines(back)[3].p, table_lines(back)[1].p);
  EXPECT_DOUBLE_EQ(*corrected[3], 2 * table_lines(back)[3].p);
  EXPECT_DOUBLE_EQ(*corrected[1], table_lines(back)[1].p);
  EXPECT_FALSE(known_explained_share(back));
}

}  // namespace regression_table_test
}  // namespace tacet::learn
