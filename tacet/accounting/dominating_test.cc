#include "tacet/accounting/dominating.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
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

// The ends enclose what is known exactly, and a composition that nothing adds up is no error.
TEST(DominatingPairs, ComposeToEndsAroundTheExactCost) {
  const Event event = Repeated{16, Gaussian{4}};
  const auto compose = [](const auto& remove, const auto& add, const pld::PldOptions& allowed) {
    return pld::epsilon_bracket(remove, add, 1e-5, allowed);
  };
  const auto bounds = bounds_by_pairs(event, add_remove, compose, {});
  ASSERT_TRUE(bounds && bounds->bracket);
  EXPECT_TRUE(bounds->data_meet);
  const double exact = gaussian::epsilon(1, Delta(1e-5));
  EXPECT_LE(bounds->bracket->lower, exact);
  EXPECT_GE(bounds->bracket->upper, exact * (1 - 1e-12));
  EXPECT_LE(bounds->bracket->upper, exact * (1 + 2e-3));
  const auto nothing = [](const auto&, const auto&, const pld::PldOptions&) -> pld::Bracket {
    throw base::NumericError("beyond the grid");
  };
  const auto without = bounds_by_pairs(event, add_remove, nothing, {});
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->bracket);
}

// More uses cost no less, so their upper end bounds fewer uses too; many uses are not tried.
TEST(DominatingPairs, MoreUsesBoundFewer) {
  const PrivacyInterval wide{0.1, 50, true, "rdp"};
  const auto compose = [](const auto& remove, const auto& /*add*/, const pld::PldOptions&) {
    return pld::Bracket{0, 7.0 / static_cast<double>(remove.front().count), 0};
  };
  const Event rare = PoissonSampled{0.01, Gaussian{1}};
  EXPECT_EQ(upper_of_more_uses(Repeated{10, rare}, add_remove, compose, {}, wide), 7.0 / 80);
  EXPECT_EQ(upper_of_more_uses(Repeated{1001, rare}, add_remove, compose, {}, wide), 50);
  EXPECT_EQ(upper_of_more_uses(rare, add_remove, compose, {}, wide), 50);
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
