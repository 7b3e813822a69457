#include "tacet/accounting/dominating_pair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tests/support/pair_profiles.h"

namespace tacet::accounting::internal {
namespace dominating_pair_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;
using pairs::Order;
using test::delta_of;

constexpr double epsilons[] = {0.0, 0.05, 0.4, 1.0};

Use use_of(const Event& event, Adjacency adjacency, Order order = Order::remove,
           Missing missing = Missing::none) {
  bool attained = true;
  const auto uses = uses_of(event, adjacency, {.missing = missing}, &attained);
  return uses ? uses(order) : Use{};
}

bool is_attained(const Event& event, Adjacency adjacency) {
  bool attained = true;
  const auto uses = uses_of(event, adjacency, {}, &attained);
  return uses && attained;
}

TEST(Uses, OfNoiseAreItsOwnLaw) {
  for (const double e : epsilons) {
    EXPECT_NEAR(delta_of(*use_of(Gaussian{2}, add_remove).pair, e), gaussian::delta(0.5, e), 1e-13);
    EXPECT_NEAR(delta_of(*use_of(Gaussian{2}, replace_one).pair, e), gaussian::delta(1, e), 1e-13);
    const double laplace = e < 1 ? -std::expm1((e - 1) / 2) : 0;
    EXPECT_NEAR(delta_of(*use_of(Laplace{1}, add_remove).pair, e), laplace, 1e-13);
    EXPECT_NEAR(delta_of(*use_of(Laplace{2}, replace_one).pair, e), laplace, 1e-13);
  }
}

// What several releases of one sample sum to is one law: twice a Gaussian is one of less noise.
TEST(Uses, OfASampleMixTheLawOfAllItsReleases) {
  const Event both = PoissonSampled{0.2, Repeated{4, Gaussian{2}}};
  const Event one = PoissonSampled{0.2, Gaussian{1}};
  for (const auto order : {Order::remove, Order::add}) {
    for (const double e : epsilons) {
      EXPECT_NEAR(delta_of(*use_of(both, add_remove, order).pair, e),
                  delta_of(*use_of(one, add_remove, order).pair, e), 1e-12);
    }
  }
  // Of different ones the law is bounded from both sides.
  const auto mixed = use_of(PoissonSampled{0.2, Composed{{Gaussian{2}, Laplace{2}}}}, add_remove);
  ASSERT_TRUE(mixed.pair);
  ASSERT_TRUE(mixed.below);
  for (const double e : epsilons) {
    EXPECT_LE(delta_of(*mixed.below, e), delta_of(*mixed.pair, e) + 1e-15);
    EXPECT_NEAR(delta_of(*mixed.below, e), delta_of(*mixed.pair, e),
                2e-2 * delta_of(*mixed.pair, e));
  }
}

// Numbers stated for an event are met by the worst mechanism that has them, not by this one.
TEST(Uses, OfStatedGuaranteesDominateWithoutBeingMet) {
  EXPECT_TRUE(is_attained(Gaussian{1}, add_remove));
  EXPECT_TRUE(is_attained(DiscreteLaplace{2, 3}, add_remove));
  EXPECT_TRUE(is_attained(DiscreteGaussian{2, 1, 1}, add_remove));
  EXPECT_TRUE(is_attained(PoissonSampled{0.1, Gaussian{1}}, add_remove));
  EXPECT_FALSE(is_attained(PureDp{1, add_remove}, add_remove));
  EXPECT_FALSE(is_attained(ApproximateDp{1, 1e-6, add_remove}, add_remove));
  EXPECT_FALSE(is_attained(BoundedRange{1, add_remove}, add_remove));
  EXPECT_FALSE(is_attained(FixedSizeSampled{1, 10, Gaussian{1}}, replace_one));
  const auto pure = use_of(PureDp{1, add_remove}, add_remove).pair;
  EXPECT_NEAR(delta_of(*pure, 0), std::tanh(0.5), 1e-13);
  EXPECT_NEAR(delta_of(*pure, 1), 0, 1e-13);
}

TEST(Uses, OfBlocksAreTheWorstOfThem) {
  const Event first = PureDp{0.5, add_remove};
  const Event second = ApproximateDp{0.1, 0.1, add_remove};
  const auto worst = use_of(Partitioned{Assignment::by_record, {first, second}}, add_remove).pair;
  for (const double e : epsilons) {
    const double both = std::max(delta_of(*use_of(first, add_remove).pair, e),
                                 delta_of(*use_of(second, add_remove).pair, e));
    EXPECT_GE(delta_of(*worst, e), both * (1 - 1e-12)) << e;
    EXPECT_NEAR(delta_of(*worst, e), both, 1e-3 * both + 1e-12) << e;
  }
}

TEST(Uses, WithoutALossDistributionTakeTheProvedProfileOnRequest) {
  const Event event = Zcdp{0.05, add_remove};
  EXPECT_FALSE(use_of(event, add_remove).pair);
  const auto use = use_of(event, add_remove, Order::remove, Missing::proved_profile);
  ASSERT_TRUE(use.pair);
  for (const double e : epsilons) {
    // rho = mu^2 / 2: Gaussian noise is such an event.
    EXPECT_GE(delta_of(*use.pair, e), gaussian::delta(std::sqrt(0.1), e) * (1 - 1e-9)) << e;
    EXPECT_LE(delta_of(*use.pair, e),
              delta_interval(event, add_remove, Epsilon(e)).upper * (1 + 2e-2))
        << e;
  }
}

TEST(Uses, HaveOrdersWhereASampleTellsThemApart) {
  EXPECT_FALSE(has_orders(Gaussian{1}, add_remove));
  EXPECT_TRUE(has_orders(PoissonSampled{0.1, Gaussian{1}}, add_remove));
  EXPECT_TRUE(has_orders(PoissonSampled{0.1, Gaussian{1}}, zero_out));
  EXPECT_FALSE(has_orders(PoissonSampled{0.1, Gaussian{1}}, replace_one));
  EXPECT_FALSE(has_orders(PoissonSampled{1, Gaussian{1}}, add_remove));
  const Event inside = Composed{{Laplace{1}, Repeated{2, PoissonSampled{0.1, Gaussian{1}}}}};
  EXPECT_TRUE(has_orders(inside, add_remove));
  EXPECT_TRUE(has_orders(Partitioned{Assignment::by_record, {inside}}, add_remove));
}

}  // namespace dominating_pair_test
}  // namespace tacet::accounting::internal
