#include "tacet/data/schema/date_format.h"

#include <gtest/gtest.h>

#include <utility>

namespace tacet::data {
namespace date_format_test {

constexpr std::int64_t last_of_january = 15005;  // 2011-01-31

TEST(DateFormat, ReadsWhatStrptimeReads) {
  for (const auto& [text, format] :
       {std::pair{"31.01.2011", "%d.%m.%Y"}, std::pair{"31.1.11", "%d.%m.%y"},
        std::pair{"1/31/11", "%m/%d/%y"}, std::pair{"20110131", "%Y%m%d"},
        std::pair{" 31-JAN-2011 ", "%d-%b-%Y"}, std::pair{"January 31, 2011", "%B %d, %Y"},
        std::pair{"31.01.2011 23:59", "%d.%m.%Y %H:%M"}, std::pair{"31%01%2011", "%d%%%m%%%Y"},
        std::pair{"1/31/2011 12:00:00 AM", "%m/%d/%Y %I:%M:%S %p"},
        std::pair{"1/31/2011 11:59pm", "%m/%d/%Y %I:%M%p"},
        std::pair{"2/1/2011 12:30 AM +01:00", "%m/%d/%Y %I:%M %p %z"},
        std::pair{"1/30/2011 11:30 PM -01:00", "%m/%d/%Y %I:%M %p %z"},
        std::pair{"2011-01-31T23:00:00.25-0030", "%Y-%m-%dT%H:%M:%S.%f%z"}}) {
    EXPECT_EQ(parse_date(text, format), last_of_january) << text;
    EXPECT_EQ(date_format_fault(format), "") << format;
  }
  EXPECT_EQ(parse_date("1.1.69", "%d.%m.%y"), -365);
  EXPECT_EQ(parse_date("1.1.68", "%d.%m.%y"), 35794);
}

TEST(DateFormat, WithoutAFormatItIsIso8601AndAZoneMakesItTheDayInUtc) {
  for (const auto* text :
       {"2011-01-31", "2011-01-31T00:00", "2011-01-31 23:59:60", "2011-01-31T10:00:00.123456Z",
        "2011-01-31 10:00:00 +02:00", "2011-02-01T01:30:00+02", "2011-01-30T23:30-00:30"}) {
    EXPECT_EQ(parse_date(text, ""), last_of_january) << text;
  }
  for (const auto* text : {"2011-1-31", "2011-02-30", "2011-01-31T24:00", "2011-01-31T10",
                           "2011-01-31 soon", "2011-01-31T10:00:00+25:00", "31.01.2011", ""}) {
    EXPECT_EQ(parse_date(text, ""), std::nullopt) << text;
  }
}

TEST(DateFormat, AnyOtherTextIsNoDate) {
  for (const auto* text : {"13/31/11", "1/32/11", "1/31/2011", "1/31", "1/31/11 ", "a/31/11"}) {
    const bool trimmed = std::string_view(text) == "1/31/11 ";  // blanks around it are dropped
    EXPECT_EQ(parse_date(text, "%m/%d/%y").has_value(), trimmed) << text;
  }
}

TEST(DateFormat, AnHourOfTwelveIsFrom1To12WithAmOrPm) {
  for (const auto* text : {"1/31/2011 0:30 AM", "1/31/2011 13:30 PM", "1/31/2011 1:30 XM",
                           "1/31/2011 1:30", "1/31/2011 1:30 A"}) {
    EXPECT_EQ(parse_date(text, "%m/%d/%Y %I:%M %p"), std::nullopt) << text;
  }
}

TEST(DateFormat, SaysWhatIsWrongWithAFormat) {
  EXPECT_NE(date_format_fault("%d.%m").find("needs a year"), std::string::npos);
  EXPECT_NE(date_format_fault("%d.%m.%Q").find("'%Q'"), std::string::npos);
  EXPECT_NE(date_format_fault("%Y-%m-%d%").find("date_format"), std::string::npos);
}

}  // namespace date_format_test
}  // namespace tacet::data
