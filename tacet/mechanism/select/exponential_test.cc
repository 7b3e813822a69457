#include "tacet/mechanism/select/exponential.h"

#include <gtest/gtest.h>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tests/support/selections.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace exponential_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using test::scores_of;
using test::Spender;

constexpr auto adjacency = Adjacency::replace_one;

// Reference values of the law computed at 12 digits.
const std::vector<std::int64_t> halves{-20, -16, -15, -24, -14};
const std::vector<double> law{.0829311635113, .225430274786, .289458202516, .0305086700882,
                              .371671689099};

TEST(ExponentialMechanism, DrawsItsLaw) {
  constexpr int draws = 40000;
  const auto scores = scores_of(halves, 2);
  Spender spender(1, exponential_event(Epsilon(1), adjacency), adjacency, draws);
  const auto select = [&] {
    return select_exponential(scores, Epsilon(1),
                              {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_GT(test::fit(law, draws, select), test::false_alarm_rate);
}

// exp(epsilon score / D) in place of exp(epsilon score / (2 D)).
TEST(ExponentialMechanism, ScoresThatMoveOneWayCountTwice) {
  constexpr int draws = 40000;
  const auto scores = Scores::integers(halves, 4, Movement::one_way, Adjacency::add_remove);
  Spender spender(2, exponential_event(Epsilon(1), Adjacency::add_remove), Adjacency::add_remove,
                  draws);
  const auto select = [&] {
    return select_exponential(scores, Epsilon(1),
                              {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_GT(test::fit(law, draws, select), test::false_alarm_rate);
}

TEST(ExponentialMechanism, ReturnsAndDebitsItsEvent) {
  const auto scores = scores_of({1, 2});
  Spender spender(1, exponential_event(Epsilon(2), adjacency), adjacency, 1);
  const auto select = [&] {
    return select_exponential(scores, Epsilon(2),
                              {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_EQ(select().event(), Event(privacy::BoundedRange{2, adjacency}));
  EXPECT_THROW((void)select(), base::BudgetError);
}

TEST(ExponentialMechanism, IsTheBestCandidateAtALargeEpsilon) {
  const auto scores = scores_of({3, 9, -100, 8});
  Spender spender(1, exponential_event(Epsilon(1e6), adjacency), adjacency, 50);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(select_exponential(scores, Epsilon(1e6),
                                 {spender.next(), spender.source, spender.reservation})
                  .value(),
              1);
  }
}

// Bounded range composes better: epsilon^2/8 against epsilon^2/2 in zCDP.
TEST(ExponentialMechanism, ComposesBetterThanPureSelections) {
  const auto cost = [](const Event& event) {
    return accounting::epsilon(privacy::Repeated{1000, event}, adjacency, privacy::Delta(1e-6));
  };
  EXPECT_LT(cost(exponential_event(Epsilon(0.1), adjacency)),
            0.6 * cost(privacy::PureDp{0.1, adjacency}));
}

}  // namespace exponential_test
}  // namespace tacet::mechanism
