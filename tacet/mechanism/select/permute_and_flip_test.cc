#include "tacet/mechanism/select/permute_and_flip.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"
#include "tests/support/selections.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace permute_and_flip_test {

using privacy::Adjacency;
using privacy::Epsilon;
using privacy::Event;
using test::scores_of;
using test::Spender;

constexpr auto adjacency = Adjacency::replace_one;

// Reference values of the law computed at 12 digits.
const std::vector<std::int64_t> halves{-20, -16, -15, -24, -14};
const std::vector<double> law{.0674593889689, .20619146345, .283826219401, .0239504396645,
                              .418572488516};

TEST(PermuteAndFlip, DrawsItsLaw) {
  constexpr int draws = 40000;
  const auto scores = scores_of(halves, 2);
  Spender spender(1, permute_and_flip_event(Epsilon(1), adjacency), adjacency, draws);
  const auto select = [&] {
    return select_permute_and_flip(scores, Epsilon(1),
                                   {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_GT(test::fit(law, draws, select), test::false_alarm_rate);
}

TEST(PermuteAndFlip, ReturnsAndDebitsItsEvent) {
  const auto scores = scores_of({1, 2});
  Spender spender(1, permute_and_flip_event(Epsilon(2), adjacency), adjacency, 1);
  const auto select = [&] {
    return select_permute_and_flip(scores, Epsilon(2),
                                   {spender.next(), spender.source, spender.reservation});
  };
  EXPECT_EQ(select().event(), Event(privacy::PureDp{2, adjacency}));
  EXPECT_THROW((void)select(), base::BudgetError);
}

// The number of random words a selection reads varies: each has a keystream block of its own, apart
// from the leaves of noise, and none is read twice.
TEST(PermuteAndFlip, HasRandomBitsOfItsOwn) {
  const auto scores = scores_of({1, 2});
  Spender spender(1, permute_and_flip_event(Epsilon(2), adjacency), adjacency, 2);
  const NoiseAddress address{.step = 7, .tensor = 0};
  (void)spender.source.claim(random::Purpose::noise, 7, 0);
  (void)select_permute_and_flip(scores, Epsilon(2), {address, spender.source, spender.reservation});
  EXPECT_THROW((void)select_permute_and_flip(scores, Epsilon(2),
                                             {address, spender.source, spender.reservation}),
               base::InternalError);
}

}  // namespace permute_and_flip_test
}  // namespace tacet::mechanism
