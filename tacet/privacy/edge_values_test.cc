#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/privacy/accountant.h"
#include "tacet/privacy/filter.h"
#include "tacet/privacy/gaussian.h"
#include "tacet/privacy/structure.h"

namespace tacet::privacy {
namespace {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto zero_out = Adjacency::zero_out;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

TEST(Rounding, WhatIsAboveNothingNeverRoundsToNothing) {
  EXPECT_EQ(internal::multiply_up(1e-200, 1e-200), smallest);
  EXPECT_EQ(internal::multiply_up(smallest, .25), smallest);
  EXPECT_EQ(internal::divide_up(1e-200, 1e200), smallest);
  EXPECT_EQ(internal::multiply_up(0, 1e300), 0);
  EXPECT_EQ(internal::multiply_up(infinity, 0), 0);
  EXPECT_EQ(internal::divide_up(1, infinity), 0);
  EXPECT_EQ(internal::multiply_up(.5, .25), .125);
  // 1.5 times the smallest double lies half way between two of them and must not go down.
  EXPECT_GE(internal::multiply_up(5 * smallest, .5), 3 * smallest);
  EXPECT_GE(internal::multiply_up(3 * smallest, .5), 2 * smallest);
  EXPECT_GE(internal::divide_up(3 * smallest, 2), 2 * smallest);
  EXPECT_EQ(internal::divide_down(smallest, 4), 0);
  EXPECT_LE(internal::divide_down(3 * smallest, 2), smallest);
}

TEST(GaussianEvent, TheLargestNoiseIsNoExactPrivacy) {
  for (const double noise : {1e150, 1e163, 1e200, 1e308}) {
    const Event event = Gaussian{noise};
    EXPECT_EQ(epsilon_interval(event, add_remove, Delta(0)).upper, infinity) << noise;
    const auto delta = delta_interval(event, add_remove, Epsilon(0));
    EXPECT_GE(delta.upper, 1 / noise / std::sqrt(2 * 3.141592653589794)) << noise;
    EXPECT_LE(delta.lower, 1 / noise / std::sqrt(2 * 3.141592653589793) * (1 + 1e-12)) << noise;
    EXPECT_EQ(epsilon_interval(event, add_remove, Delta(1e-5)).upper, 0) << noise;
    EXPECT_GT(zcdp_rho(event, add_remove), 0) << noise;
  }
  EXPECT_EQ(epsilon_interval(Gaussian{infinity}, add_remove, Delta(0)).upper, 0);
}

// True values at 60 digits by an independent program.
TEST(GaussianEvent, TheLowerEndIsBelowTheTruthWhereDeltaIsNearTheTotalVariation) {
  struct Case {
    double noise, delta, truth;
  };
  for (const auto& c : {Case{.07276659003595515, .9999999999936313, .0019113},
                        Case{2.293529103105841, .17257450842488958, 3.23e-15},
                        Case{.0625107667318, .9999951148548172, 56.045414036}}) {
    const auto interval = epsilon_interval(Gaussian{c.noise}, add_remove, Delta(c.delta));
    EXPECT_LE(interval.lower, c.truth * (1 + 1e-4)) << c.noise;
    EXPECT_GE(interval.upper, c.truth * (1 - 1e-4)) << c.noise;
    EXPECT_TRUE(interval.lower_is_attained);
    // delta at the lower end: within what its evaluation may be off, no larger epsilon is certain.
    EXPECT_GE(gaussian::log_delta(1 / c.noise, interval.lower), std::log(c.delta) - 1e-12);
  }
  // Elsewhere the ends are as close as before.
  const auto ordinary = epsilon_interval(Gaussian{1}, add_remove, Delta(1e-5));
  EXPECT_LT(ordinary.lower, ordinary.upper);
  EXPECT_NEAR(ordinary.lower / ordinary.upper, 1, 1e-12);
}

TEST(Filters, RefuseWhatTheAccountantRefuses) {
  // A sample with the record against one without it: nothing that compares two records applies.
  const Event sampled = PoissonSampled{.01, PureDp{1, zero_out}};
  EXPECT_THROW(static_cast<void>(epsilon_interval(sampled, zero_out, Delta(1e-6))),
               base::GuaranteeError);
  auto basic = Filter::basic({1, 0, zero_out});
  auto zcdp = Filter::zcdp(1, zero_out);
  auto gaussian = Filter::gaussian(1, zero_out);
  auto renyi = Filter::renyi(10, Epsilon(5), Delta(1e-6), zero_out);
  for (auto* filter : {&basic, &zcdp, &gaussian, &renyi}) {
    for (const Event& event :
         {sampled, Event(Repeated{2, sampled}), Event(Composed{{Laplace{infinity}, sampled}})}) {
      EXPECT_THROW(static_cast<void>(filter->admit(event)), base::GuaranteeError);
    }
    EXPECT_EQ(filter->spent(), 0);
  }
  EXPECT_EQ(zcdp_rho(sampled, zero_out), infinity);
  EXPECT_TRUE(basic.admit(Event(PureDp{1, zero_out})));
}

}  // namespace
}  // namespace tacet::privacy
