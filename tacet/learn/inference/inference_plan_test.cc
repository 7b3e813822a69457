#include "tacet/learn/inference/inference_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"

namespace tacet::learn {
namespace inference_plan_test {

using optimize::JointShares;
using optimize::MeanModel;
using enum privacy::Adjacency;

InferenceOptions asked(double epsilon, std::int64_t rows = 10000,
                       privacy::Adjacency adjacency = add_remove) {
  return {.epsilon = epsilon, .delta = 1e-6, .adjacency = adjacency, .rows = rows};
}

RegressionFacts facts_of(MeanModel mean, std::int64_t columns, double epsilon,
                         std::int64_t rows = 10000, privacy::Adjacency adjacency = add_remove) {
  return regression_facts(asked(epsilon, rows, adjacency), mean, columns, 30);
}

TEST(InferencePlan, ReleasesSpendTheBudgetAndNoMore) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    for (const auto mean : {MeanModel::identity, MeanModel::logistic, MeanModel::poisson}) {
      for (const double epsilon : {.25, 1.0, 4.0}) {
        const auto options = asked(epsilon, 10000, adjacency);
        const auto facts = facts_of(mean, 11, epsilon, 10000, adjacency);
        const auto noise = inference_noise(options, facts, 2);
        const double cost = accounting::epsilon(releases(noise), adjacency, privacy::Delta(1e-6));
        EXPECT_LE(cost, epsilon);
        EXPECT_GT(cost, .999 * epsilon);
      }
    }
  }
}

// Every release stays within its bound: with residuals and curvature of full size where these go
// together, and over all integers where a residual says the curvature.
TEST(InferencePlan, SharesLeaveRoomForWhatIsReleased) {
  for (const auto adjacency : {add_remove, replace_one}) {
    for (const auto mean : {MeanModel::identity, MeanModel::logistic}) {
      const auto facts = facts_of(mean, 5, 1, 10000, adjacency);
      const auto full = std::int64_t{1} << 22;
      EXPECT_TRUE(
          within_joint_bound(start_shares(facts), adjacency, optimize::residual_units, full));
      for (const auto& shares : {step_shares(facts), last_shares(facts)}) {
        const bool together = mean == MeanModel::identity;
        for (std::int64_t rho = 0; rho <= optimize::residual_units; rho += 257) {
          const auto limit = together ? full : 4 * optimize::logistic_curvature(rho);
          ASSERT_TRUE(within_joint_bound(shares, adjacency, rho, limit));
        }
      }
    }
    // Nothing is left over where everything goes together.
    auto shares = last_shares(facts_of(MeanModel::identity, 5, 1, 10000, adjacency));
    shares.curvature += 3;
    EXPECT_FALSE(
        within_joint_bound(shares, adjacency, optimize::residual_units, std::int64_t{1} << 22));
  }
}

// Where a cut of 6 standard deviations costs little it is taken before the reach grows; what both
// cost together stays below a third of the sampling variance wherever the reach was free to grow.
TEST(InferencePlan, AWideCutComesBeforeALargeReach) {
  int wide = 0;
  for (const double rows : {1e3, 3e3, 1e4, 2e4, 3e4, 1e5, 1e6}) {
    const auto found = forecast(facts_of(MeanModel::identity, 6, 2, std::llround(rows)));
    ASSERT_TRUE(found.cut >= wide_cut || found.cut == 3);
    if (found.cut == 3) {
      EXPECT_EQ(wide, 0) << "more rows afford what fewer did";
      const auto narrow = forecast(facts_of(MeanModel::identity, 6, 2, std::llround(rows)), 3);
      EXPECT_GT(4 * (narrow.width * narrow.width - 1), .3) << "a cut of 6 was affordable";
      continue;
    }
    ++wide;
    EXPECT_LE(found.width, std::sqrt(1.3));
  }
  EXPECT_GE(wide, 3);
}

// Beyond a cut of 6 standard deviations, the noise of the second moment stays a quarter of it in
// each direction, and a larger budget lowers it: standard errors are those of the records at last.
TEST(InferencePlan, AWiderCutLeavesStandardErrorsKnown) {
  for (const std::int64_t columns : {2, 5, 20}) {
    for (const std::int64_t rows : {10000, 1000000}) {
      double before = 1;
      for (const double epsilon : {4., 8., 16., 32., 64., 128.}) {
        const auto facts = facts_of(MeanModel::identity, columns, epsilon, rows);
        const auto found = forecast(facts);
        const double mu = facts.mu * std::sqrt(budget_shares(facts.mean).last() *
                                               JointShares::real(last_shares(facts).moment));
        const double noise = found.reach * static_cast<double>(columns) * found.cut * found.cut /
                             (mu * static_cast<double>(rows));
        if (found.cut > wide_cut) {
          EXPECT_LE(noise, .2501) << columns << " " << epsilon;
        }
        if (epsilon > 16) {
          EXPECT_LT(noise, before);
        }
        before = noise;
      }
    }
  }
}

