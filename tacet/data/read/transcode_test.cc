#include "tacet/data/read/transcode.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/data/utf8.h"

namespace tacet::data {
namespace transcode_test {

using namespace std::string_view_literals;

/// Read in pieces of one to seven bytes.
std::string converted(std::string_view bytes, TextEncoding encoding) {
  const auto source = in_utf8(internal::text_source(bytes), encoding);
  std::string out;
  for (std::size_t k = 0;; ++k) {
    std::string piece(1 + k % 7, '\0');
    const auto count = source->read(piece);
    if (count == 0) return out;
    out.append(piece, 0, count);
  }
}

TEST(Transcode, MakesUtf8OfOtherEncodings) {
  EXPECT_EQ(converted("K\xf6ln \x80"sv, TextEncoding::windows_1252), "K\u00f6ln \u20ac");
  EXPECT_EQ(converted("K\xf6ln \x80"sv, TextEncoding::latin_1), "K\u00f6ln \xc2\x80");
  EXPECT_EQ(converted("\xff\xfeK\0\xf6\0\x3d\xd8\x00\xde"sv, TextEncoding::utf_16),
            "K\u00f6\U0001f600");
  EXPECT_EQ(converted("\xfe\xff\0K\0\xf6"sv, TextEncoding::utf_16), "K\u00f6");
  EXPECT_EQ(converted("\0K\0\xf6"sv, TextEncoding::utf_16), "K\u00f6");
}

// No byte is an error, which would tell of a record, and what comes out is always UTF-8.
TEST(Transcode, EveryByteBecomesText) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const auto encoding :
       {TextEncoding::latin_1, TextEncoding::windows_1252, TextEncoding::utf_16}) {
    EXPECT_TRUE(valid_utf8(converted(all, encoding)));
  }
  EXPECT_EQ(converted("a\0\x00\xd8"sv, TextEncoding::utf_16), "a\xef\xbf\xbd");
  EXPECT_EQ(converted("a\0b"sv, TextEncoding::utf_16), "a\xef\xbf\xbd");
}

}  // namespace transcode_test
}  // namespace tacet::data
