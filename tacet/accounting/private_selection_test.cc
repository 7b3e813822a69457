#include "tacet/accounting/private_selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/routes/closed_forms.h"

namespace tacet::accounting {
namespace private_selection_test {

constexpr auto add_remove = Adjacency::add_remove;

RandomlyRepeated selected(const Event& run) {
  return {RepetitionLaw::truncated_negative_binomial, 1, .1, 0, 0, 0, 0, run};
}

TEST(SelectionCurve, HasADeltaBelowItsShift) {
  for (const Event& run : {Event(PureDp{.3, add_remove}), Event(Gaussian{5}), Event(Laplace{4})}) {
    const Event event = selected(run);
    double last = 1;
    for (double epsilon = 0; epsilon < 3; epsilon += .05) {
      const double delta = delta_interval(event, add_remove, Epsilon(epsilon)).upper;
      EXPECT_LT(delta, 1) << kind_name(run) << ' ' << epsilon;
      EXPECT_LE(delta, last * (1 + 1e-9)) << kind_name(run) << ' ' << epsilon;
      last = delta;
      // Never below what one run alone tells.
      EXPECT_GE(delta, delta_interval(run, add_remove, Epsilon(epsilon)).lower * (1 - 1e-9));
    }
  }
  // A pure run: at most randomised response at the sum of the pure route.
  const Event event = selected(PureDp{.3, add_remove});
  const double pure = internal::pure_epsilon(event, add_remove);
  for (const double epsilon : {0.0, .1, .3, .8}) {
    const double worst = (std::exp(pure) - std::exp(epsilon)) / (1 + std::exp(pure));
    EXPECT_LE(delta_interval(event, add_remove, Epsilon(epsilon)).upper,
              std::max(0.0, worst) * (1 + 1e-12));
  }
}

// A shift that doubles would swallow: one run tells nothing at epsilon, but all of them do.
TEST(SelectionCurve, RoundsWhatIsLeftOfEpsilonDown) {
  const Event event =
      RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 1e-17, 0, 0, 0, PureDp{.3, add_remove}};
  internal::SelectionCurve curve(*event.as<RandomlyRepeated>(), add_remove, {});
  EXPECT_GT(curve.delta(.3), 0);
  EXPECT_LT(curve.delta(.3), 1e-31);
  EXPECT_EQ(curve.delta(.4), 0);
}

TEST(SelectionCurve, WhatAPointImpliesIsTheWorstMechanismsDelta) {
  const pairs::Point point{1, 1e-3};
  EXPECT_EQ(internal::implied_delta(point, 1), 1e-3);
  EXPECT_EQ(internal::implied_delta(point, 2), 1e-3);
  // Total variation of randomised response, and the chance to reveal everything.
  const double response = (std::exp(1.0) - 1) / (std::exp(1.0) + 1);
  EXPECT_NEAR(internal::implied_delta(point, 0), 1e-3 + .999 * response, 1e-14);
  EXPECT_EQ(internal::implied_delta({800, 0}, 0), 1);
}

}  // namespace private_selection_test
}  // namespace tacet::accounting