// The table of the specification, in thousands of rows: relative noise .3 and .15 with 3, 10 and 30
// columns beside the constant.
TEST(InferencePlan, RowsThatAreNeeded) {
  const auto needed = [](int slopes, double epsilon, double limit) {
    return static_cast<double>(
               rows_needed(facts_of(MeanModel::logistic, slopes + 1, epsilon), limit)) /
           1000;
  };
  const struct {
    int slopes;
    double epsilon, most, doubtful;
  } rows[] = {{3, .5, 2.4, 4.7}, {3, 1, 1.3, 2.5}, {3, 2, .7, 1.3}, {3, 4, .4, .7},
              {10, .5, 11, 22},  {10, 1, 5.7, 11}, {10, 2, 3, 5.9}, {10, 4, 1.6, 3.2},
              {30, .5, 51, 102}, {30, 1, 27, 53},  {30, 2, 14, 28}, {30, 4, 7.5, 15}};
  for (const auto& row : rows) {
    // The specification rounds to two digits, and has a coarse grid of rows.
    EXPECT_NEAR(needed(row.slopes, row.epsilon, .3), row.most, .06 + .07 * row.most);
    EXPECT_NEAR(needed(row.slopes, row.epsilon, .15), row.doubtful, .06 + .07 * row.doubtful);
  }
}

TEST(InferencePlan, RefusesBeforeAnythingIsSpent) {
  const auto facts = facts_of(MeanModel::logistic, 11, 1, 5000);
  try {
    static_cast<void>(check_identified(asked(1, 5000), facts));
    ADD_FAILURE() << "5,000 rows with 11 columns at epsilon 1 were taken";
  } catch (const base::UsageError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("5000 rows with 11 columns at epsilon 1 identify nothing"),
              std::string::npos);
    EXPECT_NE(what.find("it takes about 5"), std::string::npos) << what;
  }
  // What the message names suffices, and a tenth less does not.
  const auto rows = rows_needed(facts);
  EXPECT_NO_THROW(static_cast<void>(
      check_identified(asked(1, rows), facts_of(MeanModel::logistic, 11, 1, rows))));
  const auto fewer = rows * 9 / 10;
  EXPECT_THROW(static_cast<void>(
                   check_identified(asked(1, fewer), facts_of(MeanModel::logistic, 11, 1, fewer))),
               base::UsageError);
  EXPECT_FALSE(
      check_identified(asked(1, 8000), facts_of(MeanModel::logistic, 11, 1, 8000)).empty());
  EXPECT_TRUE(
      check_identified(asked(1, 20000), facts_of(MeanModel::logistic, 11, 1, 20000)).empty());
}

// The widths of the trial at 10,000 rows: 1.32 and 1.05 of the plain interval with two classes.
TEST(InferencePlan, WidthIsKnownBeforehand) {
  EXPECT_NEAR(forecast(facts_of(MeanModel::logistic, 11, 1)).width, 1.32, .12);
  EXPECT_NEAR(forecast(facts_of(MeanModel::logistic, 11, 4)).width, 1.05, .05);
  EXPECT_NEAR(forecast(facts_of(MeanModel::identity, 11, 1)).width, 1.5, .2);
  EXPECT_LT(forecast(facts_of(MeanModel::identity, 11, 1e3)).width, 1.05);
}

// What is identified at a budget stays identified at a larger one: noise of the curvature never
// rises, and at four times the epsilon is at most .8 of what it was.
TEST(InferencePlan, ALargerBudgetNeverHasMoreNoise) {
  int grown = 0;
  for (const auto mean : {MeanModel::identity, MeanModel::logistic, MeanModel::poisson}) {
    for (const std::int64_t columns : {2, 4, 8, 16, 31}) {
      for (const std::int64_t rows : {1000, 4000, 10000, 50000, 300000}) {
        double quarter = 0;
        double before = 1e9;
        for (const double epsilon : {.25, .35, .5, .7, 1.0, 1.4, 2.0, 2.8, 4.0}) {
          const auto found = forecast(facts_of(mean, columns, epsilon, rows));
          EXPECT_LE(found.relative_noise, before * (1 + 1e-9)) << columns << ' ' << rows;
          before = found.relative_noise;
          if (epsilon == 1) quarter = before;
          if (found.reach > 3 && found.reach < 8) ++grown;
        }
        EXPECT_LE(before, .8 * quarter) << columns << ' ' << rows;
      }
    }
  }
  EXPECT_GT(grown, 50);  // the reach was free to grow in many of them
}

