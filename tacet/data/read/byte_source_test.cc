#include "tacet/data/read/byte_source.h"

#include <gtest/gtest.h>
#include <filesystem>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/gzip.h"

namespace tacet::data {
namespace byte_source_test {

using test::gzip;

std::string read_all(ByteSource& source, std::size_t step) {
  std::string text;
  std::string buffer(step, '\0');
  while (const std::size_t count = source.read(buffer)) text.append(buffer, 0, count);
  return text;
}

std::string read_memory(const std::string& bytes, std::size_t step = 100) {
  return read_all(*memory_source(bytes, "t.gz"), step);
}

std::string sample() {
  std::string text;
  for (int k = 0; k < 5000; ++k) text += std::to_string(k * 7919) + ",";
  return text;
}

TEST(ByteSource, PlainBytesComeBackInAnyStep) {
  for (const std::string text : {"", "x", "xy", "hello, world"}) {
    for (const std::size_t step : {1U, 2U, 3U, 100U}) EXPECT_EQ(read_memory(text, step), text);
  }
}

TEST(ByteSource, GzipIsRecognisedByItsFirstBytes) {
  const std::string text = sample();
  for (const std::size_t step : {1U, 1000U, 1000000U}) {
    EXPECT_EQ(read_memory(gzip(text), step), text);
  }
  EXPECT_EQ(read_memory(gzip("")), "");
}

TEST(ByteSource, SeveralGzipMembersAreOneFile) {
  EXPECT_EQ(read_memory(gzip("one ") + gzip("") + gzip("two")), "one two");
}

TEST(ByteSource, ZeroBytesBehindAGzipMemberArePadding) {
  for (const std::size_t padding : {1U, 511U, 300000U}) {
    const std::string zeros(padding, '\0');
    EXPECT_EQ(read_memory(gzip("one ") + zeros), "one ") << padding;
    EXPECT_EQ(read_memory(gzip("one ") + zeros + gzip("two") + zeros), "one two") << padding;
    EXPECT_THROW(read_memory(gzip("one ") + zeros + "x"), base::DataError) << padding;
  }
}

TEST(ByteSource, ByteOrderMarksAreDroppedAtTheStart) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::size_t step : {1U, 2U, 100U}) {
    const auto read = [&](const std::string& text) {
      return read_all(*without_byte_order_mark(internal::text_source(text)), step);
    };
    EXPECT_EQ(read(mark + "ab"), "ab");
    EXPECT_EQ(read(mark + mark + "ab"), "ab");  // of a file that was joined with a marked one
    EXPECT_EQ(read(mark + "\xef"), "\xef");
    EXPECT_EQ(read("a" + mark), "a" + mark);
    for (const std::string text : {"", "x", "\xef", "\xef\xbb", "\xef\xbbx"}) {
      EXPECT_EQ(read(text), text);
    }
    EXPECT_EQ(read(mark), "");
  }
}

TEST(ByteSource, TruncatedGzipIsAClearErrorAtEveryLength) {
  const std::string packed = gzip(sample());
  for (std::size_t length = 2; length < packed.size(); length += length < 40 ? 1 : 997) {
    try {
      read_memory(packed.substr(0, length));
      ADD_FAILURE() << "no error at length " << length;
    } catch (const base::DataError& error) {
      EXPECT_STREQ(
          error.what(),
          "t.gz: the compressed file ends early; it was cut off or is still being written");
    }
  }
}

TEST(ByteSource, DamagedGzipIsAnError) {
  std::string packed = gzip(sample());
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_THROW(read_memory(packed), base::DataError);
  EXPECT_THROW(read_memory(gzip("x") + "trailing bytes"), base::DataError);
}

TEST(ByteSource, MissingFilesAndFoldersAreInputErrors) {
  EXPECT_THROW(open_source("/nonexistent/file.csv"), base::IoError);
  EXPECT_THROW(open_source(std::filesystem::temp_directory_path()), base::IoError);
}

}  // namespace byte_source_test
}  // namespace tacet::data
