#include "tacet/mechanism/select/group_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace group_scores_test {

using privacy::Adjacency;

constexpr auto neighbours = Adjacency::add_remove;

GroupScores scores_of(std::int64_t group, std::int64_t groups, Adjacency adjacency = neighbours) {
  return GroupScores::from_certified(privacy::Certifier::clipped(),
                                     SparseScores::integers(1000, {{7, 1 << 20}, {300, -(1 << 20)}},
                                                            {16, Movement::any, adjacency}),
                                     group, groups);
}

SparseVectorOptions run_of(std::int64_t positives) {
  return {.form = SparseVectorForm::redrawn_threshold,
          .compared = Compared::magnitude,
          .threshold = 1 << 19,
          .max_positives = positives,
          .selection_epsilon = privacy::Epsilon(2),
          .value_epsilon = privacy::Epsilon(1)};
}

// Two passes over three groups: two debits, each of what one group costs.
TEST(GroupPass, APassCostsWhatOneGroupCosts) {
  const auto run = run_of(2);
  const auto part = sparse_vector_event(run, neighbours);
  test::Spender spender(3, GroupPass::event(part), neighbours, 2);
  GroupPass pass(3, part, neighbours, spender.reservation);
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t group : {2, 0, 1}) {
      const auto answer = release_sparse_vector(scores_of(group, 3), run,
                                                GroupContext{spender.next(), spender.source, pass});
      ASSERT_EQ(answer.value().positives.size(), 2U);
      EXPECT_EQ(answer.value().positives[0].index, 7);
      EXPECT_GT(*answer.value().positives[0].value, 0);
      EXPECT_LT(*answer.value().positives[1].value, 0);  // values keep their sign
    }
  }
  EXPECT_EQ(accounting::epsilon_interval(spender.reservation.spent(), neighbours, privacy::Delta(0))
                .upper,
            accounting::epsilon_interval(privacy::Repeated{2, part}, neighbours, privacy::Delta(0))
                .upper);
  // A third pass was not paid for.
  EXPECT_THROW((void)release_sparse_vector(scores_of(0, 3), run,
                                           GroupContext{spender.next(), spender.source, pass}),
               base::BudgetError);
}

TEST(GroupPass, NoGroupHasTwoTurnsInAPass) {
  const auto run = run_of(2);
  const auto part = sparse_vector_event(run, neighbours);
  test::Spender spender(3, GroupPass::event(part), neighbours, 1);
  GroupPass pass(3, part, neighbours, spender.reservation);
  const auto release = [&](const GroupScores& scores, const SparseVectorOptions& options) {
    (void)release_sparse_vector(scores, options,
                                GroupContext{spender.next(), spender.source, pass});
  };
  release(scores_of(1, 3), run);
  EXPECT_THROW(release(scores_of(1, 3), run), base::InternalError);
  EXPECT_THROW(release(scores_of(0, 4), run), base::InternalError);        // other groups
  EXPECT_THROW(release(scores_of(0, 3), run_of(3)), base::InternalError);  // another cost
  EXPECT_THROW(release(scores_of(0, 3, Adjacency::zero_out), run), base::InternalError);
  release(scores_of(0, 3), run);
}

TEST(GroupPass, RefusesWhatIsNotProved) {
  const auto part = sparse_vector_event(run_of(2), Adjacency::replace_one);
  test::Spender spender(3, part, Adjacency::replace_one, 1);
  EXPECT_THROW(GroupPass(3, part, Adjacency::replace_one, spender.reservation), base::UsageError);
  EXPECT_THROW(GroupPass(0, part, neighbours, spender.reservation), base::UsageError);
  EXPECT_THROW((void)scores_of(3, 3), base::UsageError);
  const auto sampled = SparseScores::integers(10, {}, {1, Movement::any, neighbours},
                                              privacy::Sample::poisson(privacy::SamplingRate(0.5)));
  EXPECT_THROW((void)GroupScores::from_certified(privacy::Certifier::clipped(), sampled, 0, 1),
               base::InternalError);
}

// The law where it is worst: the record's group answers by randomised response, and what the other
// groups give is told from it. Then delta is a share of the group's own at every epsilon, and
// epsilon at delta 0 is the group's.
TEST(GroupDraws, ASecretChoiceDividesDeltaAndNotEpsilon) {
  constexpr double each = 1.5;
  const auto event = GroupDraws::event(privacy::PureDp{each, neighbours}, 20, neighbours);
  const double often = 1 / (1 + std::exp(-each));
  for (const double epsilon : {0.0, 0.3, 1.0, 1.4, 1.5, 2.0}) {
    const double exact = std::max(0.0, often - std::exp(epsilon) * (1 - often)) / 20;
    const double stated =
        accounting::delta_interval(event, neighbours, privacy::Epsilon(epsilon)).upper;
    EXPECT_GE(stated, exact) << epsilon;
    EXPECT_LE(stated, exact * 1.001 + 1e-12) << epsilon;
  }
  EXPECT_NEAR(accounting::epsilon_interval(event, neighbours, privacy::Delta(0)).upper, each, 1e-9);
  // As a sample of records it would cost far less: that is the wrong reading.
  const privacy::PoissonSampled sampled{0.05, privacy::PureDp{each, neighbours}};
  EXPECT_LT(accounting::epsilon_interval(sampled, neighbours, privacy::Delta(0)).upper, 0.2);
}

TEST(GroupDraws, EachDrawIsReadAndPaidForOnce) {
  const auto run = run_of(2);
  const auto part = sparse_vector_event(run, neighbours);
  const auto one = GroupDraws::event(part, 3, neighbours);
  test::Spender spender(3, one, neighbours, 40);
  GroupDraws draws(3, part, neighbours, spender.reservation);
  const auto draw = [&](std::uint64_t step) {
    return draws.draw(spender.source.claim(random::Purpose::sampling, step, 0));
  };
  const auto release = [&](std::int64_t group) {
    (void)release_sparse_vector(scores_of(group, 3), run,
                                GroupContext{spender.next(), spender.source, draws});
  };
  std::vector<int> counts(3);
  for (std::uint64_t step = 0; step < 40; ++step) {
    const auto group = draw(step);
    ++counts[static_cast<std::size_t>(group)];
    if (step == 0) {
      EXPECT_THROW((void)draw(100), base::InternalError);  // the drawn one was not read
      EXPECT_THROW(release((group + 1) % 3), base::InternalError);
    }
    release(group);
    EXPECT_THROW(release(group), base::InternalError);
  }
  for (const int count : counts) EXPECT_GT(count, 3);
  EXPECT_EQ(spender.reservation.spent(), (privacy::Repeated{40, one}));
  EXPECT_THROW(release(draw(40)), base::BudgetError);
}

TEST(GroupDraws, RefuseWhatIsNotProved) {
  EXPECT_THROW((void)GroupDraws::event(privacy::Gaussian{1}, 3, neighbours), base::GuaranteeError);
  EXPECT_THROW((void)GroupDraws::event(privacy::PureDp{1, neighbours}, 0, neighbours),
               base::UsageError);
  const privacy::PureDp replaced{1, Adjacency::replace_one};
  test::Spender spender(3, replaced, Adjacency::replace_one, 1);
  EXPECT_THROW(GroupDraws(3, replaced, Adjacency::replace_one, spender.reservation),
               base::UsageError);
}

}  // namespace group_scores_test
}  // namespace tacet::mechanism
