#include "tacet/data/encode/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tacet::data {
namespace value_test {

std::string spelt(const Value& value) {
  SpellingRoom room;
  return std::string(spelling(value, room));
}

// One person may come as 7 here and as 7.0 there, and must not be counted twice.
TEST(Value, EqualNumbersAreSpeltAlikeWhateverTheirType) {
  for (const std::int64_t number : {0L, 7L, -7L, 1L << 53, 10'000'000'000'000'000L, -(1L << 62)}) {
    EXPECT_EQ(spelt(static_cast<double>(number)), spelt(number));
    EXPECT_EQ(spelt(number), std::to_string(number));
  }
  EXPECT_EQ(spelt(-0.0), "0");
  EXPECT_EQ(spelt(0.5), "0.5");
  EXPECT_EQ(spelt(-1e-300), "-1e-300");
  EXPECT_EQ(spelt(0x1p63), "9.223372036854776e+18");
  EXPECT_EQ(spelt(1e300), "1e+300");
  EXPECT_EQ(spelt(0.1F), "0.1");
  EXPECT_EQ(spelt(-7.0F), "-7");
  EXPECT_EQ(spelt(1e30F), "1e+30");
}

TEST(Value, WhatIsMissingHasNoText) {
  EXPECT_EQ(spelt(Missing{}), "");
  EXPECT_EQ(spelt(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(spelt(true), "true");
}

}  // namespace value_test
}  // namespace tacet::data
