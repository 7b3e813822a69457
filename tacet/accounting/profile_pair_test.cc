#include "tacet/accounting/profile_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tests/support/pair_profiles.h"

namespace tacet::accounting::internal {
namespace profile_pair_test {

constexpr auto add_remove = Adjacency::add_remove;

Event selected(Event base) {
  return RandomlyRepeated{
      RepetitionLaw::truncated_negative_binomial, 0, 0.1, 0, 0, 0, 0, std::move(base)};
}

struct Known {
  Event event;
  pairs::PairPointer truth;  ///< of a mechanism that the event covers
};

std::vector<Known> known() {
  std::vector<Known> all;
  all.push_back({Zcdp{0.1, add_remove}, pairs::gaussian(std::sqrt(0.2))});
  all.push_back({DiscreteGaussian{4, 1, 16}, pairs::discrete_gaussian(4, 1)});
  all.push_back({PoissonSampled{0.1, Zcdp{0.2, add_remove}},
                 pairs::poisson(pairs::gaussian(std::sqrt(0.4)), 0.1, pairs::Order::remove)});
  return all;
}

TEST(ProvedProfile, FallsAndIsBeatenByNoMechanismThatTheEventCovers) {
  for (const auto& [event, truth] : known()) {
    const auto points = proved_profile(event, add_remove);
    ASSERT_GT(points.size(), 20U) << event_to_json(event);
    EXPECT_EQ(points.front().epsilon, 0);
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_GT(points[i].epsilon, points[i - 1].epsilon);
      EXPECT_LT(points[i].delta, points[i - 1].delta);
    }
    EXPECT_LE(points.back().delta, 1e-18);
    const auto pair = pairs::profile(points);
    for (const double e : {0.0, 0.111, 0.777, 1.5}) {
      const double exact = test::delta_of(*truth, e);
      EXPECT_GE(test::delta_of(*pair, e), exact * (1 - 1e-9)) << event_to_json(event) << " " << e;
    }
    for (const auto& [epsilon, delta] : points) {
      EXPECT_LE(test::delta_of(*pair, epsilon), delta * (1 + 1e-9) + 1e-15);
    }
  }
}

TEST(ProvedProfile, EndsAtThePureEpsilonWithNothingLeft) {
  const auto points = proved_profile(selected(PureDp{0.5, add_remove}), add_remove);
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points.back().delta, 0);
  EXPECT_LE(points.back().epsilon, 1.5);
}

// (2 - eta) selected runs of a selected run: the inner one by its profile.
TEST(SelectionRun, IsTheRunItselfUnlessThatIsTunedInTurn) {
  const Event run = Gaussian{2};
  EXPECT_EQ(selection_run(*selected(run).as<RandomlyRepeated>(), add_remove), run);
  const auto inner = selection_run(*selected(selected(run)).as<RandomlyRepeated>(), add_remove);
  const auto* profile = inner.as<Profile>();
  ASSERT_NE(profile, nullptr);
  for (const auto& point : profile->points) {
    if (point.delta < 1e-12 || point.epsilon < 0.5) continue;
    EXPECT_GE(point.delta,
              delta_interval(selected(run), add_remove, Epsilon(point.epsilon)).upper * (1 - 1e-9));
  }
}

TEST(QuickProfile, IsOfClosedCurves) {
  EXPECT_TRUE(has_quick_profile(Zcdp{1, add_remove}, add_remove));
  EXPECT_TRUE(has_quick_profile(DiscreteGaussian{4, 1, 2}, add_remove));
  EXPECT_TRUE(has_quick_profile(PoissonSampled{0.1, Zcdp{1, add_remove}}, add_remove));
  EXPECT_TRUE(has_quick_profile(selected(Gaussian{1}), add_remove));
  EXPECT_FALSE(has_quick_profile(ShuffledLocal{1, 100}, Adjacency::replace_one));
  EXPECT_FALSE(has_quick_profile(selected(ShuffledLocal{1, 100}), Adjacency::replace_one));
}

}  // namespace profile_pair_test
}  // namespace tacet::accounting::internal
