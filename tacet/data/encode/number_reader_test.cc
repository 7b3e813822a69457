#include "tacet/data/encode/number_reader.h"

#include <gtest/gtest.h>

#include <utility>

namespace tacet::data {
namespace number_reader_test {

TEST(NumberReader, ReadsNumbersAsTheirFileSpellsThem) {
  const NumberReader german(
      false, {.decimal = ',', .thousands = ".", .symbols = std::vector<std::string>{"\u20ac"}});
  for (const auto& [text, value] :
       {std::pair{"1.234,5", 1234.5}, std::pair{"-1.234.567", -1234567.0}, std::pair{"0,25", 0.25},
        std::pair{",5", 0.5}, std::pair{"1234,5", 1234.5}, std::pair{"12 \u20ac", 12.0},
        std::pair{"1,5e3", 1500.0}, std::pair{"+7", 7.0}}) {
    EXPECT_EQ(german(text), value) << text;
  }
  for (const auto* text : {"1.5", "1.23.45", "1,2,3", "1..234", "\u20ac", "12 $", "", "1.2345",
                           "\u20ac1\u20ac", "inf", "nan", "--1"}) {
    EXPECT_EQ(german(text), std::nullopt) << text;
  }
  const NumberReader american(false,
                              {.thousands = ",", .symbols = std::vector<std::string>{"$", "US$"}});
  for (const auto& [text, value] :
       {std::pair{"$1,234.50", 1234.5}, std::pair{"-$5", -5.0}, std::pair{"$-5", -5.0},
        std::pair{"US$ 12,34,567", 1234567.0}, std::pair{"3$", 3.0}}) {
    EXPECT_EQ(american(text), value) << text;
  }
}

// Whatever the file says of its spelling, plain digits mean the same, to the bit.
TEST(NumberReader, PlainNumbersStayTheSame) {
  const NumberReader plain;
  const NumberReader swiss(false, {.thousands = "'"});
  for (const auto* text : {"0.1", "1e-400", "1e400", "123456789012345678", "-0"}) {
    EXPECT_EQ(plain(text), swiss(text)) << text;
  }
}

TEST(NumberReader, DatesAreDays) {
  const NumberReader dates(true, {.date_format = "%d.%m.%Y"});
  EXPECT_EQ(dates("02.01.1970"), 1);
  EXPECT_EQ(dates("1970-01-02"), std::nullopt);
  EXPECT_EQ(number_of(Day{5}, dates), 5);
  EXPECT_EQ(number_of(1.0, dates), std::nullopt);
  EXPECT_EQ(number_of(true, NumberReader()), 1);
}

}  // namespace number_reader_test
}  // namespace tacet::data
