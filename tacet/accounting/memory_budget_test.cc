#include "tacet/accounting/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/privacy/decimal.h"

namespace tacet::accounting {
namespace memory_budget_test {

constexpr auto adjacency = Adjacency::add_remove;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(MemoryBudget, BooksWhatIsProved) {
  MemoryBudget budget(adjacency);
  const auto permit = budget.reserve(Gaussian{5}, Delta(1e-6));
  const auto proved = account(Gaussian{5}, adjacency, Delta(1e-6));
  EXPECT_EQ(permit.guarantee(), proved);
  EXPECT_EQ(budget.spent(), proved);
  // Laplace noise of scale b for sensitivity 1 costs 1/b.
  EXPECT_NEAR(budget.reserve(Laplace{4}, Delta(0)).guarantee().epsilon, 0.25, 1e-12);
}

// Noise of a tenth of the sensitivity protects nobody, whatever its price tag says.
TEST(MemoryBudget, RefusesAPriceBelowTheProvedOne) {
  MemoryBudget budget(adjacency);
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{0.1}, {0.01, 1e-6, adjacency})),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(budget.reserve(Laplace{2}, {0.4999, 0, adjacency})),
               base::UsageError);
  // Gaussian noise has no pure epsilon.
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{50}, {5, 0, adjacency})),
               base::UsageError);
  EXPECT_EQ(budget.spent().epsilon, 0);
  EXPECT_NO_THROW(static_cast<void>(budget.reserve(Laplace{2}, {0.51, 0, adjacency})));
  EXPECT_NO_THROW(static_cast<void>(budget.reserve(Gaussian{0}, {infinity, 0, adjacency})));
}

TEST(MemoryBudget, TheCapHoldsForWhatIsProved) {
  MemoryBudget budget(Guarantee{1, 0, adjacency});
  static_cast<void>(budget.reserve(Laplace{2}, Delta(0)));
  EXPECT_THROW(static_cast<void>(budget.reserve(Laplace{1.9}, Delta(0))), privacy::BudgetExceeded);
  auto second = budget.reserve(Laplace{2.1}, Delta(0));
  second.cancel();
  EXPECT_NEAR(budget.spent().epsilon, 0.5, 1e-12);
}

TEST(MemoryBudget, RefusesWhatNothingIsProvedForAndOtherNeighbours) {
  MemoryBudget budget(adjacency);
  EXPECT_THROW(static_cast<void>(budget.reserve(PureDp{1, Adjacency::replace_one}, Delta(0))),
               base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(budget.reserve(Laplace{2}, {1, 0, Adjacency::replace_one})),
               base::UsageError);
}

TEST(MemoryBudget, AddsUpTheDecimalsThatWereWritten) {
  for (const auto& [runs, epsilon] :
       {std::pair(10, 0.1), std::pair(20, 0.05), std::pair(30, 0.1)}) {
    MemoryBudget budget(Guarantee{runs * epsilon > 2 ? 3.0 : 1.0, 0, adjacency});
    const Event run = PureDp{privacy::decimal_down(epsilon), adjacency};
    for (int i = 0; i < runs; ++i) {
      EXPECT_NO_THROW(static_cast<void>(budget.reserve(run, {epsilon, 0, adjacency}))) << i;
    }
    EXPECT_THROW(static_cast<void>(budget.reserve(run, {epsilon, 0, adjacency})),
                 privacy::BudgetExceeded);
  }
}

// What is stated is what is booked, to the last digit.
TEST(MemoryBudget, BooksWhatIsStated) {
  for (int i = 0; i < 300; ++i) {
    const double noise = 0.6 + 0.013 * i;
    const Event event = Repeated{1 + i % 7, PoissonSampled{0.01 + 0.0007 * i, Gaussian{noise}}};
    const double delta = std::pow(10.0, -4 - i % 4) * (1 + i % 9);
    const auto stated = stated_guarantee(event, {50, delta, adjacency}, 1e-30);
    MemoryBudget budget(adjacency);
    ASSERT_NO_THROW(static_cast<void>(budget.reserve(event, stated))) << i;
    EXPECT_EQ(budget.spent(), stated) << i;
  }
}

// Within the accountant's interval the upper end is booked, whatever was stated.
TEST(MemoryBudget, LastDigitsAreNoReasonToRefuse) {
  const Event event = Repeated{5, PoissonSampled{0.1, Gaussian{1}}};
  const auto proved = account(event, adjacency, Delta(1e-6));
  MemoryBudget budget(adjacency);
  auto stated = proved;
  stated.epsilon = std::nextafter(proved.epsilon, 0.0);
  static_cast<void>(budget.reserve(event, stated));
  EXPECT_GE(budget.spent().epsilon, stated.epsilon);
  stated.epsilon = 0.9 * proved.epsilon;
  EXPECT_THROW(static_cast<void>(budget.reserve(event, stated)), base::UsageError);
}

TEST(MemoryBudget, WhatWasReleasedBeforeIsBookedOnce) {
  MemoryBudget budget(Guarantee{1, 0, adjacency});
  const Event fit = PureDp{0.4, adjacency};
  for (int i = 0; i < 3; ++i) budget.book_once("fit a", fit, {0.5, 0, adjacency});
  EXPECT_EQ(budget.spent().epsilon, 0.5);
  budget.note_paid("fit b");
  budget.book_once("fit b", fit, {0.5, 0, adjacency});
  EXPECT_EQ(budget.spent().epsilon, 0.5);
  budget.book_once("fit c", fit, {0.4, 0, adjacency});
  EXPECT_THROW(budget.book_once("fit d", fit, {0.4, 0, adjacency}), privacy::BudgetExceeded);
  EXPECT_THROW(budget.book_once("fit d", fit, {0.4, 0, adjacency}), privacy::BudgetExceeded);
}

// A copy of the process has the whole budget again, but may not use it.
TEST(MemoryBudget, IsSpentInItsOwnProcessAlone) {
  MemoryBudget budget(Guarantee{1, 0, adjacency});
  const auto child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int refusals = 0;
    try {
      static_cast<void>(budget.reserve(Laplace{2}, Delta(0)));
    } catch (const base::BudgetError&) {
      ++refusals;
    }
    try {
      static_cast<void>(budget.reserve(Laplace{2}, {1, 0, adjacency}));
    } catch (const base::BudgetError&) {
      ++refusals;
    }
    _exit(refusals);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NO_THROW(static_cast<void>(budget.reserve(Laplace{2}, Delta(0))));
}

TEST(MemoryBudget, ProtectsOneUnit) {
  MemoryBudget budget(adjacency);
  budget.expect_unit("patient");
  budget.expect_unit("patient");
  EXPECT_THROW(budget.expect_unit("record"), base::BudgetError);
}

}  // namespace memory_budget_test
}  // namespace tacet::accounting
