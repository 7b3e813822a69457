#include "examples/reductions/reductions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace reductions_test {

using namespace ::reductions;  // NOLINT: of an example

using privacy::Adjacency;

// F(w) = |w - 0.3| on [-1, 1] by a method that is off by an adversarial amount each time: the
// largest that its error bound for losses with (lambda, 2)-growth, (c Delta)^2 / lambda, allows.
TEST(GrowthToConvex, ErrorsOfTheStagesTelescope) {
  constexpr double delta = 1e-3;
  constexpr double diameter = 2;
  const auto reduction = growth_reduction(2, 1, diameter, [](std::int64_t) { return delta; });
  EXPECT_EQ(reduction.weights.size(), 10U);  // log2(1000)
  EXPECT_DOUBLE_EQ(reduction.weights[0], delta / diameter / 2);
  EXPECT_DOUBLE_EQ(reduction.weights[1], 2 * reduction.weights[0]);
  double worst = 0;
  for (const double side : {1.0, -1.0}) {
    const auto result =
        growth_to_convex(reduction, {-1}, [&](std::span<const double> centre, double weight) {
          // Exact minimiser of |w - 0.3| + weight (w - c)^2.
          const double pull = 1 / (2 * weight);
          const double gap = 0.3 - centre[0];
          const double exact = std::fabs(gap) <= pull ? 0.3 : centre[0] + std::copysign(pull, gap);
          // lambda = 2 weight; F + regulariser rises by at least lambda/2 x^2: error
          // Delta^2/lambda.
          const double off = std::sqrt(2.0) * delta / (2 * weight);
          return std::vector<double>{std::clamp(exact + side * off, -1.0, 1.0)};
        });
    worst = std::max(worst, std::fabs(result[0] - 0.3));
  }
  EXPECT_LT(worst, 20 * diameter * delta);
}

TEST(GrowthToConvex, StagesShareTheBudget) {
  // A method whose error is proportional to the number of shares.
  const auto reduction =
      growth_reduction(3, 1, 1, [](std::int64_t k) { return 1e-3 * static_cast<double>(k); });
  const auto k = static_cast<double>(reduction.weights.size());
  EXPECT_GE(k, 2 * std::log2(1 / (1e-3 * k)));
  EXPECT_LT(k - 1, 2 * std::log2(1 / (1e-3 * (k - 1))));
  EXPECT_THROW((void)growth_reduction(1, 1, 1, [](std::int64_t) { return 1.0; }), base::UsageError);
  EXPECT_THROW((void)growth_reduction(9, 1, 1, [](std::int64_t) { return 1e-9; }),
               base::UsageError);
}

// n = 1000: the expected number of records that occur at least k+1 times is below n / (k+1)!.
TEST(PopulationToEmpirical, FewRecordsOccurMoreThanTheBound) {
  const auto copies = max_copies(1000, 1e-3);
  EXPECT_GE(copies, 6);
  EXPECT_LE(copies, 9);
  EXPECT_EQ(max_copies(1, 0.5), 1);
  random::SeededSource source(1);
  int failures = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    const auto drawn = resample(source.claim(random::Purpose::sampling, run, 0), 1000, copies);
    if (!drawn) {
      ++failures;
      continue;
    }
    EXPECT_EQ(drawn->size(), 1000U);
    for (const auto row : *drawn) EXPECT_TRUE(row >= 0 && row < 1000);
  }
  // Expected below 0.3; more than 6 has a probability below 1e-7.
  EXPECT_LE(failures, 6);
  // One copy at most, of 1000 draws of 1000: never.
  EXPECT_FALSE(resample(source.claim(random::Purpose::sampling, 1000, 0), 1000, 1).has_value());
}

TEST(PopulationToEmpirical, CostsAGroupOfRecords) {
  const privacy::Guarantee inner{0.1, 0, Adjacency::replace_one};
  EXPECT_NEAR(group_guarantee(inner, 5).epsilon, 0.5, 1e-15);
  EXPECT_GE(group_guarantee(inner, 5).epsilon, 0.5);
  const privacy::Guarantee approximate{0.1, 1e-6, Adjacency::replace_one};
  // delta (1 + e^0.1 + e^0.2), the chain of three neighbours.
  EXPECT_NEAR(group_guarantee(approximate, 3).delta, 1e-6 * (1 + std::exp(0.1) + std::exp(0.2)),
              1e-15);
  EXPECT_THROW((void)group_guarantee({5, 1e-3, Adjacency::replace_one}, 10), base::GuaranteeError);

  random::SeededSource source(2);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  const auto event = population_event(inner, 7);
  auto reservation = budget.reserve(event, {0.71, 0, Adjacency::replace_one});
  const privacy::Event planned = privacy::PureDp{0.1, Adjacency::replace_one};
  std::size_t seen = 0;
  const auto result = population_to_empirical(
      100, 7, inner, planned,
      [&](std::span<const std::int64_t> rows, privacy::Reservation& share) {
        seen = rows.size();
        share.debit(planned);
        EXPECT_THROW(share.debit(planned), base::BudgetError);
        return std::vector<double>{1};
      },
      {0}, source.claim(random::Purpose::sampling, 0, 0), reservation);
  EXPECT_EQ(result, std::vector<double>{1});
  EXPECT_EQ(seen, 100U);
  EXPECT_EQ(reservation.spent(), event);
}

TEST(PopulationToEmpirical, RefusesWhatIsNotProved) {
  random::SeededSource source(3);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  const privacy::Guarantee inner{0.1, 0, Adjacency::replace_one};
  auto reservation = budget.reserve(population_event(inner, 2), {1, 0, Adjacency::replace_one});
  const auto nothing = [](std::span<const std::int64_t>, privacy::Reservation&) {
    return std::vector<double>{};
  };
  EXPECT_THROW((void)population_to_empirical(
                   10, 2, inner, privacy::PureDp{0.2, Adjacency::replace_one}, nothing, {},
                   source.claim(random::Purpose::sampling, 0, 0), reservation),
               base::UsageError);
  EXPECT_THROW(
      (void)population_to_empirical(10, 2, {0.1, 0, Adjacency::add_remove},
                                    privacy::PureDp{0.1, Adjacency::add_remove}, nothing, {},
                                    source.claim(random::Purpose::sampling, 1, 0), reservation),
      base::GuaranteeError);
}

}  // namespace reductions_test
}  // namespace tacet::learn
