#include "tacet/accounting/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"

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
