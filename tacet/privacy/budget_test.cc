#include "tacet/privacy/budget.h"

#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/released.h"
#include "tacet/privacy/trusting_budget.h"

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

static_assert(!std::is_copy_constructible_v<Reservation>);
static_assert(std::is_move_constructible_v<Reservation>);
static_assert(!std::is_default_constructible_v<AccessKey>);
static_assert(!std::is_convertible_v<Private<int>, int>);
static_assert(!std::equality_comparable<Private<int>>);

// What the types keep from everybody else: nobody opens a private value, writes what a map sees to
// a place of his own, or states a bound. (Templates, so that what does not compile is an answer.)
template <typename T>
concept OpensWithoutKey = requires(const T& held) {
  held.open({});
};
template <typename T>
concept ShowsItsValue = requires(const T& held) {
  held.value();
};
template <typename T, typename Function>
concept MapsBy = requires(const T& held, Function function) {
  held.map(function);
};
template <typename T>
concept StatesABound = requires {
  T::from_certified({}, {1, 2}, 1.0, 1);
};
template <typename T>
concept IsMadeByAnyone = requires {
  T{};
};
inline auto writes_to(int& out) {
  return [&out](int value) { return out = value; };
}

static_assert(MapsBy<Private<int>, std::negate<>>);
static_assert(!MapsBy<Private<int>, decltype(writes_to(std::declval<int&>()))>);
static_assert(!MapsBy<Private<int>, std::function<int(int)>>);
static_assert(!OpensWithoutKey<Private<int>> && !OpensWithoutKey<BoundedSum>);
static_assert(!ShowsItsValue<Private<int>>);
static_assert(!StatesABound<BoundedSum>);
static_assert(!IsMadeByAnyone<Certified> && !IsMadeByAnyone<AccessKey>);

}  // namespace budget_test
}  // namespace tacet::privacy
