#include "tacet/accounting/stated_guarantee.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/decimal.h"

namespace tacet::accounting {
namespace stated_guarantee_test {

using privacy::prg_share;

constexpr auto replace_one = Adjacency::replace_one;

TEST(StatedGuarantee, WhatIsStatedHoldsBesideTheShare) {
  for (const double z : {0.5, 1.0, 4.0}) {
    for (const double term : {0.0, 1e-30, 1e-14, 1e-10}) {
      const Event event = Repeated{3, Gaussian{z}};
      const double delta = 1e-5;
      const auto proved = stated_guarantee(event, {8, delta, replace_one}, term);
      if (proved.epsilon > 8) continue;  // more noise is needed
      EXPECT_EQ(proved.delta, delta);
      EXPECT_LE(epsilon(event, replace_one, delta_left(proved, term)), proved.epsilon);
      // Never more than what was asked for, and next to what the events cost by themselves.
      EXPECT_LE(proved.epsilon, 8);
      if (term < 1e-20) {
        EXPECT_NEAR(proved.epsilon, epsilon(event, replace_one, Delta(delta)), 1e-9);
      }
    }
  }
  const Event loud = Gaussian{0.1};
  EXPECT_GT(stated_guarantee(loud, {1, 1e-5, replace_one}, 1e-30).epsilon, 1);
}

// A sum of pure epsilons may be a double above the decimal that it prints as. What is
// stated is a decimal that is not below.
TEST(StatedGuarantee, PureSumsAreStatedAsDecimalsThatAreNotBelow) {
  for (const double proved : {0.1, 0.3, 0.010948199999999991, 2.675, 7.1}) {
    const Event event = PureDp{proved, replace_one};
    const double stated = stated_guarantee(event, {8, 0, replace_one}, 0).epsilon;
    EXPECT_EQ(stated, privacy::decimal_up(proved));
    // Next to what was asked for, that.
    const double next = std::nextafter(privacy::decimal_up(proved), 8.0);
    EXPECT_LE(stated_guarantee(event, {next, 0, replace_one}, 0).epsilon, next);
    EXPECT_GE(stated_guarantee(event, {next, 0, replace_one}, 0).epsilon, stated);
  }
}

// So a ledger books decimals for noisy runs too, and twelve deltas of 1e-5 fill a cap of 1.2e-4.
TEST(StatedGuarantee, NoisyRunsAreBookedAsTheDecimalsThatTheyState) {
  for (int run = 0; run < 60; ++run) {
    const Event event = Repeated{1 + run % 7, Gaussian{2 + 0.37 * run}};
    const auto stated = stated_guarantee(event, {9, 1e-5, replace_one}, 1e-30);
    ASSERT_LT(stated.epsilon, 9);
    EXPECT_TRUE(stated_cost(event, replace_one, stated).as_stated) << run;
  }
}

constexpr auto adjacency = Adjacency::add_remove;

// The double 0.1 is above a tenth, so that an event of it costs more than the decimal.
TEST(StatedCost, IsTheDecimalWhereTheProofReachesIt) {
  const auto whole = stated_cost(PureDp{0.0999, adjacency}, adjacency, {0.1, 0, adjacency});
  EXPECT_EQ(whole, (privacy::Amount{0.1, 0, true}));
  const auto fraction = stated_cost(PureDp{0.1, adjacency}, adjacency, {0.1, 0, adjacency});
  EXPECT_EQ(fraction, (privacy::Amount{0.1, 0, false}));
}

TEST(StatedCost, IsNeverBelowTheProof) {
  for (const double noise : {0.7, 1.0, 3.0}) {
    const auto proved = account(Gaussian{noise}, adjacency, Delta(1e-6));
    const auto cost = stated_cost(Gaussian{noise}, adjacency, {0.01, 1e-6, adjacency});
    EXPECT_GE(cost.value, proved.epsilon);
    EXPECT_EQ(cost.delta, 1e-6);
  }
}

TEST(StatedCost, SumsWhatIsStatedApproximately) {
  const Event both = Composed{{ApproximateDp{0.25, 1e-7, adjacency}, PureDp{0.5, adjacency}}};
  EXPECT_EQ(stated_cost(both, adjacency, {0.75, 1e-6, adjacency}),
            (privacy::Amount{0.75, 1e-6, true}));
}

TEST(StatedCost, RefusesWhatNothingIsProvedFor) {
  EXPECT_THROW(static_cast<void>(
                   stated_cost(PureDp{1, Adjacency::replace_one}, adjacency, {1, 0, adjacency})),
               base::GuaranteeError);
}

}  // namespace stated_guarantee_test

}  // namespace tacet::accounting
