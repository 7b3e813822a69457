#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/selection.h"
#include "tacet/mechanism/select/sparse_pool.h"
#include "tacet/mechanism/select/sparse_vector.h"
#include "tacet/mechanism/select/top_k.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/outcome_walk.h"
#include "tests/support/peeling_law.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace sparse_selections_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using privacy::Sample;
using test::Spender;

constexpr auto adjacency = Adjacency::add_remove;
using Chosen = std::vector<std::int64_t>;

ScoreBounds bounds_of(std::int64_t population, std::int64_t score_bound) {
  return {population,
          score_bound,
          score_bound,
          2.0 * static_cast<double>(score_bound),
          2.0 * static_cast<double>(score_bound),
          2,
          adjacency};
}

SparseScores scores_under(const Sample& sample, std::int64_t score_bound = 20) {
  return SparseScores::from_certified(privacy::Certifier::clipped(), bounds_of(7, score_bound),
                                      {{1, 18}, {4, 7}, {6, 20}}, sample);
}

// Weight 2 for a score of 20 twentieths: Plackett-Luce, whose reference values are known.
TEST(SparseTop, BothWaysDrawByPeeling) {
  constexpr int draws = 40000;
  const auto check = [&](std::int64_t score_bound, Epsilon each) {
    const auto scores = scores_under(Sample::all(), score_bound);
    Spender spender(5, top_event(*scores.bounds(), 3, each), adjacency, draws);
    test::expect_peeling_law(draws, [&] {
      return select_top(scores, 3, each, {spender.next(), spender.source, spender.reservation})
          .value();
    });
  };
  check(20, Epsilon(4));  // by proposals: weight times bound is 2
  check(40, Epsilon(8));  // by a race: it is 4
}

TEST(SparseTop, CostsDrawsFromTheSmallestPool) {
  const ScoreBounds bounds{100000, 8947849, 8947849, 67108864, 17895698, 1000, adjacency};
  const auto event = top_event(bounds, 100, Epsilon(0.28378695));
  const double weight = score_weight(bounds, Epsilon(0.28378695));
  EXPECT_EQ(event, Event(privacy::Repeated{
                       100, privacy::ScoreSelection{weight, 8947849, 67108864, 17895698, 99901,
                                                    1000, adjacency}}));
  // 2 S0 eta is epsilon, never more, and less by 2^-23 at most.
  EXPECT_LE(weight * 2 * 8947849, 0.28378695);
  EXPECT_GT(weight * 2 * 8947849, 0.28378695 * (1 - 0x1p-18));
}

TEST(SparseTop, ScoresWithoutBoundsCostWhatDenseOnesDo) {
  const auto scores = SparseScores::integers(50, {{3, 100}}, {1, Movement::one_way, adjacency});
  const Epsilon each(2);
  Spender spender(5, top_event(2, each, adjacency), adjacency, 1);
  const auto chosen =
      select_top(scores, 2, each, {spender.next(), spender.source, spender.reservation});
  EXPECT_EQ(chosen.event(), top_event(2, each, adjacency));
  EXPECT_EQ(chosen.value()[0], 3);  // all others together: 50 e^-200
}

/// Each selection, its cost and its release with means of either kind.
struct Kind {
  Event cost;
  std::function<Event(const SparseScores&, const ReleaseContext&)> paid;
  std::function<Event(const SparseScores&, const PermitContext&)> permitted;
};

std::vector<Kind> kinds() {
  const Epsilon each(0.5);
  const SparseVectorOptions options{
      .threshold = 10, .selection_epsilon = Epsilon(1), .value_epsilon = {}};
  const auto of = [](Event cost, const auto& release) {
    return Kind{std::move(cost), release, release};
  };
  return {of(top_event(bounds_of(7, 20), 2, each),
             [=](const SparseScores& scores, const auto& context) {
               return select_top(scores, 2, each, context).event();
             }),
          of(permute_and_flip_top_event(2, each, adjacency),
             [=](const SparseScores& scores, const auto& context) {
               return select_top_permute_and_flip(scores, 2, each, context).event();
             }),
          of(sparse_vector_event(options, adjacency),
             [=](const SparseScores& scores, const auto& context) {
               return release_sparse_vector(scores, options, context).event();
             })};
}

TEST(SparseSelections, FromASampleAreBookedUnderIt) {
  for (const auto& kind : kinds()) {
    for (const auto& sample :
         {Sample::poisson(privacy::SamplingRate(0.25)), Sample::fixed_size({5, 50})}) {
      const auto asked = sample.fixed() != nullptr ? Adjacency::zero_out : adjacency;
      Spender spender(5, sample.event(kind.cost), asked, 2);
      const auto scores = scores_under(sample);
      EXPECT_EQ(kind.paid(scores, {spender.next(), spender.source, spender.reservation}),
                sample.event(kind.cost));
      // The second release from one sample is refused.
      EXPECT_THROW(kind.paid(scores, {spender.next(), spender.source, spender.reservation}),
                   base::InternalError);
    }
  }
}

