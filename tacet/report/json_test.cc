#include "tacet/report/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace tacet::report {
namespace json_test {

using nlohmann::ordered_json;

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(JsonText, AValueStandsOnALineAndAListOfNumbersOnFew) {
  const ordered_json value{{"b", 1}, {"a", {{"x", {1, 2.5, nullptr}}, {"y", "z"}}}, {"none", {}}};
  EXPECT_EQ(json_text(value),
            "{\n \"b\": 1,\n \"a\": {\n  \"x\": [1, 2.5, null],\n  \"y\": \"z\"\n },\n "
            "\"none\": null\n}\n");
  EXPECT_EQ(json_text(ordered_json::array({"a", "b"})), "[\n \"a\",\n \"b\"\n]\n");
  EXPECT_EQ(json_text(ordered_json::array()), "[]\n");
}

TEST(JsonText, LongListsAreReadBackAsTheyWereAndFitATerminal) {
  ordered_json value;
  for (int row = 0; row < 150; ++row) {
    value["matrix"].push_back(std::vector<double>(150, row % 2 == 0 ? 0.0 : 12.25 * row));
  }
  const auto text = json_text(value);
  EXPECT_EQ(ordered_json::parse(text), value);
  EXPECT_LE(longest_line(text), 100U);
  EXPECT_LT(std::ranges::count(text, '\n'), 150 * 13);
  const ordered_json thousand{{"numbers", std::vector<int>(1000, 7)}};
  EXPECT_LT(std::ranges::count(json_text(thousand), '\n'), 40);
}

TEST(JsonText, ANumberLongerThanALineStandsAlone) {
  const ordered_json value = ordered_json::array({1, std::numeric_limits<double>::max(), 2});
  EXPECT_EQ(ordered_json::parse(json_text(value)), value);
}

}  // namespace json_test
}  // namespace tacet::report
