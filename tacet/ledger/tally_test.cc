#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/ledger/currency.h"

namespace tacet::ledger {
namespace tally_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

// As exact numbers: sums of doubles in any order, and back to nothing.
TEST(Tally, AddsInAnyOrderAndTakesBackWhatWasAdded) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 30);
  std::vector<Amount> amounts;
  for (int i = 0; i < 200; ++i) {
    amounts.push_back({std::exp2(exponent(random)), std::exp2(exponent(random)), i % 3 == 0});
  }
  Tally forwards;
  Tally backwards;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    forwards.add(amounts[i]);
    backwards.add(amounts[amounts.size() - 1 - i]);
  }
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(Tally::from_text(forwards.text()), forwards);
  for (const auto& amount : amounts) forwards.subtract(amount);
  EXPECT_EQ(forwards, Tally());
  EXPECT_EQ(forwards.total().value, 0);
}

TEST(Tally, FillsACapToTheLastBit) {
  const Cap cap{.currency = Currency::zcdp, .value = 1};
  Tally tally;
  tally.add({1});
  EXPECT_TRUE(tally.within(cap));
  tally.add({std::numeric_limits<double>::denorm_min()});
  EXPECT_FALSE(tally.within(cap));
  tally.subtract({std::numeric_limits<double>::denorm_min()});
  EXPECT_TRUE(tally.within(cap));
  EXPECT_EQ(tally.remaining(cap).value, 0);
}

// The cap of a Gaussian account is mu, its costs are mu^2: the square is exact.
TEST(Tally, GaussianCostsCountAgainstTheSquareOfTheCap) {
  const double mu = 1 + 0x1p-40;
  const Cap cap{.currency = Currency::gdp, .value = mu};
  Tally tally;
  tally.add({1 + 0x1p-39});
  EXPECT_TRUE(tally.within(cap));  // 2^-80 below the square
  tally.add({0x1p-81});
  EXPECT_TRUE(tally.within(cap));
  tally.add({0x1p-80});
  EXPECT_FALSE(tally.within(cap));
}

TEST(Tally, DeltasHaveALimitOfTheirOwn) {
  const Cap cap{.currency = Currency::basic, .value = 1, .delta = 1e-6};
  Tally tally;
  tally.add({0.5, 1e-6, true});
  EXPECT_TRUE(tally.within(cap));
  tally.add({0, 1e-30, true});
  EXPECT_FALSE(tally.within(cap));
  const Amount left = tally.remaining(cap);
  EXPECT_EQ(left.value, 0.5);
  EXPECT_LE(left.delta, 0);
}

// Ten costs of a tenth are one, as they are printed; ten doubles above a tenth are more.
TEST(Tally, DecimalsAreTheNumbersThatTheyPrint) {
  const Cap cap{.currency = Currency::pure, .value = 1};
  Tally stated;
  Tally doubles;
  for (int i = 0; i < 10; ++i) {
    stated.add({0.1, 0, true});
    doubles.add({0.1});
  }
  EXPECT_EQ(stated.total(), (Amount{1, 0, true}));
  EXPECT_TRUE(stated.within(cap));
  EXPECT_FALSE(doubles.within(cap));
  EXPECT_GT(doubles.total().value, 1);
}

// The total is rounded up and what is left down: together never more than the cap.
TEST(Tally, IsRoundedToTheSafeSide) {
  const Cap cap{.currency = Currency::zcdp, .value = 1};
  Tally tally;
  tally.add({0.1});
  tally.add({0x1p-80});
  EXPECT_GT(tally.total().value, 0.1);
  EXPECT_LT(tally.remaining(cap).value, 0.9);
  EXPECT_LE(tally.total().value - 0.1, 1.5e-17);
  EXPECT_EQ(amount_of({.currency = Currency::gdp, .value = 3}).value, 9);
  EXPECT_EQ(amount_of({.currency = Currency::pure, .value = 0.1}), (Amount{0.1, 0, true}));
}

TEST(Tally, WhatIsInfiniteStaysSo) {
  Tally tally;
  tally.add({infinity});
  EXPECT_TRUE(tally.infinite());
  EXPECT_FALSE(tally.within({.currency = Currency::zcdp, .value = 1e300}));
  EXPECT_TRUE(Tally::from_text(tally.text()).infinite());
}

}  // namespace tally_test
}  // namespace tacet::ledger
