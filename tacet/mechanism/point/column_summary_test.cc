#include "tacet/mechanism/point/column_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace column_summary_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Private;
using test::Spender;
using Counts = std::vector<std::int64_t>;

SummaryCost cost_of(double epsilon, Adjacency adjacency = Adjacency::add_remove,
                    std::int64_t records = 1) {
  return {Epsilon(epsilon), adjacency, records};
}

TEST(ColumnSummary, ReplacedAndEmptiedRecordsAreTwoChanges) {
  EXPECT_EQ(cost_of(1).changes(), 1);
  EXPECT_EQ(cost_of(1, Adjacency::replace_one).changes(), 2);
  EXPECT_EQ(cost_of(1, Adjacency::zero_out, 5).changes(), 10);
  EXPECT_EQ(cost_of(1, Adjacency::zero_out, 4).epsilon_per_change().value(), 0.125);
  EXPECT_THROW(static_cast<void>(cost_of(1, Adjacency::add_remove, 0).changes()), base::UsageError);
  EXPECT_EQ(cost_of(0.3, Adjacency::replace_one).counts_event(),
            privacy::Event(privacy::PureDp{0.3, Adjacency::replace_one}));
}

/// The law of the noise on one count, changes / epsilon = 2 in every case.
TEST(ColumnSummary, CountsHaveDiscreteLaplaceNoise) {
  constexpr int draws = 20000;
  constexpr std::int64_t far = 8;
  for (const auto& cost :
       {cost_of(0.5), cost_of(1, Adjacency::replace_one), cost_of(2, Adjacency::zero_out, 2)}) {
    Spender spender(7, cost.counts_event(), cost.adjacency, draws);
    std::vector<std::int64_t> observed(2 * far + 1, 0);
    for (int i = 0; i < draws; ++i) {
      const auto noisy = release_counts(Private<Counts>({1000, 3}), cost,
                                        {spender.next(), spender.source, spender.reservation});
      EXPECT_EQ(noisy.event(), cost.counts_event());
      const auto noise = std::clamp<std::int64_t>(noisy.value()[0] - 1000, -far, far);
      ++observed[static_cast<std::size_t>(noise + far)];
    }
    const double q = std::exp(-0.5);
    std::vector<double> expected;
    for (std::int64_t k = -far; k <= far; ++k) {
      const double tail = std::abs(k) == far ? 1 / (1 - q) : 1;
      expected.push_back(draws * tail * (1 - q) / (1 + q) *
                         std::pow(q, static_cast<double>(std::abs(k))));
    }
    EXPECT_GT(test::chi_square_p_value(observed, expected), test::false_alarm_rate);
  }
}

TEST(ColumnSummary, QuartilesAreInOrderAndWithinTheirMargin) {
  const auto cost = cost_of(0.1);
  const Grid grid(0, 1000, 0.1);
  std::vector<double> values(20001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 20;
  // 20 values per unit: the margin, in units.
  const double margin = quartile_margin(cost, grid) / 20 + 0.1;
  EXPECT_LT(margin, 15);
  constexpr int draws = 300;
  Spender spender(5, cost.quartile_event(), cost.adjacency, 3 * draws);
  int outside = 0;
  for (int i = 0; i < draws; ++i) {
    const auto found = release_quartiles(Private<std::vector<double>>(values), grid, cost,
                                         {spender.next(), spender.source, spender.reservation})
                           .value();
    ASSERT_TRUE(std::ranges::is_sorted(found));
    const bool off = std::abs(found[0] - 250) > margin || std::abs(found[1] - 500) > margin ||
                     std::abs(found[2] - 750) > margin;
    outside += off ? 1 : 0;
  }
  // At a share of 0.05 so many or more would hardly ever be outside.
  const boost::math::binomial law(draws, 0.05);
  EXPECT_TRUE(outside == 0 ||
              boost::math::cdf(boost::math::complement(law, outside - 1)) > test::false_alarm_rate);
}

TEST(ColumnSummary, ACountIsWithinItsMarginInNineteenOfTwenty) {
  for (const double epsilon : {0.01, 0.3, 2.0}) {
    const auto cost = cost_of(epsilon);
    const double q = std::exp(-epsilon);
    const double beyond = 2 * std::pow(q, count_margin(cost) + 1) / (1 + q);
    EXPECT_LE(beyond, 0.05);
    EXPECT_GT(beyond * std::exp(2 * epsilon), 0.04);  // not much wider than needed
  }
}

TEST(ColumnSummary, EmptyColumnsHaveQuartilesToo) {
  const auto cost = cost_of(1);
  Spender spender(6, cost.quartile_event(), cost.adjacency, 3);
  const auto found = release_quartiles(Private<std::vector<double>>({}), {-1, 1, 0.5}, cost,
                                       {spender.next(), spender.source, spender.reservation})
                         .value();
  for (const double value : found) {
    EXPECT_GE(value, -1);
    EXPECT_LE(value, 1);
  }
}

}  // namespace column_summary_test
}  // namespace tacet::mechanism
