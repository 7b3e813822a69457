#include "tacet/learn/inference/inference_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/inference/regression_table.h"
#include "tests/support/simulated_regression.h"

namespace tacet::learn {
namespace inference_run_test {

using optimize::MeanModel;
using test::SimulatedRegression;

// With a budget that leaves next to no noise the fit is the plain one, but for rows that weigh
// less and for the grid; its standard errors are the sandwich's.
TEST(InferenceRun, WithHardlyAnyNoiseIsThePlainFit) {
  for (const auto mean : {MeanModel::identity, MeanModel::logistic}) {
    const SimulatedRegression regression(mean, 20000, 4, .2);
    auto setup = regression.setup(8000);
    setup.options.reach = 30;
    const auto records = regression.draw(3);
    const auto plain = test::plain_fit(records, mean);
    const auto table = regression_table(setup.design, test::fit(records, setup, 5));
    for (const auto& line : table_lines(table)) ASSERT_TRUE(line.identified);
    for (Eigen::Index k = 0; k < 5; ++k) {
      const double error = plain.standard_errors[k];
      EXPECT_NEAR(table.coefficients[k], plain.coefficients[k], .1 * error);
      // The moment of numbers has noise of 3 % still, for a cut that cuts nothing.
      EXPECT_NEAR(std::sqrt(table.covariance()(k, k)) / error, 1, .06);
    }
  }
}

TEST(InferenceRun, HasTheSameBitsForAnyNumberOfThreads) {
  const SimulatedRegression regression(MeanModel::logistic, 9000, 3, 0);
  const auto setup = regression.setup(2);
  const auto records = regression.draw(3);
  const auto one = test::fit(records, setup, 5, 1);
  const auto three = test::fit(records, setup, 5, 3);
  EXPECT_EQ(one.coefficients, three.coefficients);
  EXPECT_EQ(one.sampling, three.sampling);
  EXPECT_NE(one.coefficients, test::fit(records, setup, 6).coefficients);
}

TEST(InferenceRun, RecordsThatLackAValueAreAsIfTheyWereNotThere) {
  const SimulatedRegression regression(MeanModel::identity, 4000, 3, 0);
  auto setup = regression.setup(2);
  const auto whole = regression.draw(3);
  const auto with_mark = [&](bool incomplete_too) {
    data::Dataset marked({.columns = 5, .norm_bound = 3, .storage = data::Storage::dense});
    for (std::int64_t i = 0; i < whole.rows(); ++i) {
      const auto row = whole.dense_row(i);
      std::vector<std::int16_t> longer(row.begin(), row.end());
      longer.push_back(0);
      marked.append_dense(longer, whole.label(i));
      longer.back() = 2048;
      if (incomplete_too && i % 3 == 0) marked.append_dense(longer, 1);
    }
    return marked;
  };
  setup.design.design.absent = {4};
  const auto without = test::fit(with_mark(false), setup, 5);
  EXPECT_EQ(without.coefficients, test::fit(with_mark(true), setup, 5).coefficients);
}

/// The lines of a fit with one column more, a flag that so many records have.
std::vector<TableLine> lines_with_flag(double records_with) {
  const SimulatedRegression regression(MeanModel::logistic, 10000, 3, 0);
  auto setup = regression.setup(2);
  const auto whole = regression.draw(3);
  data::Dataset records({.columns = 5, .norm_bound = 3, .storage = data::Storage::dense});
  for (std::int64_t i = 0; i < whole.rows(); ++i) {
    const auto row = whole.dense_row(i);
    std::vector<std::int16_t> longer(row.begin(), row.end());
    longer.push_back(static_cast<double>(i) < records_with ? 2048 : 0);
    records.append_dense(longer, whole.label(i));
  }
  setup.design.design.columns.push_back({{4}});
  setup.design.names.emplace_back("flag");
  setup.design.originals = Eigen::MatrixXd::Identity(5, 5);
  setup.facts = regression_facts(setup.options, MeanModel::logistic, 5);
  return table_lines(regression_table(setup.design, test::fit(records, setup, 5)));
}

// An empty column is refused, and so is one that hardly any record has; the others keep their
// numbers. One of twice as many records as the plan asks for is stated.
TEST(InferenceRun, ARareFlagIsNotIdentified) {
  const auto setup = SimulatedRegression(MeanModel::logistic, 10000, 4, 0).setup(2);
  const double enough = forecast(setup.facts).level_records;
  for (const double records : {0.0, enough / 8, 2 * enough}) {
    const auto lines = lines_with_flag(records);
    EXPECT_EQ(lines[4].identified, records >= enough) << records;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(lines[k].identified);
  }
}

TEST(InferenceRun, CountsOfPoissonsLawAreFitted) {
  std::mt19937_64 bits(4);
  std::normal_distribution<double> normal;
  data::Dataset records({.columns = 2, .norm_bound = 2, .storage = data::Storage::dense});
  for (int i = 0; i < 20000; ++i) {
    const double x = std::clamp(.4 * normal(bits), -1.0, 1.0);
    std::poisson_distribution<int> law(std::exp(.3 + .8 * x));
    records.append_dense(
        std::vector<std::int16_t>{2048, static_cast<std::int16_t>(std::lround(2048 * x))},
        std::min(law(bits), 12) / 12.0);
  }
  InferenceSetup setup;
  setup.design.mean = MeanModel::poisson;
  setup.design.largest_count = 12;
  setup.design.design.columns = {{{0}}, {{1}}};
  setup.design.names = {"(intercept)", "x"};
  setup.design.originals = Eigen::MatrixXd::Identity(2, 2);
  setup.options = {.epsilon = 4, .delta = 1e-6, .rows = 20000};
  setup.facts = regression_facts(setup.options, MeanModel::poisson, 2, 12);
  setup.noise = inference_noise(setup.options, setup.facts, 3);
  const auto lines = table_lines(regression_table(setup.design, test::fit(records, setup, 5)));
  // Four standard errors: false alarm 1e-4, and the seed is fixed.
  EXPECT_NEAR(lines[0].estimate, .3, 4 * lines[0].standard_error);
  EXPECT_NEAR(lines[1].estimate, .8, 4 * lines[1].standard_error);
  EXPECT_LT(lines[1].standard_error, .05);
}

TEST(InferenceRun, SetupRefusesBeforeRecordsAreRead) {
  auto schema = data::schema_from_toml(R"(
[target]
column = "y"
positive = "1"
negative = "0"
[[column]]
names = ["a", "b", "c", "d", "e", "f"]
kind = "numeric"
lower = 0
upper = 1
)",
                                       "s.toml");
  const auto design = regression_design(schema);
  const InferenceOptions few{.epsilon = 1, .delta = 1e-6, .rows = 500};
  EXPECT_THROW(static_cast<void>(inference_setup(design, few)), base::UsageError);
  const InferenceOptions enough{.epsilon = 1, .delta = 1e-6, .rows = 50000};
  const auto setup = inference_setup(design, enough);
  EXPECT_EQ(setup.design.columns(), 7);
  // For the largest number of steps: a slack that is stated beforehand is never too small.
  const auto room = noise_room(design);
  ASSERT_LE(std::ssize(setup.noise.steps), max_newton_steps);
  EXPECT_EQ(room.words, (7 + 28) * (max_newton_steps + 1) + 7 + 2 * 28);
  EXPECT_EQ(room.blocks, 3 * (max_newton_steps + 1) + 5);
  // A budget whose noise has no room on the sampler's grid.
  const InferenceOptions tiny{.epsilon = 1e-4, .delta = 1e-9, .rows = std::int64_t{1} << 32};
  EXPECT_THROW(static_cast<void>(inference_setup(design, tiny)), base::Error);
}

// With few outcomes steps end too early, whatever the budget: nothing is stated.
TEST(InferenceRun, RareOutcomesIdentifyNothing) {
  for (const double constant : {-1.0, -6.0}) {
    test::SimulatedRegression regression(optimize::MeanModel::logistic, 20000, 3, 0);
    regression.truth[0] = constant;
    const auto setup = regression.setup(4);
    const auto table = regression_table(setup.design, test::fit(regression.draw(1), setup, 1));
    for (const bool identified : table.identified) EXPECT_EQ(identified, constant == -1.0);
    EXPECT_EQ(table.converged, constant == -1.0);
  }
}

// Of seeded tables of 3 and 4 in 100 that noise lets through each says that it is doubtful, or its
// predictor is two standard errors away; with ordinary classes none is. Their shares: a constant of
// -3.6 is 3 in 100, of -1 every fourth.
TEST(InferenceRun, TablesNearTheLimitSaySo) {
  int stated = 0;
  for (const double constant : {-1.0, -3.3, -3.6}) {
    test::SimulatedRegression regression(optimize::MeanModel::logistic, 8000, 3, 0);
    regression.truth *= .3;
    regression.truth[0] = constant;
    const auto setup = regression.setup(1);
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto estimate = test::fit(regression.draw(seed), setup, seed);
      const auto table = regression_table(setup.design, estimate);
      EXPECT_FALSE(table.near_limit && !table.converged);
      if (constant == -1) {
        EXPECT_FALSE(table.near_limit);
        continue;
      }
      stated += table.converged ? 1 : 0;
      EXPECT_EQ(table.near_limit,
                table.converged && estimate.predictor + 2 * estimate.predictor_error > 3.3);
      if (constant == -3.6 && table.converged) {
        EXPECT_TRUE(table.near_limit);
      }
    }
  }
  EXPECT_GT(stated, 2);
}

// A column that decides the class has no finite coefficient.
TEST(InferenceRun, SeparatedClassesIdentifyNothing) {
  const test::SimulatedRegression regression(optimize::MeanModel::logistic, 20000, 3, 0);
  const auto drawn = regression.draw(1);
  data::Dataset records({.columns = 4, .norm_bound = 2, .storage = data::Storage::dense});
  for (std::int64_t i = 0; i < drawn.rows(); ++i) {
    const auto row = drawn.dense_row(i);
    records.append_dense({row.begin(), row.end()}, row[1] > 0 ? 1 : -1);
  }
  for (const double epsilon : {1.0, 4.0}) {
    const auto setup = regression.setup(epsilon);
    const auto table = regression_table(setup.design, test::fit(records, setup, 1));
    EXPECT_FALSE(table.converged);
    for (const bool identified : table.identified) EXPECT_FALSE(identified);
  }
}

}  // namespace inference_run_test
}  // namespace tacet::learn