// What a reach costs: the plan's advice to take a smaller one where coefficients are lost.
TEST(InferencePlan, ASmallerReachHasLessNoise) {
  for (const auto mean : {MeanModel::identity, MeanModel::logistic}) {
    const auto facts = facts_of(mean, 7, 2);
    const auto chosen = forecast(facts);
    ASSERT_GT(chosen.reach, 3);
    EXPECT_NEAR(forecast(facts, 3).relative_noise, chosen.relative_noise * 3 / chosen.reach, 1e-12);
    EXPECT_LT(forecast(facts, 3).width, chosen.width);
  }
}

// As many records of a category as make it stand out of the start's noise, whatever the table's
// size: 145 with 8 columns at epsilon 1 in simulations, of which two fifths more were enough.
TEST(InferencePlan, RecordsThatACategoryNeeds) {
  const auto found = forecast(facts_of(MeanModel::logistic, 8, 1));
  EXPECT_NEAR(found.level_records, 217, 3);
  EXPECT_EQ(found.level_records,
            forecast(facts_of(MeanModel::logistic, 8, 1, 100000)).level_records);
  EXPECT_LT(forecast(facts_of(MeanModel::logistic, 8, 2)).level_records, found.level_records);
}

TEST(InferencePlan, ReplacedRecordsCostLessThanTwice) {
  const auto alone = forecast(facts_of(MeanModel::logistic, 5, 1, 10000, add_remove));
  const auto replaced = forecast(facts_of(MeanModel::logistic, 5, 1, 10000, replace_one));
  EXPECT_LT(replaced.relative_noise / replaced.reach, 1.6 * alone.relative_noise / alone.reach);
}

TEST(InferencePlan, CutOfCountsDecidesTheRoomOfTheirCurvature) {
  const JointShares others{.score = 1 << 19, .curvature = 0, .moment = 1 << 15};
  for (const double cut : {5.0, 11.0, 30.0}) {
    const auto share = poisson_curvature_share(cut, 4.5, others, add_remove);
    EXPECT_GE(JointShares::real(share), .02);
    EXPECT_LE(JointShares::real(share), 4);
  }
}

TEST(InferencePlan, RefusesMoreCountsThanItTellsApart) {
  EXPECT_THROW(static_cast<void>(regression_facts(asked(1), MeanModel::poisson, 3, 701)),
               base::UsageError);
  auto options = asked(1);
  options.count_cut = 700;
  EXPECT_EQ(regression_facts(options, MeanModel::poisson, 3, 1e6).cut, 700);
}

TEST(InferencePlan, RefusesOptionsThatMakeNoSense) {
  const auto facts = facts_of(MeanModel::logistic, 5, 1);
  auto options = asked(1);
  options.rows = 0;
  EXPECT_THROW(static_cast<void>(inference_noise(options, facts, 2)), base::UsageError);
  options = asked(1);
  options.delta = 0;
  EXPECT_THROW(static_cast<void>(inference_noise(options, facts, 2)), base::GuaranteeError);
  options = asked(1);
  options.reach = .5;
  EXPECT_THROW(static_cast<void>(inference_noise(options, facts, 2)), base::UsageError);
}

// Every width that is allowed is fitted, and what the refusal asks for is enough.
TEST(InferencePlan, CountsWhoseIntervalsWouldBeTooWideAreRefused) {
  const auto width = [](const InferenceOptions& options) {
    return forecast(regression_facts(options, MeanModel::poisson, 4, 30)).width;
  };
  auto options = asked(1);
  int refused = 0;
  for (const std::int64_t rows : {10'000, 15'000, 20'000, 40'000, 100'000}) {
    options.rows = rows;
    const auto facts = regression_facts(options, MeanModel::poisson, 4, 30);
    if (width(options) <= max_width_of_counts) {
      EXPECT_NO_THROW(static_cast<void>(check_identified(options, facts))) << rows;
      continue;
    }
    ++refused;
    try {
      static_cast<void>(check_identified(options, facts));
      ADD_FAILURE() << rows;
    } catch (const base::UsageError& error) {
      const std::string text = error.what();
      const auto number_after = [&](std::string_view words) {
        const auto at = text.find(words);
        EXPECT_NE(at, std::string::npos) << text;
        return std::stod(text.substr(at + words.size()));
      };
      auto more = options;
      more.rows = static_cast<std::int64_t>(1.01 * number_after("it takes about "));
      EXPECT_LE(width(more), max_width_of_counts);
      more = options;
      more.epsilon = 1.01 * number_after("or epsilon ");
      EXPECT_LE(width(more), max_width_of_counts);
    }
  }
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 4);
}

}  // namespace inference_plan_test
}  // namespace tacet::learn
