#include "tacet/mechanism/select/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tacet/base/error.h"
#include "tests/support/peeling_law.h"
#include "tests/support/selections.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace top_k_test {

using privacy::Adjacency;
using privacy::Epsilon;
using test::scores_of;
using test::Spender;

constexpr auto adjacency = Adjacency::replace_one;

// Reference values of the Plackett-Luce law for weight 2 and scores (0, .9, 0, 0, .35, 0, 1): in
// twentieths, with a sensitivity of 20 and epsilon 4.
TEST(TopK, DrawsOrderedCandidatesByPeeling) {
  constexpr int draws = 40000;
  const auto scores = scores_of({0, 18, 0, 0, 7, 0, 20}, 20);
  Spender spender(5, top_event(3, Epsilon(4), adjacency), adjacency, draws);
  test::expect_peeling_law(draws, [&] {
    return select_top(scores, 3, Epsilon(4), {spender.next(), spender.source, spender.reservation})
        .value();
  });
}

TEST(TopK, SelectsEachCandidateOnceUpToAll) {
  const auto scores = scores_of({3, 1, 2});
  Spender spender(5, top_event(3, Epsilon(1), adjacency), adjacency, 1);
  auto all =
      select_top(scores, 3, Epsilon(1), {spender.next(), spender.source, spender.reservation})
          .value();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2}));
  for (const std::int64_t count : {-1, 0, 4}) {
    EXPECT_THROW((void)select_top(scores, count, Epsilon(1),
                                  {spender.next(), spender.source, spender.reservation}),
                 base::UsageError);
  }
}

TEST(TopK, CostsADrawForEachCandidate) {
  EXPECT_EQ(top_event(3, Epsilon(0.5), adjacency),
            privacy::Event(privacy::Repeated{3, privacy::BoundedRange{0.5, adjacency}}));
}

}  // namespace top_k_test
}  // namespace tacet::mechanism
