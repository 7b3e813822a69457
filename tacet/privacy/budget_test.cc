#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace budget_test {

constexpr auto adjacency = Adjacency::add_remove;

TEST(Reservation, CancellingBeforeTheFirstReleaseGivesItBack) {
  TrustingBudget budget(Guarantee{1, 0, adjacency});
  auto reservation = budget.reserve(Gaussian{1}, {1, 0, adjacency});
  reservation.cancel();
  EXPECT_EQ(budget.spent().epsilon, 0);
  EXPECT_THROW(reservation.debit(Gaussian{1}), base::BudgetError);
  auto used = budget.reserve(Gaussian{1}, {1, 0, adjacency});
  used.debit(Gaussian{1});
  EXPECT_THROW(used.cancel(), base::BudgetError);
  EXPECT_EQ(budget.spent().epsilon, 1);
}

TEST(Reservation, DebitsOnlyWhatWasPlanned) {
  TrustingBudget budget(adjacency);
  const Event step = PoissonSampled{0.01, Gaussian{1.1}};
  auto reservation =
      budget.reserve(Composed{{Repeated{3, step}, Laplace{2}}}, {1, 1e-6, adjacency});
  reservation.debit(step);
  reservation.debit(Laplace{2});
  EXPECT_THROW(reservation.debit(Laplace{2}), base::BudgetError);
  EXPECT_THROW(reservation.debit(Gaussian{1.1}), base::BudgetError);
  EXPECT_THROW(reservation.debit(Repeated{3, step}), base::BudgetError);
  reservation.debit(Repeated{2, step});
  EXPECT_THROW(reservation.debit(step), base::BudgetError);
  EXPECT_EQ(reservation.spent(), Event(Composed{{Repeated{3, step}, Laplace{2}}}));
  reservation.commit();
  EXPECT_THROW(reservation.debit(step), base::BudgetError);
  EXPECT_THROW(reservation.commit(), base::InternalError);
}

TEST(Reservation, ResultsLeaveOnlyAfterCommit) {
  TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(Gaussian{1}, {1, 1e-6, adjacency});
  reservation.debit(Gaussian{1});
  EXPECT_THROW(static_cast<void>(released_under(reservation, 5)), base::InternalError);
  reservation.commit();
  const auto released = released_under(reservation, 5);
  EXPECT_EQ(released.value(), 5);
  EXPECT_EQ(released.event(), Event(Gaussian{1}));
  EXPECT_EQ(released.map([](int value) { return value + 1; }).value(), 6);
}

static_assert(!std::is_copy_constructible_v<Reservation>);
static_assert(std::is_move_constructible_v<Reservation>);
static_assert(!std::is_default_constructible_v<AccessKey>);
static_assert(!std::is_convertible_v<Private<int>, int>);
static_assert(!std::equality_comparable<Private<int>>);

}  // namespace budget_test
}  // namespace tacet::privacy
