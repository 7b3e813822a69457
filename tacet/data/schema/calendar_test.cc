#include "tacet/data/schema/calendar.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace calendar_test {

TEST(Calendar, CountsDaysFrom1970) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("2000-02-29"), 11016);
  EXPECT_EQ(parse_date("2000-03-01"), 11017);
  EXPECT_EQ(parse_date("2026-11-22"), 20779);
  EXPECT_EQ(parse_date("0000-01-01"), first_day);
  EXPECT_EQ(parse_date("9999-12-31"), last_day);
  EXPECT_EQ(parse_date(" 2000-03-01\t"), 11017);
}

TEST(Calendar, KnowsNoOtherSpellingAndNoOtherDay) {
  for (const char* text : {"",
                           " ",
                           "2100-02-29",
                           "1900-02-29",
                           "2023-02-29",
                           "2023-04-31",
                           "2023-13-01",
                           "2023-00-10",
                           "2023-01-00",
                           "2023-1-1",
                           "23-01-01",
                           "2023/01/01",
                           "20230101",
                           "2023-01-01T00:00",
                           "2023-01-01 12:00",
                           "-001-01-01",
                           "+023-01-01",
                           "2023-01-1x",
                           "2023--1-01",
                           "12023-01-01",
                           "31.12.2023",
                           "2023-01-0",
                           "\xef\xbc\x92"
                           "023-01-01"}) {
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
  }
}

TEST(Calendar, EveryDayOfTheCalendarComesBack) {
  for (std::int64_t day = first_day; day <= last_day; ++day) {
    ASSERT_EQ(parse_date(date_text(day)), day);
  }
}

}  // namespace calendar_test
}  // namespace tacet::data
