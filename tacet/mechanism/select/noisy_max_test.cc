#include "tacet/mechanism/select/noisy_max.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/select/selection.h"
#include "tests/support/outcome_walk.h"
#include "tests/support/selections.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace noisy_max_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using test::scores_of;
using test::Spender;

constexpr auto adjacency = Adjacency::replace_one;

// Reference values of the laws computed at 12 digits: exponential mechanism, permute-and-flip.
TEST(NoisyMax, DrawsTheLawsOfItsForms) {
  constexpr int draws = 40000;
  const auto scores = scores_of({-20, -16, -15, -24, -14}, 2);
  const auto check = [&](NoisyMax form, const std::vector<double>& law, std::uint64_t seed) {
    Spender spender(seed, noisy_max_event(form, Epsilon(1), adjacency), adjacency, draws);
    const auto select = [&] {
      return select_noisy_max(form, scores, Epsilon(1),
                              {spender.next(), spender.source, spender.reservation});
    };
    EXPECT_GT(test::fit(law, draws, select), test::false_alarm_rate);
  };
  check(NoisyMax::gumbel,
        {.0829311635113, .225430274786, .289458202516, .0305086700882, .371671689099}, 1);
  check(NoisyMax::exponential,
        {.0674593889689, .20619146345, .283826219401, .0239504396645, .418572488516}, 2);
}

/// Of the largest of three scores plus discrete Laplace noise of scale `scale`, by adding up all
/// outcomes.
std::vector<double> laplace_law(const std::vector<std::int64_t>& scores, random::Ratio scale) {
  test::Walk walk(16);
  std::vector<double> law(scores.size());
  for (const auto& [i, p] : walk.law<std::int64_t>(
           [&](test::Walk& draws) { return internal::laplace_noisy_max(scores, scale, draws); })) {
    law[static_cast<std::size_t>(i)] = p;
  }
  return law;
}

// 2 D / epsilon, or D / epsilon where scores move one way.
TEST(NoisyMax, LaplaceNoiseHasItsScale) {
  constexpr int draws = 40000;
  const std::vector<std::int64_t> values{0, 2, 1};
  const auto check = [&](Movement movement, Adjacency neighbours, random::Ratio scale) {
    const auto scores = Scores::integers(values, 1, movement, neighbours);
    const Event event = noisy_max_event(NoisyMax::laplace, Epsilon(1), neighbours);
    EXPECT_EQ(event, Event(privacy::PureDp{1, neighbours}));
    Spender spender(3, event, neighbours, draws);
    const auto select = [&] {
      return select_noisy_max(NoisyMax::laplace, scores, Epsilon(1),
                              {spender.next(), spender.source, spender.reservation});
    };
    EXPECT_GT(test::fit(laplace_law(values, scale), draws, select), test::false_alarm_rate);
  };
  check(Movement::any, adjacency, {2, 1});
  check(Movement::one_way, Adjacency::add_remove, {1, 1});
}

TEST(NoisyMax, DebitsBeforeItDraws) {
  const auto scores = scores_of({1, 2});
  Spender spender(1, noisy_max_event(NoisyMax::laplace, Epsilon(1), adjacency), adjacency, 1);
  const auto select = [&](NoiseAddress address) {
    return select_noisy_max(NoisyMax::laplace, scores, Epsilon(1),
                            {address, spender.source, spender.reservation});
  };
  (void)select({.step = 1});
  EXPECT_THROW((void)select({.step = 2}), base::BudgetError);
  EXPECT_NO_THROW((void)spender.source.claim(random::Purpose::selection, 2, 0));
}

}  // namespace noisy_max_test
}  // namespace tacet::mechanism
