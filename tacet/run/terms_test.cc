#include "tacet/run/terms.h"

#include <gtest/gtest.h>

namespace tacet::run {
namespace terms_test {

using ledger::Currency;

AccountTerms left(double delta, Currency currency = Currency::basic) {
  return {.data_set = "survey", .currency = currency, .delta_left = delta};
}

TEST(FittingDelta, TakesTheUsualOneOrATenthOfWhatIsLeft) {
  EXPECT_EQ(fitting_delta(left(2e-6), 1e-6), 1e-6);
  EXPECT_EQ(fitting_delta(left(1e-3), 1e-6), 1e-6);
  EXPECT_EQ(fitting_delta(left(1e-6), 1e-6), 1e-7);
  EXPECT_EQ(fitting_delta(left(9e-7), 1e-6), 9e-8);
  EXPECT_EQ(fitting_delta(left(8.1e-7), 1e-6), 8e-8);
  EXPECT_EQ(fitting_delta(left(1e-6), std::nullopt), 1e-7);
}

TEST(FittingDelta, IsZeroWhereNothingIsLeftOrDeltasAreNotForSale) {
  EXPECT_EQ(fitting_delta(left(0), 1e-6), 0);
  EXPECT_EQ(fitting_delta(left(0, Currency::pure), 1e-6), 0);
}

TEST(FittingDelta, IsTheUsualOneWhereDeltasAreNotCounted) {
  EXPECT_EQ(fitting_delta(left(0, Currency::zcdp), 1e-6), 1e-6);
  EXPECT_EQ(fitting_delta(left(0, Currency::gdp), std::nullopt), std::nullopt);
  auto past = left(1e-9);
  past.past_the_cap = true;
  EXPECT_EQ(fitting_delta(past, 1e-6), 1e-6);
}

// A run after the other, none of which says what delta is to be, always leaves some.
TEST(FittingDelta, NeverTakesTheLast) {
  double remaining = 1e-6;
  for (int i = 0; i < 200; ++i) {
    const double next = *fitting_delta(left(remaining), 1e-6);
    ASSERT_GT(next, 0);
    ASSERT_LE(next, 0.1 * remaining);
    remaining -= next;
  }
}

}  // namespace terms_test
}  // namespace tacet::run
