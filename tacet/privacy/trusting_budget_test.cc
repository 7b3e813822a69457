#include "tacet/privacy/trusting_budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace trusting_budget_test {

constexpr auto adjacency = Adjacency::add_remove;

TEST(TrustingBudget, RefusesWhatExceedsTheCapAndSaysHowMuchIsLeft) {
  TrustingBudget budget(Guarantee{1, 1e-6, adjacency});
  auto first = budget.reserve(Gaussian{1}, {0.75, 5e-7, adjacency});
  try {
    static_cast<void>(budget.reserve(Gaussian{1}, {0.5, 0, adjacency}));
    FAIL() << "the cap was exceeded";
  } catch (const BudgetExceeded& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::budget);
    EXPECT_EQ(error.requested().epsilon, 0.5);
    EXPECT_NEAR(error.remaining().epsilon, 0.25, 1e-12);
    EXPECT_LE(error.remaining().epsilon, 0.25);
    EXPECT_EQ(error.cap().epsilon, 1);
  }
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {0.1, 6e-7, adjacency})),
               BudgetExceeded);
  auto second = budget.reserve(Gaussian{1}, {0.25, 5e-7, adjacency});
  EXPECT_EQ(budget.spent(), (Guarantee{1, 1e-6, adjacency}));
}

TEST(TrustingBudget, ExactSumsFillTheCapExactly) {
  TrustingBudget budget(Guarantee{1, 0, adjacency});
  for (int i = 0; i < 64; ++i) {
    EXPECT_NO_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {1.0 / 64, 0, adjacency})));
  }
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {1e-300, 0, adjacency})),
               BudgetExceeded);
}

// Ten times the double 0.1 is more than 1, ten times the decimal 0.1 is 1.
TEST(TrustingBudget, SumsAreThoseOfTheDecimalsThatWereWritten) {
  struct Case {
    int runs;
    double epsilon;
    double cap;
  };
  for (const auto& [runs, epsilon, cap] :
       {Case{10, 0.1, 1}, Case{20, 0.05, 1}, Case{50, 0.02, 1}, Case{3, 0.1, 0.3},
        Case{7, 0.7, 4.9}, Case{1000, 0.001, 1}}) {
    TrustingBudget budget(Guarantee{cap, 1, adjacency});
    for (int i = 0; i < runs; ++i) {
      EXPECT_NO_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {epsilon, 1e-7, adjacency})));
    }
    EXPECT_EQ(budget.spent().epsilon, cap) << runs;
    EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {1e-12, 0, adjacency})),
                 BudgetExceeded);
  }
  TrustingBudget deltas(Guarantee{1, 1e-6, adjacency});
  for (int i = 0; i < 10; ++i) {
    EXPECT_NO_THROW(static_cast<void>(deltas.reserve(Gaussian{1}, {0, 1e-7, adjacency})));
  }
  EXPECT_THROW(static_cast<void>(deltas.reserve(Gaussian{1}, {0, 1e-300, adjacency})),
               BudgetExceeded);
}

// What is given back leaves nothing behind, in whatever order.
TEST(TrustingBudget, WhatIsGivenBackIsThereAgain) {
  TrustingBudget budget(Guarantee{1, 1e-6, adjacency});
  auto first = budget.reserve(Gaussian{1}, {0.1, 1e-7, adjacency});
  auto second = budget.reserve(Gaussian{1}, {0.9, 9e-7, adjacency});
  first.cancel();
  EXPECT_EQ(budget.spent(), (Guarantee{0.9, 9e-7, adjacency}));
  second.cancel();
  EXPECT_EQ(budget.spent(), (Guarantee{0, 0, adjacency}));
}

TEST(TrustingBudget, AnotherAdjacencyIsRefused) {
  TrustingBudget budget(adjacency);
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {1, 0, Adjacency::replace_one})),
               base::UsageError);
}

TEST(TrustingBudget, WithoutACapEverythingIsBooked) {
  TrustingBudget budget(adjacency);
  const double infinity = std::numeric_limits<double>::infinity();
  auto reservation = budget.reserve(Gaussian{0}, {infinity, 0, adjacency});
  EXPECT_EQ(budget.spent().epsilon, infinity);
}

TEST(TrustingBudget, AReservationThatIsDroppedStaysSpent) {
  TrustingBudget budget(Guarantee{1, 0, adjacency});
  static_cast<void>(budget.reserve(Gaussian{1}, {1, 0, adjacency}));
  EXPECT_EQ(budget.spent().epsilon, 1);
}

}  // namespace trusting_budget_test
}  // namespace tacet::privacy
