#include "tacet/data/utf8.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tacet::data {
namespace utf8_test {

// What passes is what the writers of schemas and models take: no text stops them later.
TEST(Utf8, AgreesWithTheWriterOfJsonOnAllShortTexts) {
  const auto writes = [](const std::string& text) {
    try {
      static_cast<void>(nlohmann::json(text).dump());
      return true;
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  };
  // Around every boundary of the table of well-formed sequences.
  const std::string bytes{
      "\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef"
      "\xf0\xf1\xf3\xf4\xf5\xff",
      24};
  for (const char a : bytes) {
    for (const char b : bytes) {
      for (const char c : bytes) {
        for (const std::string& text : {std::string{a}, std::string{a, b}, std::string{a, b, c},
                                        std::string{a, b, c, '\x80'}, std::string{a, b, c, 'x'}}) {
          ASSERT_EQ(valid_utf8(text), writes(text));
        }
      }
    }
  }
}

}  // namespace utf8_test
}  // namespace tacet::data
