#include "tacet/accounting/apart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {
namespace apart_test {

constexpr auto add_remove = Adjacency::add_remove;

double epsilon_of(const Event& event, double delta) {
  return epsilon_interval(event, add_remove, Delta(delta)).upper;
}

Event choice() {
  return RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 1, .1, 0, 0, 0, 0,
                          Composed{{Gaussian{20}, Gaussian{20}}}};
}

// Basic composition: whatever is known of the parts holds of the whole at the sum of the deltas.
TEST(Apart, AWholeCostsNoMoreThanItsPartsApart) {
  const Event fit = Repeated{2, ApproximateDp{0.9, 4e-7, add_remove}};
  for (const auto& [event, others] : std::vector<std::pair<Event, Event>>{
           {Composed{{fit, choice()}}, fit},
           {Composed{{Composed{{Gaussian{4}, choice()}}}}, Gaussian{4}},
           {Composed{{PureDp{0.5, add_remove}, choice()}}, PureDp{0.5, add_remove}},
           {Composed{{Repeated{30, ApproximateDp{0.05, 1e-8, add_remove}}, choice()}},
            Repeated{30, ApproximateDp{0.05, 1e-8, add_remove}}}}) {
    const double whole = epsilon_of(event, 1.1e-5);
    EXPECT_LE(whole, (epsilon_of(others, 1e-6) + epsilon_of(choice(), 1e-5)) * (1 + 1e-6));
    EXPECT_GE(whole, epsilon_of(others, 1.1e-5) * (1 - 1e-6));
  }
}

// A schema's fit and what is computed with it: a ledger books each by itself.
TEST(Apart, AFitAndManySmallReleasesCostNoMoreThanTheirSum) {
  const Event fit = Repeated{2, ApproximateDp{0.9, 4e-7, add_remove}};
  for (const Event& run : std::vector<Event>{
           Repeated{40, PureDp{0.02, add_remove}}, Repeated{300, PureDp{0.004, add_remove}},
           Composed{{Repeated{9, PureDp{0.03, add_remove}}, Repeated{5, PureDp{0.05, add_remove}}}},
           BoundedRange{0.5, add_remove}}) {
    const double whole = epsilon_of(Composed{{fit, run}}, 8e-7 + 1e-6);
    const double sum = epsilon_of(fit, 8e-7) + epsilon_of(run, 1e-6 * (1 - 1e-9));
    EXPECT_LE(whole, sum * (1 + 1e-12));
    EXPECT_GE(whole, epsilon_of(fit, 8e-7 + 1e-6));
  }
}

TEST(Apart, SaysNothingWhereNoPartHasAnAnalysisOfItsOwn) {
  const internal::EpsilonOf never = [](const Event&, double) { return 0.0; };
  EXPECT_TRUE(std::isinf(
      internal::apart_epsilon(Composed{{Gaussian{1}, Gaussian{2}}}, add_remove, 1e-5, never)));
  EXPECT_TRUE(std::isinf(internal::apart_epsilon(choice(), add_remove, 1e-5, never)));
  EXPECT_TRUE(
      std::isinf(internal::apart_epsilon(Composed{{choice(), Gaussian{1}}}, add_remove, 0, never)));
}

TEST(Apart, PartsShareDeltaAndNoneIsCountedTwice) {
  std::vector<double> asked;
  const internal::EpsilonOf counting = [&](const Event&, double delta) {
    asked.push_back(delta);
    return 1.0;
  };
  const Event both =
      Composed{{choice(), RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 3, 0, 0, 0, Gaussian{9}}}};
  EXPECT_GE(internal::apart_epsilon(both, add_remove, 1e-5, counting), 2);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_LE(asked[0] + asked[1], 1e-5);
}

}  // namespace apart_test
}  // namespace tacet::accounting
