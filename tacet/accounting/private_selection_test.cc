#include "tacet/accounting/private_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

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
  // Total variation of randomised response, and the probability to reveal everything.
  const double response = (std::exp(1.0) - 1) / (std::exp(1.0) + 1);
  EXPECT_NEAR(internal::implied_delta(point, 0), 1e-3 + .999 * response, 1e-14);
  EXPECT_EQ(internal::implied_delta({800, 0}, 0), 1);
}

// No repetition at all is an outcome too: for negative epsilons the ratio bound lacks its mass, and
// a composition that read it there would come out below what the other release costs by itself.
TEST(SelectionCurve, NoRepetitionAtAllTakesNothingOffWhatElseIsReleased) {
  const Event none = PureDp{1e-6, add_remove};
  for (const Event& selection :
       {Event(RandomlyRepeated{RepetitionLaw::poisson, 0, 0, .5, 0, 0, 0, none}),
        Event(RandomlyRepeated{RepetitionLaw::binomial, 0, 0, 0, 2, .25, 0, none})}) {
    for (const Event& other : {Event(Gaussian{1}), Event(PureDp{1, add_remove})}) {
      const Event both = Composed{{selection, other}};
      for (const double epsilon : {0.0, .25, .5, .75}) {
        EXPECT_GE(delta_interval(both, add_remove, Epsilon(epsilon)).upper,
                  delta_interval(other, add_remove, Epsilon(epsilon)).lower)
            << kind_name(other) << ' ' << epsilon;
      }
    }
  }
}

// The bound of disjoint blocks is the largest of the blocks' own, in any order of them, and what a
// search over their largest delta finds.
TEST(SelectionCurve, DisjointBlocksHaveTheBoundOfTheDearest) {
  const Event sampled = Repeated{20, PoissonSampled{.02, Gaussian{1.2}}};
  const Event minimum = ObjectivePerturbation{4, 1, .25, 20, 1e-3, 1};
  const std::vector<Event> parts{Laplace{4}, sampled, minimum, Gaussian{3}};
  const auto epsilon_of = [](std::vector<Event> blocks) {
    const Event event = selected(Partitioned{Assignment::by_record, std::move(blocks)});
    return epsilon_interval(event, add_remove, Delta(1e-6)).upper;
  };
  std::vector<double> alone;
  for (const auto& part : parts) alone.push_back(epsilon_of({part}));
  const double all = epsilon_of(parts);
  for (const double one : alone) EXPECT_GE(all, one);
  EXPECT_EQ(epsilon_of({parts.rbegin(), parts.rend()}), all);
  const auto law = repetition::law_of(selected(sampled));
  const auto delta_of = [](const Event& event) {
    return [event](double e) { return delta_interval(event, add_remove, Epsilon(e)).upper; };
  };
  const auto largest =
      repetition::profile_bound(law, delta_of(Partitioned{Assignment::by_record, parts}));
  std::optional<repetition::ProfileBound> found;
  for (const auto& part : parts) found = repetition::profile_bound(law, delta_of(part), found);
  EXPECT_EQ(found->shift, largest.shift);
}

// Bounds are remembered, and parts that cost no more than another are passed over: neither the
// order of the parts nor what was asked before, between other neighbours or of other events, shows.
TEST(SelectionCurve, TheOrderOfBlocksAndOfQuestionsDoesNotMatter) {
  const auto minimum = [](double sigma, double lambda) {
    return Event(ObjectivePerturbation{sigma, 1, .25, lambda, 1e-6, 1e-3});
  };
  const std::vector<Event> parts{minimum(30, 40), Gaussian{20}, minimum(25, 60), minimum(40, 20)};
  const auto cost = [](std::vector<Event> blocks, Adjacency adjacency) {
    const Event event = selected(Partitioned{Assignment::by_position, std::move(blocks)});
    internal::SelectionCurve curve(*event.as<RandomlyRepeated>(), adjacency, {});
    return curve.epsilon(1e-6);
  };
  for (const auto adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
    const double whole = cost(parts, adjacency);
    for (const auto& part : parts) EXPECT_LE(cost({part}, adjacency), whole * (1 + 1e-7));
    auto turned = parts;
    for (int turn = 0; turn < 4; ++turn) {
      std::rotate(turned.begin(), turned.begin() + 1, turned.end());
      EXPECT_NEAR(cost(turned, adjacency) / whole, 1, 1e-7);
    }
    EXPECT_EQ(cost(parts, adjacency), whole);
  }
}

// What a cap cuts off changes both laws, and one of them counts e^epsilon times.
TEST(SelectionCurve, WhatACapCutsOffIsPaidForInBothLaws) {
  const Event run = Gaussian{4};
  const auto selection = [&run](std::int64_t cap) -> Event {
    return RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 1, .2, 0, 0, 0, cap, run};
  };
  for (const std::int64_t cap : {40, 60, 90}) {
    const double cut = std::pow(.8, static_cast<double>(cap));  // geometric
    for (const double epsilon : {.8, 1.0}) {
      const double without = delta_interval(selection(0), add_remove, Epsilon(epsilon)).upper;
      const double with = delta_interval(selection(cap), add_remove, Epsilon(epsilon)).upper;
      EXPECT_GE(with, without + cut * (1 + std::exp(epsilon)) * (1 - 1e-6))
          << cap << ' ' << epsilon;
      EXPECT_LE(with, without + cut * (1 + std::exp(epsilon)) * (1 + 1e-6))
          << cap << ' ' << epsilon;
    }
  }
}

}  // namespace private_selection_test
}  // namespace tacet::accounting
