#include "tacet/accounting/loss/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pair_profiles.h"

namespace tacet::accounting::pairs {
namespace mixture_test {

using test::no_end;

const double rates[] = {1e-12, 1e-3, 0.3, 0.999, 1 - 1e-12};

// In numbers of 64 bits of digits, where the formula itself is still right.
TEST(Mixture, LossesAreThoseOfTheMixedDensity) {
  for (const double q : rates) {
    for (const double s : {-30.0, -2.0, -1e-9, 0.0, 1e-9, 0.5, 20.0, 500.0}) {
      const long double share =
          static_cast<long double>(q) * std::expm1(static_cast<long double>(s));
      const auto exact = static_cast<double>(std::log1p(share));
      // 1 - q has few digits of its own next to rates of 1.
      const double slack =
          1e-14 * std::fabs(exact) + (q > 0.5 && s < 0 ? 1e-4 * (s < -25) + 1e-15 : 0);
      EXPECT_NEAR(mixed_loss(q, s), exact, slack + 1e-300) << q << " " << s;
    }
    EXPECT_EQ(mixed_loss(q, -no_end), std::log1p(-q));
    // Beyond the largest doubles.
    EXPECT_NEAR(mixed_loss(q, 1000), 1000 + std::log(q), 1e-10) << q;
  }
}

TEST(Mixture, UnmixingFindsTheLossAgain) {
  for (const double q : {1e-12, 1e-3, 0.3, 0.9}) {
    for (const double s : {-3.0, -0.1, 0.0, 1e-6, 0.7, 30.0, 900.0}) {
      // Losses of rare records are tiny: a unit of theirs is many of s.
      const double slack = 1e-14 * (1 + std::fabs(s)) + (s < 0 ? 4e-16 / q : 0);
      EXPECT_NEAR(unmixed_loss(q, mixed_loss(q, s)), s, slack) << q << " " << s;
    }
    EXPECT_EQ(unmixed_loss(q, 2 * std::log1p(-q) - 1e-3), -no_end);
    EXPECT_EQ(unmixed_loss(q, no_end), no_end);
  }
}

TEST(Mixture, MassesAreMixedAndTheOrdersMirrorEachOther) {
  const auto m = gaussian(1)->interval(0.2, 0.6);
  for (const double q : rates) {
    const auto remove = mixed(q, Order::remove, m);
    EXPECT_NEAR(remove.p, (1 - q) * m.q + q * m.p, 1e-16) << q;
    EXPECT_EQ(remove.q, m.q);
    EXPECT_NEAR(remove.log_ratio, std::log1p(q * std::expm1(m.log_ratio)), remove.ratio_error) << q;
    const auto add = mixed(q, Order::add, m);
    EXPECT_EQ(add.p, remove.q);
    EXPECT_EQ(add.q, remove.p);
    EXPECT_EQ(add.log_ratio, -remove.log_ratio);
  }
  EXPECT_EQ(mixed(0.5, Order::remove, nothing).p, 0);
}

TEST(Mixture, JoinedSetsHaveTheirMassesAndRatioTogether) {
  const auto pair = gaussian(1);
  const auto below = pair->interval(-0.9, -0.2);
  const auto above = pair->interval(0.3, 1.1);
  const auto both = joined(below, above, 0.25);
  EXPECT_NEAR(both.p, below.p + above.p + 0.25, 1e-16);
  EXPECT_NEAR(both.q, below.q + above.q + 0.25, 1e-16);
  EXPECT_NEAR(both.log_ratio, std::log(both.p / both.q), both.ratio_error + 1e-15);
  EXPECT_EQ(joined(nothing, nothing, 0).p, 0);
}

TEST(Mixture, LessThanTheTailLiesBeyondTheQuantile) {
  for (const double mu : {0.3, 4.0}) {
    for (const double q : {1e-6, 0.1, 0.9}) {
      for (const double log_tail : {-2.0, -20.0, -60.0}) {
        const auto base = gaussian(mu);
        const auto m = base->interval(mixture_upper_quantile(*base, q, log_tail), no_end);
        EXPECT_LE((1 - q) * m.q + q * m.p, std::exp(log_tail)) << mu << " " << q << " " << log_tail;
      }
    }
  }
}

TEST(Mixture, NothingIsKnownOfQuotientsOfNextToNothing) {
  EXPECT_EQ(log_of_ratio(0, 0.5), -no_end);
  EXPECT_EQ(log_of_ratio(0.5, 1e-300), no_end);
  EXPECT_EQ(log_of_ratio(0.5, 0.25), std::log(2.0));
}

}  // namespace mixture_test
}  // namespace tacet::accounting::pairs
