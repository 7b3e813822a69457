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

// A number of more digits than are written out is the same one with an exponent, and so are two
// exponents that no computer's integer holds.
TEST(OneSpelling, IsThatOfTheExactValueHoweverFar) {
  for (const std::size_t zeros : {398U, 399U, 400U, 401U, 5000U}) {
    const auto spelt_out = "1" + std::string(zeros, '0');
    EXPECT_EQ(spelt(spelt_out), spelt("1e" + std::to_string(zeros))) << zeros;
    EXPECT_EQ(spelt("0" + spelt_out + ".0"), spelt(".1e" + std::to_string(zeros + 1))) << zeros;
    EXPECT_NE(spelt(spelt_out), spelt(spelt_out + "0")) << zeros;
    EXPECT_EQ(spelt("-0." + std::string(zeros, '0') + "1"),
              spelt("-10e-" + std::to_string(zeros + 2)));
  }
  const std::string odd(450, '3');
  EXPECT_EQ(spelt(odd + "00"), spelt(odd + "e2"));
  EXPECT_EQ(spelt(odd), spelt(odd + ".0"));
  const std::string nines(20, '9');
  const std::string round = "1" + std::string(20, '0');
  EXPECT_EQ(spelt("10e" + nines), spelt("1e" + round));
  EXPECT_EQ(spelt(".1e" + round), spelt("1e+0" + nines));
  EXPECT_EQ(spelt("0.1e-" + nines), spelt("1e-" + round));
  EXPECT_EQ(spelt("10e-" + round), spelt("1e-" + nines));
  EXPECT_EQ(spelt("1000000e3999999999999999999"), spelt("1e4000000000000000005"));
  EXPECT_NE(spelt("1e" + nines), spelt("1e" + round));
  EXPECT_NE(spelt("1e" + nines), spelt("1e-" + nines));
  EXPECT_EQ(spelt("0e" + nines), "0");
  EXPECT_LT(spelt("1e999999999").size(), 20U);
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
  for (const char* text : {"7.0", "1e5", "-12.340", "1e4000", "-2.5e-4000", "1e400",
                           "10e99999999999999999999", "100", " x ", "0.1"}) {
    EXPECT_EQ(spelt(spelt(text)), spelt(text)) << text;
  }
}

}  // namespace decimal_test
}  // namespace tacet::data
