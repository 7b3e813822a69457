#include "tacet/accounting/stated_guarantee.h"

#include <gtest/gtest.h>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace stated_guarantee_test {

using privacy::cipher_share;

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

}  // namespace stated_guarantee_test
}  // namespace tacet::accounting
