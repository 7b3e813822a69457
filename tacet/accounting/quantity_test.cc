#include "tacet/accounting/quantity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/routes/gaussian.h"

namespace tacet::accounting::internal {
namespace quantity_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Both quantities of one event are one curve.
TEST(Quantity, BothEndsHoldTheGaussianCurve) {
  for (const double noise : {0.3, 1.0, 20.0}) {
    const Event event = Gaussian{noise};
    const double square = 1 / (noise * noise) * (1 + 0x1p-51);
    for (const double target : {1e-2, 1e-6, 1e-20}) {
      const double exact = accounting::gaussian::epsilon(1 / noise, Delta(target));
      const auto epsilon = EpsilonAt::of(target).gaussian(event, add_remove, square);
      EXPECT_LE(epsilon.lower, exact * (1 + 1e-9)) << noise << " " << target;
      EXPECT_GE(epsilon.upper, exact * (1 - 1e-12)) << noise << " " << target;
      EXPECT_LE(epsilon.lower, epsilon.upper);
      if (!(exact > 0)) continue;
      const auto delta = DeltaAt::of(exact).gaussian(event, add_remove, square);
      EXPECT_LE(delta.lower, target * (1 + 1e-6)) << noise << " " << target;
      EXPECT_GE(delta.upper, target * (1 - 1e-6)) << noise << " " << target;
      EXPECT_NEAR(delta.upper / delta.lower, 1, 1e-6) << noise << " " << target;
    }
  }
}

TEST(Quantity, AsksForNothingWhereTheAnswerIsAtHand) {
  const Event pure = Laplace{4};
  const auto exact = EpsilonAt::of(0).at_once(pure, add_remove, 0.25);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->upper, 0.25);
  EXPECT_TRUE(exact->lower_is_attained);
  const auto stated = EpsilonAt::of(0).at_once(PureDp{0.25, add_remove}, add_remove, 0.25);
  ASSERT_TRUE(stated);
  EXPECT_FALSE(stated->lower_is_attained);
  EXPECT_EQ(stated->lower, 0);
  const auto rare =
      EpsilonAt::of(1e-3).at_once(PoissonSampled{1e-4, Gaussian{0.1}}, add_remove, infinity);
  ASSERT_TRUE(rare);
  EXPECT_EQ(rare->upper, 0);
  EXPECT_EQ(rare->route, "participation");
  EXPECT_FALSE(EpsilonAt::of(1e-6).at_once(pure, add_remove, 0.25));
  EXPECT_EQ(DeltaAt::of(0.25).at_once(pure, add_remove, 0.25)->upper, 0);
  EXPECT_FALSE(DeltaAt::of(0.24).at_once(pure, add_remove, 0.25));
}

TEST(Quantity, SumsAreBoundsOfBothKinds) {
  const Event event = Composed{{ApproximateDp{1, 1e-6, add_remove}, PureDp{0.5, add_remove}}};
  const auto least = [&](const auto& quantity) {
    const auto bounds = quantity.by_sums(event, add_remove);
    return std::min(bounds[0].value, bounds[1].value);
  };
  EXPECT_NEAR(least(EpsilonAt::of(1e-6)), 1.5, 1e-12);
  EXPECT_EQ(least(EpsilonAt::of(0.9e-6)), EpsilonAt::trivial());
  EXPECT_EQ(least(DeltaAt::of(1.5)), 1e-6);
  EXPECT_EQ(least(DeltaAt::of(1.4)), DeltaAt::trivial());
}

TEST(Quantity, AllRecordsCostWhatGaussianNoiseCosts) {
  EXPECT_NEAR(EpsilonAt::of(1e-6).by_all_records(0.25),
              accounting::gaussian::epsilon(0.5, Delta(1e-6)), 1e-9);
  EXPECT_NEAR(DeltaAt::of(1).by_all_records(0.25), accounting::gaussian::delta(0.5, 1), 1e-9);
  EXPECT_GE(EpsilonAt::of(1e-6).by_all_records(infinity), EpsilonAt::trivial());
  EXPECT_GE(DeltaAt::of(1).by_all_records(infinity), DeltaAt::trivial());
}

// Two records: (2 e, (1 + e^e) d) from one at (e, d).
TEST(Quantity, TwoRecordsFollowFromOne) {
  const auto delta_of_one = [](double e) { return accounting::gaussian::delta(0.5, e); };
  EXPECT_NEAR(DeltaAt::of(1).by_group(delta_of_one, 1), (1 + std::exp(0.5)) * delta_of_one(0.5),
              1e-12);
  const auto epsilon_of_one = [](double d) { return accounting::gaussian::epsilon(0.5, Delta(d)); };
  const double two = EpsilonAt::of(1e-5).by_group(epsilon_of_one, infinity);
  EXPECT_GE(two, accounting::gaussian::epsilon(1, Delta(1e-5)));
  EXPECT_LE((1 + std::exp(two / 2)) * delta_of_one(two / 2), 1e-5 * (1 + 1e-9));
}

TEST(Quantity, OnlyAnInfiniteEpsilonIsFree) {
  EXPECT_TRUE(DeltaAt::of(infinity).is_free());
  EXPECT_FALSE(DeltaAt::of(1e300).is_free());
  EXPECT_FALSE(EpsilonAt::is_free());
  EXPECT_GT(DeltaAt::min(), 0);
}

TEST(Quantity, EventsWithAnAnalysisOfTheirOwnHaveItsBound) {
  const AccountOptions options;
  const auto shuffled =
      EpsilonAt::of(1e-6).dedicated(ShuffledLocal{1, 10000}, Adjacency::replace_one, options);
  ASSERT_TRUE(shuffled);
  EXPECT_STREQ(shuffled->route, "shuffle");
  EXPECT_NEAR(shuffled->value, 0.05300531648, 1e-7);  // of an independent program
  const auto back = DeltaAt::of(shuffled->value)
                        .dedicated(ShuffledLocal{1, 10000}, Adjacency::replace_one, options);
  ASSERT_TRUE(back);
  EXPECT_NEAR(back->value, 1e-6, 1e-9);
  EXPECT_FALSE(EpsilonAt::of(1e-6).dedicated(Gaussian{1}, add_remove, options));
}

}  // namespace quantity_test
}  // namespace tacet::accounting::internal
