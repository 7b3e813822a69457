// An audit of the quartiles of a column, outcome by outcome.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/mechanism/point/column_summary.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace column_summary_audit_test {

using privacy::Adjacency;

SummaryCost cost_of(double epsilon, Adjacency adjacency = Adjacency::add_remove) {
  return {privacy::Epsilon(epsilon), adjacency, 1};
}

/// How often each triple of quartiles comes out.
std::map<Quartiles, std::int64_t> outcomes(const std::vector<double>& values,
                                           const SummaryCost& cost, int draws, std::uint64_t seed) {
  test::Spender spender(seed, cost.quartile_event(), cost.adjacency, 3 * draws);
  std::map<Quartiles, std::int64_t> found;
  for (int i = 0; i < draws; ++i) {
    ++found[release_quartiles(privacy::Private<std::vector<double>>(values), {0, 2, 1.0}, cost,
                              {spender.next(), spender.source, spender.reservation})
                .value()];
  }
  return found;
}

/// The largest lower bound of ln P(outcome) - ln Q(outcome) over all outcomes.
double observed_loss(const std::map<Quartiles, std::int64_t>& p,
                     const std::map<Quartiles, std::int64_t>& q, int draws) {
  const double alpha = 1e-9 / static_cast<double>(2 * p.size());
  double most = 0;
  for (const auto& [outcome, count] : p) {
    const auto other = q.contains(outcome) ? q.at(outcome) : 0;
    most = std::max(most, audit::epsilon_refuted({count, draws}, {other, draws}, 0, alpha));
  }
  return most;
}

// Three quartiles at epsilon 1 each: neighbours, and those two steps apart, differ by at most 3.
// A cost that took a replaced record for one change would be caught: the same neighbours show more
// than half of what they may under add_remove.
TEST(ColumnSummaryAudit, QuartilesOfNeighboursDifferByAtMostTheirCost) {
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

}  // namespace column_summary_audit_test
}  // namespace tacet::mechanism
