#include "tacet/data/read/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace lines_test {

using Texts = std::vector<std::string>;

/// Gives few bytes at a time.
class Trickle : public ByteSource {
 public:
  Trickle(std::string text, std::size_t step) : text_(std::move(text)), step_(step) {}
  std::size_t read(std::span<char> buffer) override {
    const auto count = std::min({step_, buffer.size(), text_.size() - at_});
    std::copy_n(text_.data() + at_, count, buffer.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t step_;
  std::size_t at_ = 0;
};

Texts lines_of(const std::string& text, std::size_t step) {
  LineReader lines(std::make_unique<Trickle>(text, step), "f", 100'000);
  Texts out;
  while (const auto line = lines.next()) out.emplace_back(*line);
  return out;
}

TEST(LineReader, CutsAtLineEnds) {
  const std::string longer(90'000, 'x');
  const std::string text =
      "\xef\xbb\xbf"
      "a\r\n\nb c\n" +
      longer + "\nlast";
  for (const std::size_t step : {1U, 2U, 3U, 1000U, 1'000'000U}) {
    EXPECT_EQ(lines_of(text, step), (Texts{"a", "", "b c", longer, "last"}));
  }
  EXPECT_EQ(lines_of("", 1), Texts{});
  EXPECT_EQ(lines_of("\n", 1), Texts{""});
}

TEST(LineReader, NamesTheLineThatIsTooLong) {
  LineReader lines(memory_source("a\nbbbbbb\n", "f"), "f", 5);
  EXPECT_EQ(lines.next(), "a");
  try {
    static_cast<void>(lines.next());
    FAIL();
  } catch (const base::DataError& error) {
    EXPECT_STREQ(error.what(), "f:2: the line has more than 5 bytes");
  }
}

TEST(LineReader, FieldsStandBetweenBlanks) {
  std::vector<std::string_view> fields;
  split_at_blanks(" a\t b  c ", fields);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"a", "b", "c"}));
  split_at_blanks(" \t", fields);
  EXPECT_TRUE(fields.empty());
}

}  // namespace lines_test
}  // namespace tacet::data
