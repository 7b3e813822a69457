#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting {
namespace edge_values_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto zero_out = Adjacency::zero_out;
using numeric::infinity;
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// Every currency has its own squares and products of tiny numbers.
TEST(Rounding, WhatCostsSomethingNeverCostsNothing) {
  EXPECT_GT(internal::amplified(1e-300, 1e-300), 0);
  EXPECT_LE(internal::amplified(1e-300, 1e-300), 2 * smallest);
  EXPECT_EQ(internal::amplified(0, 1), 0);
  EXPECT_EQ(internal::amplified(.5, 0), 0);
  EXPECT_EQ(internal::amplified(1, .3), .3);
  const Event tiny = PureDp{1e-300, add_remove};
  for (const Event& event :
       {tiny, Event(PoissonSampled{1e-300, tiny}),
        Event(PoissonSampled{1e-200, PureDp{1, add_remove}}),
        Event(PoissonSampled{1e-300, Gaussian{1}}), Event(Gaussian{1e200}),
        Event(BoundedRange{1e-200, add_remove}), Event(DiscreteGaussian{1e200, 1, 1}),
        Event(PoissonSampled{1e-200, PoissonSampled{1e-200, Laplace{1}}})}) {
    EXPECT_GT(zcdp_rho(event, add_remove), 0) << event_to_json(event);
    const auto curve = rdp::curve(event, add_remove);
    for (const double order : {1.5, 2.0, 30.0})
      EXPECT_GT((*curve)(order), 0) << event_to_json(event);
    EXPECT_GT(epsilon_interval(event, add_remove, Delta(0)).upper, 0) << event_to_json(event);
    EXPECT_GT(delta_interval(event, add_remove, Epsilon(0)).upper, 0) << event_to_json(event);
    EXPECT_GT(internal::participation(event), 0);
    if (event.as<BoundedRange>() == nullptr && event.as<DiscreteGaussian>() == nullptr) {
      EXPECT_GT(squared_gdp(event, add_remove), 0) << event_to_json(event);
    }
  }
  // A cap that is full stays full.
  auto filter = Filter::renyi(30, Epsilon(5), Delta(1e-6), add_remove);
  EXPECT_TRUE(filter.admit(PoissonSampled{1e-200, Gaussian{1}}));
  EXPECT_GT(filter.spent(), 0);
}

// mu of a pure mechanism at tiny epsilons, where 1/(1 + e^epsilon) rounds to one half.
TEST(Rounding, GaussianDpOfATinyPureEpsilonKeepsItsDigits) {
  for (const double epsilon : {1e-3, 1.0001e-4, 9.999e-5, 1e-8, 1e-17, 1e-150}) {
    const double mu = std::sqrt(squared_gdp(PureDp{epsilon, add_remove}, add_remove));
    EXPECT_NEAR(mu / epsilon / std::sqrt(M_PI / 2), 1, 1e-6) << epsilon;
    EXPECT_GE(mu, epsilon * std::sqrt(M_PI / 2) * (1 - epsilon * epsilon)) << epsilon;
  }
}

TEST(Rounding, SensitivitiesBeyondTheIntegersOfDoublesRoundUp) {
  const auto odd = (std::int64_t{1} << 53) + 1;  // as a double it would lie one below
  const double above = std::ldexp(1.0, 53) + 2;
  EXPECT_EQ(numeric::count_up(odd), above);
  EXPECT_EQ(numeric::count_up(odd - 1), std::ldexp(1.0, 53));
  const DiscreteGaussian event{std::ldexp(1.0, 53), odd, 1};
  const double ratio = above / std::ldexp(1.0, 53);
  EXPECT_GE(zcdp_rho(event, add_remove), .5 * ratio * ratio);
  EXPECT_GE((*rdp::curve(event, add_remove))(2), ratio * ratio);
  EXPECT_EQ(zcdp_rho(Repeated{odd, Zcdp{.5, add_remove}}, add_remove), .5 * above);
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

}  // namespace edge_values_test
}  // namespace tacet::accounting
