#include "tacet/learn/plan/range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacet::learn {
namespace range_test {

TEST(Range, ANoteStandsBehindWhatIsAllowed) {
  const auto range = reals_below(0, 1).with_note("0 for pure methods");
  EXPECT_EQ(range.allowed(), "at least 0 and below 1");
  EXPECT_EQ(range.text(), "at least 0 and below 1; 0 for pure methods");
}

// What is printed is what is checked: an end that is left out is said to be, and is refused.
TEST(Range, SaysWhichEndsBelongToIt) {
  EXPECT_EQ(reals(0, 1).text(), "0 to 1");
  EXPECT_EQ(reals_above(0, 1e4).text(), "above 0 and at most 10000");
  EXPECT_EQ(reals_below(0, 1).text(), "at least 0 and below 1");
  EXPECT_EQ(reals_between(0, 1).text(), "above 0 and below 1");
  for (const bool low : {false, true}) {
    for (const bool high : {false, true}) {
      const Range range{.numbers = Reals{0, 1, low, high}};
      EXPECT_EQ(range.allows(0.0), !low);
      EXPECT_EQ(range.allows(1.0), !high);
      EXPECT_TRUE(range.allows(0.5));
      EXPECT_FALSE(range.allows(-0x1p-1000));
      EXPECT_FALSE(range.allows(std::nextafter(1.0, 2.0)));
    }
  }
}

TEST(Range, IntegersIncludeBothEnds) {
  const auto range = integers(2, 64);
  EXPECT_EQ(range.text(), "2 to 64");
  for (const std::int64_t inside : {2, 64}) EXPECT_TRUE(range.allows(inside)) << inside;
  for (const std::int64_t outside : {1, 65}) EXPECT_FALSE(range.allows(outside)) << outside;
  EXPECT_EQ(integers(1, std::int64_t{1} << 32).text(), "1 to 2^32");
  EXPECT_EQ(integers(1, 1000000000).text(), "1 to 10^9");
  EXPECT_EQ(seeds().text(), "0 to 2^63 - 1");
  EXPECT_EQ(integers(1, 9, "public_row_count").text(), "1 to `public_row_count`");
}

// No comparison is true of it, so that a check by comparisons alone could let it pass.
TEST(Range, WhatIsNoNumberIsNeverAllowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& range : {reals(0, 1), reals_above(0, 1), reals_below(0, 1), reals_between(0, 1),
                            positive_reals(), reals_above(0, 1).or_words({"inf"})}) {
    EXPECT_FALSE(range.allows(nan)) << range.text();
  }
}

TEST(Range, InfinityIsAllowedWhereItsWordIs) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(reals_above(0, 1).or_words({"inf"}).allows(infinity));
  EXPECT_FALSE(reals_above(0, 1).or_words({"inf"}).allows(-infinity));
  EXPECT_FALSE(reals_above(0, 1).allows(infinity));
}

TEST(Range, WordsStandBesideNumbers) {
  EXPECT_EQ(integers(2, 64).or_words({"auto", "none"}).text(), "auto, none or 2 to 64");
  EXPECT_EQ(words({"tight", "paper"}).text(), "tight or paper");
  EXPECT_FALSE(words({"tight", "paper"}).allows(1.0));
  EXPECT_TRUE(words({"tight", "paper"}).words.has("paper"));
  EXPECT_FALSE(words({"tight", "paper"}).words.has("pape"));
}

}  // namespace range_test
}  // namespace tacet::learn