TEST(SparseSelections, ArePartsOfAPermit) {
  for (const auto& kind : kinds()) {
    for (const auto& sample :
         {Sample::poisson(privacy::SamplingRate(0.25)), Sample::fixed_size({5, 50})}) {
      const auto asked = sample.fixed() != nullptr ? Adjacency::zero_out : adjacency;
      const std::vector<Event> parts{kind.cost, privacy::Gaussian{1}};
      const auto whole = SamplePermit::event(sample, parts);
      EXPECT_EQ(whole, sample.event(privacy::Composed{parts}));
      Spender spender(5, whole, asked, 1);
      SamplePermit permit(sample, parts, spender.reservation);
      const auto scores = scores_under(sample);
      EXPECT_EQ(kind.permitted(scores, {spender.next(), spender.source, permit}), whole);
      // The part is gone, and another sample's scores never had one.
      EXPECT_THROW(kind.permitted(scores, {spender.next(), spender.source, permit}),
                   base::BudgetError);
      EXPECT_THROW(kind.permitted(scores_under(Sample::poisson(privacy::SamplingRate(0.25))),
                                  {spender.next(), spender.source, permit}),
                   base::InternalError);
    }
  }
}

/// The law of two draws of permute-and-flip, walked through.
std::map<Chosen, double> flipped_twice(const std::vector<std::int64_t>& scores) {
  std::vector<random::ScoredCandidate> listed;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != 0) listed.push_back({static_cast<std::int64_t>(i), scores[i]});
  }
  test::Walk walk;
  return walk.law<Chosen>([&](test::Walk& draws) {
    internal::SparsePool pool(std::ssize(scores), listed);
    Chosen chosen;
    for (int draw = 0; draw < 2; ++draw) {
      chosen.push_back(internal::permute_and_flip(pool, {1, 4}, draws));
    }
    return chosen;
  });
}

TEST(SparsePermuteAndFlip, IsTheDenseLawDrawAfterDraw) {
  const std::vector<std::int64_t> scores{0, 3, 0, -1};
  for (const auto& [chosen, probability] : flipped_twice(scores)) {
    test::Walk walk;
    const auto of = [&](std::vector<std::int64_t> left) {
      return walk.law<std::int64_t>([&](test::Walk& draws) {
        return internal::permute_and_flip(std::span<const std::int64_t>(left), {1, 4}, draws);
      });
    };
    const auto first = of(scores);
    auto rest = scores;
    rest.erase(rest.begin() + chosen[0]);
    const auto second = of(rest);
    const std::int64_t shifted = chosen[1] - (chosen[1] > chosen[0] ? 1 : 0);
    EXPECT_NEAR(probability, first.at(chosen[0]) * second.at(shifted), 1e-12);
  }
}

TEST(SparsePermuteAndFlip, NeighboursDifferByNoMoreThanBooked) {
  // Rate 1/4 a unit, sensitivity 1: epsilon 1/2 a draw.
  const std::vector<std::int64_t> base{0, 2, 0, 1};
  const auto law = flipped_twice(base);
  for (int neighbour = 0; neighbour < 81; ++neighbour) {
    auto scores = base;
    for (int i = 0, rest = neighbour; i < 4; ++i, rest /= 3) {
      scores[static_cast<std::size_t>(i)] += rest % 3 - 1;
    }
    for (const auto& [chosen, probability] : flipped_twice(scores)) {
      EXPECT_LE(std::fabs(std::log(probability / law.at(chosen))), 2 * 0.5 + 1e-9);
    }
  }
}

TEST(SparsePermuteAndFlip, RefusesMoreVisitsThanItCanPay) {
  const auto scores =
      SparseScores::integers(std::int64_t{1} << 40, {{3, 100}}, {1, Movement::one_way, adjacency});
  Spender spender(5, permute_and_flip_top_event(1, Epsilon(1), adjacency), adjacency, 1);
  EXPECT_THROW((void)select_top_permute_and_flip(
                   scores, 1, Epsilon(1), {spender.next(), spender.source, spender.reservation}),
               base::UsageError);
}

TEST(UniformChoice, NeedsNoBudget) {
  random::SeededSource source(4);
  const auto chosen = choose_uniformly(10, 100000000, {.step = 3}, source);
  ASSERT_EQ(chosen.size(), 10U);
  for (std::size_t i = 1; i < chosen.size(); ++i) EXPECT_LT(chosen[i - 1], chosen[i]);
  EXPECT_THROW((void)choose_uniformly(10, 100, {.step = 3}, source), base::InternalError);
}

TEST(SparseScores, AreCutAtTheirBound) {
  const auto scores = SparseScores::from_certified(privacy::Certifier::clipped(), bounds_of(7, 5),
                                                   {{1, 18}, {4, -7}}, Sample::all());
  const auto access = AccessKeys::key();
  EXPECT_EQ(scores.open(access)[0].score, 5);
  EXPECT_EQ(scores.open(access)[1].score, 0);
  auto wrong = bounds_of(7, 5);
  wrong.l2_sensitivity = HUGE_VAL;
  EXPECT_THROW((void)SparseScores::from_certified(privacy::Certifier::clipped(), wrong, {}),
               base::UsageError);
  wrong = bounds_of(7, 0);
  EXPECT_THROW((void)SparseScores::from_certified(privacy::Certifier::clipped(), wrong, {}),
               base::UsageError);
}

}  // namespace sparse_selections_test
}  // namespace tacet::mechanism
