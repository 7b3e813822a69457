#include "tacet/local/http/address.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::local {
namespace address_test {

TEST(AddressTest, HasOneSpelling) {
  EXPECT_EQ(plain_address("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain_address("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain_address("::FFFF:c000:0201"), "192.0.2.1");
  EXPECT_EQ(plain_address("2001:DB8:0:0::1"), "2001:db8::1");
  for (const char* text :
       {"", "unknown", "192.0.2.1:80", "[::1]", "1.2.3", "fe80::1%eth0", "::1 "}) {
    EXPECT_FALSE(plain_address(text)) << text;
  }
}

TEST(AddressTest, OneNetworkOfSixIsOneClient) {
  EXPECT_EQ(limited_address("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(limited_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(limited_address("2001:db8:1:2::"), limited_address("2001:db8:1:2:ffff::1"));
  EXPECT_NE(limited_address("2001:db8:1:2::1"), limited_address("2001:db8:1:3::1"));
}

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

}  // namespace address_test

}  // namespace tacet::local
