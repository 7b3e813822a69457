#include "tacet/privacy/strict_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tacet/base/error.h"

namespace tacet::privacy::internal {
namespace strict_json_test {

const JsonLimits limits{.what = "note", .max_bytes = 64, .max_depth = 3};

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_strictly(text, limits));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return {};
}

TEST(StrictJson, ReadsWhatStaysWithinItsLimits) {
  const auto json = parse_strictly(R"({"b":[1,{"a":2}],"a":"x"})", limits);
  EXPECT_EQ(json.dump(), R"({"b":[1,{"a":2}],"a":"x"})");  // in the order of the text
}

// Of two equal keys a plain parser keeps one: a reader and a checker could see different texts.
TEST(StrictJson, RefusesARepeatedKeyAtEveryDepth) {
  EXPECT_NE(refusal_of(R"({"a":1,"a":1})").find("'a' is repeated"), std::string::npos);
  EXPECT_NE(refusal_of(R"([{"b":{"a":1,"a":2}}])").find("'a' is repeated"), std::string::npos);
  EXPECT_EQ(refusal_of(R"([{"a":1},{"a":2}])"), "");
  EXPECT_EQ(refusal_of(R"({"a":{"a":2}})"), "");
}

TEST(StrictJson, RefusesWhatIsTooLongOrTooDeepOrNoJson) {
  EXPECT_EQ(refusal_of("[[[1]]]"), "");
  EXPECT_NE(refusal_of("[[[[1]]]]").find("deeper than 3"), std::string::npos);
  EXPECT_NE(refusal_of("\"" + std::string(63, 'x') + "\"").find("65 bytes"), std::string::npos);
  for (const char* text : {"", "{", "{}{}", "[1,]", "nan", "'a'", R"({"a":1)"}) {
    EXPECT_EQ(refusal_of(text).rfind("note: not valid JSON", 0), 0U) << text;
  }
}

// What follows a zero byte would be accepted unread.
TEST(StrictJson, RefusesAZeroByteAndWhatStandsBehindIt) {
  for (const char* behind : {"", " {}", "x"}) {
    const auto text = std::string("{}") + '\0' + behind;
    EXPECT_EQ(refusal_of(text), "note: not valid JSON: byte 3 is zero: the text is damaged");
  }
}

TEST(StrictJson, WritesInfinityAsAWord) {
  EXPECT_EQ(number_json(std::numeric_limits<double>::infinity()).dump(), R"("inf")");
  EXPECT_EQ(number_json(0.1).dump(), "0.1");
}

}  // namespace strict_json_test
}  // namespace tacet::privacy::internal
