#include "tacet/choose/score.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tests/support/statistics.h"

namespace tacet::choose {
namespace score_test {

using enum privacy::Adjacency;

model::LinearModel line(bool classes, double weight) {
  data::Schema schema;
  schema.intercept = false;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  if (classes) {
    schema.target = {"y", data::BinaryTarget{.positive = {"yes"}, .negative = {"no"}}};
  } else {
    schema.target = {"y", data::RegressionTarget{-1, 1}};
  }
  auto model = model::empty_model(
      schema, classes ? model::Loss{model::LogisticLoss{}} : model::Loss{model::SquaredLoss{}});
  model.coefficients = {weight};
  return model;
}

data::Dataset records(std::initializer_list<std::pair<int, double>> rows) {
  data::Dataset dataset({.columns = 1, .norm_bound = 1});
  for (const auto& [value, label] : rows) {
    dataset.append_dense(std::array{static_cast<std::int16_t>(value)}, label);
  }
  return dataset;
}

TEST(Score, IsOfTheModelAsItShips) {
  const auto data = records({{2048, 1}, {2048, -1}, {-1024, -1}});
  const auto classes = line(true, 2);
  Scorer right(classes, data, score_rule(classes, std::nullopt));
  EXPECT_EQ(right.of(0), 1);
  EXPECT_EQ(right.of(1), 0);
  EXPECT_EQ(right.of(2), 1);
  // Numbers: a margin of 5 is clipped to 1; the cap is the largest loss in the target's bounds, 2.
  const auto number = line(false, 5);
  const auto rule = score_rule(number, std::nullopt);
  EXPECT_EQ(rule.score, Score::loss);
  Scorer near(number, data, rule);
  EXPECT_EQ(near.of(0), 1);
  EXPECT_EQ(near.of(1), 0);
  EXPECT_EQ(near.of(2), 1);
  const auto lost = line(false, std::nan(""));
  EXPECT_EQ(Scorer(lost, data, rule).of(0), 0);
  EXPECT_FALSE(is_finite(lost));
}

TEST(Score, WhatHasNoScoreIsRefused) {
  EXPECT_THROW(static_cast<void>(score_rule(line(false, 1), Score::accuracy)), base::UsageError);
  auto several = line(true, 1);
  several.task = model::PredictionTask::multi_class;
  several.classes = {"a", "b", "c"};
  EXPECT_THROW(static_cast<void>(score_rule(several, Score::loss)), base::UsageError);
  EXPECT_EQ(score_rule(several, std::nullopt).score, Score::accuracy);
}

// The sum without noise worth mentioning.
double sum_of(const data::Dataset& data, privacy::Adjacency adjacency) {
  const auto model = line(true, 2);
  random::SeededSource source(1);
  privacy::Reservation permit(privacy::Gaussian{1e-7}, {1, 0, adjacency}, nullptr);
  return mechanism::release_gaussian(score_sum(model, data, {}, adjacency, 30),
                                     privacy::NoiseMultiplier(1e-7), {{}, source, permit})
      .value()[0];
}

// A neighbour moves the sum by 1 at most, and by as much as is certified in the worst case.
TEST(Score, NeighboursMoveTheSumByAtMostWhatIsCertified) {
  const auto all = records({{2048, 1}, {2048, -1}, {-1024, -1}});
  for (const auto& [other, adjacency] :
       {std::pair{records({{2048, 1}, {2048, -1}}), add_remove},
        {records({{2048, 1}, {2048, 1}, {-1024, -1}}), replace_one}}) {
    const double moved = std::abs(sum_of(all, adjacency) - sum_of(other, adjacency));
    const auto sum = score_sum(line(true, 2), all, {}, adjacency, 30);
    EXPECT_NEAR(moved, 1, 1e-5);
    EXPECT_LE(moved, 1 + 1e-5);
    // In units of the grid, 2^30 of them to a record's bound, which is one half around one half.
    const double bound = adjacency == replace_one ? 0.5 : 1;
    EXPECT_NEAR(static_cast<double>(sum.sensitivity(adjacency)) * bound * 0x1p-30, 1, 1e-8);
  }
}

TEST(Score, OfAUnitTheFirstRecordCounts) {
  data::Dataset data({.columns = 1, .norm_bound = 1});
  data.declare_units();
  const std::array row{std::int16_t{2048}};
  for (const auto& [label, unit] : {std::pair{1.0, 0}, {-1.0, 0}, {1.0, 1}, {-1.0, 0}}) {
    data.append_dense(row, label, unit);
  }
  EXPECT_NEAR(sum_of(data, add_remove), 2, 1e-5);
}

}  // namespace score_test
}  // namespace tacet::choose
