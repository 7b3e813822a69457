#include "tacet/model/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tacet::model {
namespace json_text_test {

using nlohmann::json;
using nlohmann::ordered_json;

std::string written(JsonText::Layout layout, std::size_t count, std::size_t* longest = nullptr) {
  std::string text;
  JsonText out(layout, [&](std::string_view piece) {
    text += piece;
    if (longest != nullptr) *longest = std::max(*longest, piece.size());
  });
  const auto element = [](std::size_t k) {
    return k % 3 == 0 ? json("line\nbreak \"" + std::to_string(k))
                      : json(1.0 / static_cast<double>(k));
  };
  out.object({{"z",
               [](JsonText& to) {
                 to.value(ordered_json{{"b", 1}, {"a", {1.0, -0.0}}});
               }},
              {"y",
               [](JsonText& to) {
                 to.value(json{{"b", json::array()}, {"a", "x"}});
               }},
              {"m", [&](JsonText& to) {
                 to.object({{"long", [&](JsonText& list) { list.list(count, element); }},
                            {"empty", [&](JsonText& list) { list.list(0, element); }}});
               }}});
  out.finish();
  return text;
}

ordered_json whole(std::size_t count) {
  ordered_json content;
  content["z"] = ordered_json{{"b", 1}, {"a", {1.0, -0.0}}};
  content["y"] = ordered_json(json{{"b", json::array()}, {"a", "x"}});
  content["m"]["long"] = ordered_json::array();
  for (std::size_t k = 0; k < count; ++k) {
    if (k % 3 == 0) {
      content["m"]["long"].push_back("line\nbreak \"" + std::to_string(k));
    } else {
      content["m"]["long"].push_back(1.0 / static_cast<double>(k));
    }
  }
  content["m"]["empty"] = ordered_json::array();
  return content;
}

TEST(JsonText, IsTheTextOfTheWholeTree) {
  for (const std::size_t count : {0U, 1U, 2U, 1023U, 1024U, 1025U, 5000U}) {
    const auto content = whole(count);
    EXPECT_EQ(written(JsonText::Layout::indented, count), content.dump(1)) << count;
    EXPECT_EQ(written(JsonText::Layout::canonical, count), json::parse(content.dump()).dump())
        << count;
  }
}

// Long texts of plain letters take a way of their own.
TEST(JsonText, LongTextsAreWhatTheTreeMakesOfThem) {
  std::string plain(100000, 'A');
  for (std::size_t k = 0; k < plain.size(); ++k) plain[k] = static_cast<char>(' ' + k % 95);
  std::erase_if(plain, [](char c) { return c == '"' || c == '\\'; });
  for (const char* odd : {"", "\"", "\\", "\n", "\x7f", "\u00e9"}) {
    const json content{{"one", {{"z", plain + odd}, {"a", json::object()}}}, {"two", plain}};
    std::string text;
    JsonText out(JsonText::Layout::canonical, [&](std::string_view piece) { text += piece; });
    out.object({{"content", [&](JsonText& to) { to.value(content); }},
                {"ordered", [&](JsonText& to) { to.value(ordered_json(content)); }}});
    out.finish();
    EXPECT_EQ(text, (json{{"content", content}, {"ordered", content}}).dump()) << odd;
  }
}

TEST(JsonText, ComesInShortPieces) {
  std::size_t longest = 0;
  const auto text = written(JsonText::Layout::indented, 100000, &longest);
  EXPECT_GT(text.size(), std::size_t{2000000});
  EXPECT_LT(longest, std::size_t{200000});
}

}  // namespace json_text_test
}  // namespace tacet::model
