// The selections as callers see them; their laws are tested in selection_test.cc.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/select/exponential.h"
#include "tacet/mechanism/select/generalized_exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/top_k.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace select_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using test::Spender;

const double nan = std::numeric_limits<double>::quiet_NaN();

Scores scores_of(std::vector<std::int64_t> values, std::int64_t sensitivity = 1) {
  return Scores::integers(std::move(values), sensitivity, Movement::any, Adjacency::replace_one);
}

template <typename Select>
double fit(const std::vector<double>& law, int draws, const Select& select) {
  std::vector<std::int64_t> seen(law.size());
  for (int i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(select())];
  std::vector<double> expected;
  for (const double p : law) expected.push_back(p * draws);
  return test::chi_square_p_value(seen, expected);
}

// Reference values of the laws computed at 12 digits: exponential mechanism, permute-and-flip.
const std::vector<std::int64_t> halves{-20, -16, -15, -24, -14};
const std::vector<double> exponential_law{.0829311635113, .225430274786, .289458202516,
                                          .0305086700882, .371671689099};
const std::vector<double> flip_law{.0674593889689, .20619146345, .283826219401, .0239504396645,
                                   .418572488516};

TEST(Selections, DrawTheirLaws) {
  constexpr int draws = 40000;
  const auto scores = scores_of(halves, 2);
  const Epsilon one(1);
  const auto adjacency = Adjacency::replace_one;
  const auto check = [&](NoisyMax form, const std::vector<double>& law, std::uint64_t seed) {
    Spender spender(seed, noisy_max_event(form, one, adjacency), adjacency, draws);
    EXPECT_GT(fit(law, draws,
                  [&] {
                    return select_noisy_max(form, scores, one, spender.next(), spender.source,
                                            spender.reservation)
                        .value();
                  }),
              test::false_alarm_rate);
  };
  check(NoisyMax::gumbel, exponential_law, 1);
  check(NoisyMax::exponential, flip_law, 2);
}

TEST(Selections, ReturnAndDebitTheirEvents) {
  const auto scores = scores_of({1, 2});
  const auto adjacency = Adjacency::replace_one;
  Spender flip(1, permute_and_flip_event(Epsilon(2), adjacency), adjacency, 1);
  const auto released =
      select_permute_and_flip(scores, Epsilon(2), flip.next(), flip.source, flip.reservation);
  EXPECT_EQ(released.event(), Event(privacy::PureDp{2, adjacency}));
  EXPECT_THROW(
      (void)select_permute_and_flip(scores, Epsilon(2), flip.next(), flip.source, flip.reservation),
      base::BudgetError);
  Spender exponential(1, exponential_event(Epsilon(2), adjacency), adjacency, 1);
  EXPECT_EQ(select_exponential(scores, Epsilon(2), exponential.next(), exponential.source,
                               exponential.reservation)
                .event(),
            Event(privacy::BoundedRange{2, adjacency}));
}

// The number of random words a selection reads varies: each has a leaf of its own, apart from the
// leaves of noise, and none is read twice.
TEST(Selections, HaveRandomBitsOfTheirOwn) {
  const auto scores = scores_of({1, 2});
  const auto adjacency = Adjacency::replace_one;
  Spender spender(1, permute_and_flip_event(Epsilon(2), adjacency), adjacency, 2);
  const NoiseAddress address{.step = 7, .tensor = 0};
  (void)spender.source.lease(random::Purpose::noise, 7, 0);
  (void)select_permute_and_flip(scores, Epsilon(2), address, spender.source, spender.reservation);
  EXPECT_THROW((void)select_permute_and_flip(scores, Epsilon(2), address, spender.source,
                                             spender.reservation),
               base::InternalError);
}

// Bounded range composes better: epsilon^2/8 against epsilon^2/2 in zCDP.
TEST(Selections, OfBoundedRangeComposeBetterThanPureOnes) {
  const auto adjacency = Adjacency::add_remove;
  const auto cost = [&](const Event& event) {
    return accounting::epsilon(privacy::Repeated{1000, event}, adjacency, privacy::Delta(1e-6));
  };
  EXPECT_LT(cost(exponential_event(Epsilon(0.1), adjacency)),
            0.6 * cost(permute_and_flip_event(Epsilon(0.1), adjacency)));
}

