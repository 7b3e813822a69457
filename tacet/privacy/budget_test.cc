#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <type_traits>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

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

TEST(TrustingBudget, SumsRoundUp) {
  // Fifty times the double nearest to 0.02 is above 1 in exact arithmetic.
  TrustingBudget budget(Guarantee{1, 0, adjacency});
  for (int i = 0; i < 49; ++i) {
    static_cast<void>(budget.reserve(Gaussian{1}, {0.02, 0, adjacency}));
  }
  EXPECT_THROW(static_cast<void>(budget.reserve(Gaussian{1}, {0.02, 0, adjacency})),
               BudgetExceeded);
}

TEST(TrustingBudget, AdditionNeverRoundsDown) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 10000; ++i) {
    const double a = uniform(random);
    const double b = uniform(random) * 1e-8;
    const double sum = numeric::add_up(a, b);
    EXPECT_GE(static_cast<long double>(sum),
              static_cast<long double>(a) + static_cast<long double>(b));
    EXPECT_LE(sum, std::nextafter(a + b, 2.0));
  }
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
static_assert(!std::is_default_constructible_v<MechanismDoor>);
static_assert(!std::is_convertible_v<Private<int>, int>);
static_assert(!std::equality_comparable<Private<int>>);

}  // namespace budget_test
}  // namespace tacet::privacy
