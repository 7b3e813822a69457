#include "tacet/data/encode/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace decimal_test {

std::string spelt(std::string_view text) {
  std::string room;
  return std::string(one_spelling(text, room));
}

TEST(OneSpelling, IsThatOfTheExactValue) {
  for (const char* text :
       {"7", "7.0", "7e0", "+7", "007", " 7\t", "70e-1", ".7E+1", "0.0007e4", "7."}) {
    EXPECT_EQ(spelt(text), "7") << text;
  }
  for (const char* text : {"0", "-0", "0.000", "0e99", "+.0"}) EXPECT_EQ(spelt(text), "0") << text;
  EXPECT_EQ(spelt("9007199254740993.0"), "9007199254740993");
  EXPECT_NE(spelt("9007199254740993"), spelt("9007199254740992"));
  EXPECT_NE(spelt("0.1"), spelt("0.1000000000000000055511151231257827"));
  EXPECT_EQ(spelt("-1.50"), spelt("-15e-1"));
  EXPECT_NE(spelt("-1.5"), spelt("1.5"));
  EXPECT_EQ(spelt("1e400"), spelt("10e399"));
  EXPECT_NE(spelt("1e400"), spelt("2e400"));
  EXPECT_EQ(spelt("1e+0000000000000000000000007"), "10000000");
}

TEST(OneSpelling, OfTextsIsTheTextWithoutBlanksAroundIt) {
  EXPECT_EQ(spelt(" Ann Lee\t"), "Ann Lee");
  EXPECT_NE(spelt("ann"), spelt("Ann"));
  for (const char* text :
       {"", "-", "+-7", "--7", "1e", "e5", "1 2", "0x7", "7a", "nan", "inf", ".", "1,5", "1e5.0",
        "\xef\xbb\xbf"
        "7"}) {
    EXPECT_FALSE(read_decimal(text)) << text;
    EXPECT_EQ(spelt(text), text);
  }
  const std::string far = "1e99999999999999999999";
  EXPECT_EQ(spelt(far), far);
  EXPECT_EQ(spelt("  \t "), "");
}

TEST(OneSpelling, OfASpellingIsItself) {
  for (const char* text : {"7.0", "1e5", "-12.340", "1e4000", "-2.5e-4000", "100", " x ", "0.1"}) {
    EXPECT_EQ(spelt(spelt(text)), spelt(text)) << text;
  }
}

}  // namespace decimal_test
}  // namespace tacet::data
