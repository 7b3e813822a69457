#include "tacet/accounting/dominating.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tests/support/pair_profiles.h"

namespace tacet::accounting::internal {
namespace dominating_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;

TEST(DominatingPairs, JoinGaussianNoiseAndCountTheRest) {
  const Event event = Composed{{Repeated{9, Gaussian{3}}, Repeated{5, Laplace{2}}}};
  const auto found = dominating_pairs(event, add_remove);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->attained);
  EXPECT_TRUE(found->add.empty());
  ASSERT_EQ(found->remove.size(), 2U);
  for (const auto& one : found->remove) {
    const bool laplace = one.count == 5;
    EXPECT_TRUE(laplace || one.count == 1);
    for (const double e : {0.0, 0.2, 0.4}) {
      const double exact = laplace ? -std::expm1((e - 0.5) / 2) : gaussian::delta(1, e);
      EXPECT_NEAR(test::delta_of(*one.pair, e), exact, 1e-12) << e;
    }
  }
}

TEST(DominatingPairs, KeepBothOrdersOfSamplesApart) {
  const Event event = Repeated{7, PoissonSampled{0.1, Gaussian{1}}};
  const auto found = dominating_pairs(event, add_remove);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->remove.size(), 1U);
  ASSERT_EQ(found->add.size(), 1U);
  EXPECT_EQ(found->remove[0].count, 7);
  EXPECT_EQ(found->add[0].count, 7);
  EXPECT_GT(test::delta_of(*found->remove[0].pair, 0.3), test::delta_of(*found->add[0].pair, 0.3));
  // A record that replaces another is one pair for both orders.
  const auto replaced = dominating_pairs(event, replace_one);
  ASSERT_TRUE(replaced);
  EXPECT_TRUE(replaced->add.empty());
}

TEST(DominatingPairs, SayWhetherDataSetsMeetThem) {
  EXPECT_TRUE(dominating_pairs(Laplace{1}, add_remove)->attained);
  EXPECT_FALSE(dominating_pairs(PureDp{1, add_remove}, add_remove)->attained);
  EXPECT_FALSE(dominating_pairs(FixedSizeSampled{1, 10, Gaussian{1}}, replace_one)->attained);
}

// An event known by Renyi bounds alone has no loss distribution; its own accountants are no help to
// itself.
TEST(DominatingPairs, AreNoneOfWhatHasNoLossDistribution) {
  EXPECT_FALSE(dominating_pairs(Zcdp{0.1, add_remove}, add_remove));
  EXPECT_FALSE(dominating_pairs(Gaussian{0}, add_remove));
  const auto beside = dominating_pairs(Composed{{Zcdp{0.1, add_remove}, Laplace{1}}}, add_remove);
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->remove.size(), 2U);
  EXPECT_FALSE(beside->attained);
}

TEST(AttainedPairs, NeverCostMoreThanTheEvent) {
  for (const Event& event :
       {Event(Repeated{20, FixedSizeSampled{1, 20, Gaussian{2}}}),
        Event(Repeated{20, PoissonSampled{0.05, Gaussian{1}}}), Event(Repeated{3, Laplace{2}})}) {
    for (const auto adjacency : {zero_out, replace_one}) {
      const auto met = attained_pairs(event, adjacency);
      ASSERT_TRUE(met);
      const auto whole = epsilon_interval(event, adjacency, Delta(1e-5));
      const auto part = pld::epsilon_bracket(met->remove, met->add, 1e-5);
      EXPECT_LE(part.lower, whole.upper) << event_to_json(event);
      EXPECT_GT(part.upper, 0) << event_to_json(event);
    }
  }
}

TEST(AttainedPairs, LeaveOutWhatIsNotKnownToBeMet) {
  const auto met = attained_pairs(Composed{{Laplace{1}, PureDp{1, add_remove}}}, add_remove);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->remove.size(), 1U);
  EXPECT_FALSE(attained_pairs(PureDp{1, add_remove}, add_remove));
  EXPECT_FALSE(attained_pairs(no_event(), add_remove));
}

}  // namespace dominating_test
}  // namespace tacet::accounting::internal
