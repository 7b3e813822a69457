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
