#include "tacet/learn/inference/joint_hypothesis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema.h"

namespace tacet::learn {
namespace joint_hypothesis_test {

RegressionTable table() {
  RegressionTable made;
  made.names = {"(intercept)", "age", "ward=2", "ward=3"};
  made.references = {"ward=1"};
  made.coefficients = Eigen::Vector4d(5, .5, -1, 2);
  made.sampling = Eigen::Vector4d(.01, .03, .1, .1).asDiagonal();
  made.noise = Eigen::Vector4d(.03, .01, .3, .5).asDiagonal();
  made.sampling(2, 3) = made.sampling(3, 2) = .05;
  made.identified = {true, true, true, true};
  made.degrees_of_freedom = {1e6, 10, 8, 6};
  made.rows = 1000;
  return made;
}

RegressionDesign design() {
  return regression_design(data::schema_from_toml(R"(
[target]
column = "y"
lower = 0
upper = 1
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 1
[[column]]
name = "ward"
kind = "categorical"
categories = ["1", "2", "3"]
)",
                                                  "s.toml"));
}

// One contrast is the t test, since F(1, v) is t(v) squared.
TEST(JointHypothesis, OfOneContrastIsTheTTest) {
  for (const std::string contrast : {"age", "ward=2 - ward=3", "2 * age + ward=3"}) {
    const auto line = contrast_line(table(), contrast);
    const auto test = contrast_set(table(), std::vector{contrast}).test;
    EXPECT_NEAR(test.statistic, line.t * line.t, 1e-9 * test.statistic);
    EXPECT_NEAR(test.p, line.p, 1e-9);
    EXPECT_EQ(test.degrees_of_freedom, line.degrees_of_freedom);
  }
}

// (-1, 2) with the covariance [.4 .05; .05 .6]: b'C^-1 b / 2 = (.6 + .2 + 1.6) / .2375 / 2.
TEST(JointHypothesis, OfATermIsWaldsOverTheNumberOfItsCoefficients) {
  const auto made = design();
  ASSERT_EQ(made.names, table().names);
  EXPECT_EQ(made.term_lines, (std::vector<std::size_t>{1, 2}));
  const auto tests = term_tests(table(), made);
  ASSERT_EQ(tests.size(), 1U);  // a term of one coefficient has its line
  EXPECT_EQ(tests[0].name, "ward");
  EXPECT_EQ(tests[0].combinations, 2);
  EXPECT_NEAR(tests[0].statistic, 2.4 / .2375 / 2, 1e-9);
  EXPECT_EQ(tests[0].degrees_of_freedom, 6);
  // F(2, v) has the tail (1 + 2 f / v)^(-v / 2).
  EXPECT_NEAR(tests[0].p, std::pow(1 + 2 * tests[0].statistic / 6, -3), 1e-9);
}

// Which differences say that all levels are alike does not matter, nor in which units.
TEST(JointHypothesis, DoesNotDependOnHowAHypothesisIsWritten) {
  const auto statistic = [](std::vector<std::string> contrasts) {
    return contrast_set(table(), contrasts).test.statistic;
  };
  const double written = statistic({"ward=2", "ward=3"});
  EXPECT_NEAR(statistic({"ward=2 - ward=3", "ward=2"}), written, 1e-9);
  EXPECT_NEAR(statistic({"1000 * ward=3", "ward=3 - 0.001 * ward=2"}), written, 1e-6);
  EXPECT_NEAR(statistic({"ward=1 - ward=2", "ward=1 - ward=3"}), written, 1e-9);
}

TEST(JointHypothesis, WhatRepeatsItselfIsRefusedAndWhatIsHiddenHasNoNumber) {
  EXPECT_THROW(static_cast<void>(contrast_set(table(), std::vector<std::string>{"age", "2 * age"})),
               base::UsageError);
  auto hidden = table();
  hidden.identified[3] = false;
  hidden.coefficients[3] = std::nan("");
  hidden.noise(3, 3) = hidden.noise(2, 3) = hidden.noise(3, 2) = std::nan("");
  EXPECT_FALSE(term_tests(hidden, design())[0].identified);
  const auto others = contrast_set(hidden, std::vector<std::string>{"age", "ward=2"}).test;
  EXPECT_TRUE(others.identified);
  EXPECT_NEAR(others.statistic, (.25 / .04 + 1 / .4) / 2, 1e-9);
}

TEST(JointHypothesis, CountsHaveNone) {
  model::LinearModel model;
  model.loss = model::PoissonLoss{};
  EXPECT_FALSE(has_joint_tests(model));
  model.loss = model::LogisticLoss{};
  EXPECT_TRUE(has_joint_tests(model));
}

}  // namespace joint_hypothesis_test
}  // namespace tacet::learn
