#include "tacet/mechanism/point/column_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
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

/// How often each triple of quartiles comes out.
std::map<Quartiles, std::int64_t> outcomes(const std::vector<double>& values,
                                           const SummaryCost& cost, int draws, std::uint64_t seed) {
  Spender spender(seed, cost.quartile_event(), cost.adjacency, 3 * draws);
  std::map<Quartiles, std::int64_t> found;
  for (int i = 0; i < draws; ++i) {
    ++found[release_quartiles(Private<std::vector<double>>(values), {0, 2, 1.0}, cost,
                              {spender.next(), spender.source, spender.reservation})
                .value()];
  }
  return found;
}

/// The largest lower bound of ln P(outcome) - ln Q(outcome) over all outcomes.
double observed_loss(const std::map<Quartiles, std::int64_t>& p,
                     const std::map<Quartiles, std::int64_t>& q, int draws) {
  const double alpha = test::false_alarm_rate / static_cast<double>(2 * p.size());
  double most = 0;
  for (const auto& [outcome, count] : p) {
    const auto other = q.contains(outcome) ? q.at(outcome) : 0;
    const double low = test::binomial_lower_bound(count, draws, alpha);
    if (low > 0) {
      most = std::max(most, std::log(low / test::binomial_upper_bound(other, draws, alpha)));
    }
  }
  return most;
}

// Three quartiles at epsilon 1 each: neighbours, and those two steps apart, differ by at most 3.
// A cost that took a replaced record for one change would be caught: the same neighbours show more
// than half of what they may under add_remove.
TEST(ColumnSummary, QuartilesOfNeighboursDifferByAtMostTheirCost) {
  constexpr int draws = 20000;
  const auto base = std::vector<double>{0, 0, 2};
  const auto one_more = std::vector<double>{0, 0, 2, 2};
  const auto replaced = std::vector<double>{2, 0, 2};
  for (const auto& cost : {cost_of(1), cost_of(1, Adjacency::replace_one)}) {
    const auto& neighbour = cost.adjacency == Adjacency::add_remove ? one_more : replaced;
    const auto p = outcomes(base, cost, draws, 1);
    const auto q = outcomes(neighbour, cost, draws, 2);
    EXPECT_LE(observed_loss(p, q, draws), 3) << privacy::to_string(cost.adjacency);
    EXPECT_LE(observed_loss(q, p, draws), 3);
    EXPECT_GT(observed_loss(p, q, draws), 0.05);
  }
  const auto careless = outcomes(base, cost_of(2), draws, 3);
  EXPECT_GT(observed_loss(careless, outcomes(replaced, cost_of(2), draws, 4), draws), 1.5);
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
  EXPECT_LE(test::binomial_lower_bound(outside, draws, test::false_alarm_rate), 0.05);
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