TEST(Scores, RefuseWhatCannotBeSelectedFrom) {
  const auto adjacency = Adjacency::add_remove;
  const std::array<double, 2> broken{1, nan};
  EXPECT_THROW((void)Scores::rounded(broken, 1, Movement::any, adjacency), base::NumericError);
  EXPECT_THROW((void)Scores::rounded({}, 1, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({}, 1, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({1}, 0, Movement::any, adjacency), base::UsageError);
  const std::array<double, 1> one{1};
  EXPECT_THROW((void)Scores::rounded(one, 0, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::rounded(one, nan, Movement::any, adjacency), base::UsageError);
  EXPECT_THROW((void)Scores::integers({1}, 1, Movement::one_way, Adjacency::replace_one),
               base::UsageError);
}

TEST(Scores, RoundingMovesNoFurtherThanTheSensitivityItStates) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> any(-1000, 1000);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto door = DoorKeeper::door();
  for (int trial = 0; trial < 10000; ++trial) {
    const double sensitivity = std::exp2(any(generator) / 100);
    const std::array<double, 1> a{any(generator)};
    const std::array<double, 1> b{a[0] + sensitivity * part(generator)};
    const auto left = Scores::rounded(a, sensitivity, Movement::any, Adjacency::replace_one);
    const auto right = Scores::rounded(b, sensitivity, Movement::any, Adjacency::replace_one);
    EXPECT_LE(std::abs(left.open(door)[0] - right.open(door)[0]), left.sensitivity());
    EXPECT_LE(static_cast<double>(left.sensitivity()) * left.unit(), sensitivity * (1 + 0x1p-18));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 2> far{-infinity, 1e300};
  const auto clamped = Scores::rounded(far, 1, Movement::any, Adjacency::replace_one);
  EXPECT_EQ(clamped.open(door)[0], -clamped.open(door)[1]);
}

// With one more record losses grow, all of them; their differences go either way.
TEST(Scores, DifferencesAreNeverOneWay) {
  const auto losses = Scores::integers({9, 5, 4}, 3, Movement::one_way, Adjacency::add_remove);
  const auto gains = losses.differences();
  EXPECT_EQ(gains.movement(), Movement::any);
  EXPECT_EQ(gains.sensitivity(), 3);
  const auto replaced = Scores::integers({9, 5, 4}, 3, Movement::any, Adjacency::replace_one);
  EXPECT_EQ(replaced.differences().sensitivity(), 6);
  const auto door = DoorKeeper::door();
  EXPECT_EQ(gains.open(door)[0], 4);
  EXPECT_EQ(gains.open(door)[1], 1);
  EXPECT_THROW((void)scores_of({1}).differences(), base::UsageError);
}

// Reference values computed at 12 digits; the grid of 2^-20 moves them in the sixth.
TEST(GeneralizedScores, MatchReferenceValues) {
  const std::array<double, 5> errors{120, 80, 60, 58, 57.5};
  const std::array<double, 5> sensitivities{1, 2, 5, 17, 65};
  const auto scores =
      generalized_scores(errors, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
  const std::array<double, 5> expected{10.7253179964, 0, .496019718938, 5.01898369278,
                                       7.02111789081};
  const auto door = DoorKeeper::door();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(-static_cast<double>(scores.open(door)[i]) * 0x1p-20, expected[i], 2e-5);
  }
  EXPECT_EQ(scores.sensitivity(), 1 << 20);
}

TEST(GeneralizedScores, TwentyThousandNeighboursMoveByOneAtMost) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> any(-100, 100);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto door = DoorKeeper::door();
  std::int64_t furthest = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial) % 4;
    std::vector<double> errors(n);
    std::vector<double> sensitivities(n);
    std::vector<double> neighbour(n);
    for (std::size_t i = 0; i < n; ++i) {
      errors[i] = any(generator);
      sensitivities[i] = std::exp2(any(generator) / 20);
      const double move = trial % 2 == 0 ? part(generator) : std::copysign(1, part(generator));
      neighbour[i] = errors[i] + sensitivities[i] * move;
    }
    const auto a =
        generalized_scores(errors, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
    const auto b =
        generalized_scores(neighbour, sensitivities, Epsilon(1), 0.1, Adjacency::replace_one);
    for (std::size_t i = 0; i < n; ++i) {
      furthest = std::max(furthest, std::abs(a.open(door)[i] - b.open(door)[i]));
    }
  }
  EXPECT_LE(furthest, 1 << 20);
  EXPECT_GT(furthest, 0.999 * (1 << 20));
}

TEST(GeneralizedScores, RefuseWhatMakesNoSense) {
  const auto make = [](std::vector<double> errors, std::vector<double> sensitivities,
                       double failure) {
    (void)generalized_scores(errors, sensitivities, Epsilon(1), failure, Adjacency::replace_one);
  };
  EXPECT_THROW(make({}, {}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {1, 2}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {0}, 0.1), base::UsageError);
  EXPECT_THROW(make({1, 2}, {1, 1e9}, 0.1), base::UsageError);
  EXPECT_THROW(make({1}, {1}, 1), base::UsageError);
  EXPECT_THROW(make({nan}, {1}, 0.1), base::NumericError);
}

// Reference values of the Plackett-Luce law for weight 2 and scores (0, .9, 0, 0, .35, 0, 1): in
// twentieths, with a sensitivity of 20 and epsilon 4.
TEST(TopK, DrawsOrderedCandidatesByPeeling) {
  constexpr int draws = 40000;
  const auto scores = scores_of({0, 18, 0, 0, 7, 0, 20}, 20);
  const auto adjacency = Adjacency::replace_one;
  Spender spender(5, top_event(3, Epsilon(4), adjacency), adjacency, draws);
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (int i = 0; i < draws; ++i) {
    ++seen[select_top(scores, 3, Epsilon(4), spender.next(), spender.source, spender.reservation)
               .value()];
  }
  const std::int64_t a = seen[{6, 1, 4}];
  const std::int64_t b = seen[{1, 6, 4}];
  const std::int64_t c = seen[{6, 4, 1}];
  const std::array<std::int64_t, 4> observed{a, b, c, draws - a - b - c};
  std::array<double, 4> expected{0.063787476418403, 0.05741288002424279, 0.038170703039311894, 0};
  expected[3] = 1 - expected[0] - expected[1] - expected[2];
  for (auto& count : expected) count *= draws;
  EXPECT_GT(test::chi_square_p_value(observed, expected), test::false_alarm_rate);
}

TEST(TopK, SelectsEachCandidateOnceUpToAll) {
  const auto scores = scores_of({3, 1, 2});
  const auto adjacency = Adjacency::replace_one;
  Spender spender(5, top_event(3, Epsilon(1), adjacency), adjacency, 1);
  auto all = select_top(scores, 3, Epsilon(1), spender.next(), spender.source, spender.reservation)
                 .value();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2}));
  for (const std::int64_t count : {-1, 0, 4}) {
    EXPECT_THROW((void)select_top(scores, count, Epsilon(1), spender.next(), spender.source,
                                  spender.reservation),
                 base::UsageError);
  }
}

}  // namespace select_test
}  // namespace tacet::mechanism
