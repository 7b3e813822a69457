#include "tacet/accounting/stated_cost.h"

#include <gtest/gtest.h>

#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace stated_cost_test {

constexpr auto adjacency = Adjacency::add_remove;

// The double 0.1 is above a tenth, so that an event of it costs more than the decimal.
TEST(StatedCost, IsTheDecimalWhereTheProofReachesIt) {
  const auto whole = stated_cost(PureDp{0.0999, adjacency}, adjacency, {0.1, 0, adjacency});
  EXPECT_EQ(whole, (privacy::Amount{0.1, 0, true}));
  const auto fraction = stated_cost(PureDp{0.1, adjacency}, adjacency, {0.1, 0, adjacency});
  EXPECT_EQ(fraction, (privacy::Amount{0.1, 0, false}));
}

TEST(StatedCost, IsNeverBelowTheProof) {
  for (const double noise : {0.7, 1.0, 3.0}) {
    const auto proved = account(Gaussian{noise}, adjacency, Delta(1e-6));
    const auto cost = stated_cost(Gaussian{noise}, adjacency, {0.01, 1e-6, adjacency});
    EXPECT_GE(cost.value, proved.epsilon);
    EXPECT_EQ(cost.delta, 1e-6);
  }
}

TEST(StatedCost, SumsWhatIsStatedApproximately) {
  const Event both = Composed{{ApproximateDp{0.25, 1e-7, adjacency}, PureDp{0.5, adjacency}}};
  EXPECT_EQ(stated_cost(both, adjacency, {0.75, 1e-6, adjacency}),
            (privacy::Amount{0.75, 1e-6, true}));
}

TEST(StatedCost, RefusesWhatNothingIsProvedFor) {
  EXPECT_THROW(static_cast<void>(
                   stated_cost(PureDp{1, Adjacency::replace_one}, adjacency, {1, 0, adjacency})),
               base::GuaranteeError);
}

}  // namespace stated_cost_test
}  // namespace tacet::accounting
