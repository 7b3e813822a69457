#include "tacet/mechanism/select/group_scores.h"

#include <gtest/gtest.h>

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
          .most_positives = positives,
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
                                                GroupMeans{spender.next(), spender.source, pass});
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
                                           GroupMeans{spender.next(), spender.source, pass}),
               base::BudgetError);
}

TEST(GroupPass, NoGroupHasTwoTurnsInAPass) {
  const auto run = run_of(2);
  const auto part = sparse_vector_event(run, neighbours);
  test::Spender spender(3, GroupPass::event(part), neighbours, 1);
  GroupPass pass(3, part, neighbours, spender.reservation);
  const auto release = [&](const GroupScores& scores, const SparseVectorOptions& options) {
    (void)release_sparse_vector(scores, options, GroupMeans{spender.next(), spender.source, pass});
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

}  // namespace group_scores_test
}  // namespace tacet::mechanism
