#include "tacet/local/http/address_rates.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::local {
namespace address_rates_test {

using std::chrono::milliseconds;

TEST(AddressRatesTest, EachAddressHasASecondsWorthAndThenItsRate) {
  AddressRates rates(5);
  const auto now = AddressRates::Clock::now();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(rates.allow("a", now));
  EXPECT_FALSE(rates.allow("a", now));
  EXPECT_TRUE(rates.allow("b", now));
  EXPECT_FALSE(rates.allow("a", now + milliseconds(199)));
  EXPECT_TRUE(rates.allow("a", now + milliseconds(201)));
  EXPECT_FALSE(rates.allow("a", now + milliseconds(202)));
}

TEST(AddressRatesTest, ARateBelowOneStillAdmitsOne) {
  AddressRates rates(0.1);
  const auto now = AddressRates::Clock::now();
  EXPECT_TRUE(rates.allow("a", now));
  EXPECT_FALSE(rates.allow("a", now + milliseconds(9900)));
  EXPECT_TRUE(rates.allow("a", now + milliseconds(20000)));
}

TEST(AddressRatesTest, WhatWasNotAskedAboutIsPaidBackWithinASecondOfWaiting) {
  AddressRates rates(5);
  const auto now = AddressRates::Clock::now();
  EXPECT_TRUE(rates.would_allow("a", now));
  EXPECT_EQ(rates.size(), 0U);
  for (int i = 0; i < 4; ++i) rates.charge("a", now);
  EXPECT_TRUE(rates.would_allow("a", now));
  for (int i = 0; i < 1000; ++i) rates.charge("a", now);
  EXPECT_FALSE(rates.would_allow("a", now + milliseconds(1199)));
  EXPECT_TRUE(rates.would_allow("a", now + milliseconds(1201)));
  EXPECT_TRUE(rates.would_allow("b", now));
}

TEST(AddressRatesTest, AddressesThatAskNoMoreAreForgotten) {
  AddressRates rates(5);
  auto now = AddressRates::Clock::now();
  for (int second = 0; second < 20; ++second) {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(rates.allow(std::to_string(1000 * second + i), now));
    }
    now += milliseconds(1000);
  }
  EXPECT_LE(rates.size(), 4096U);
}

}  // namespace address_rates_test
}  // namespace tacet::local
