#include "tacet/data/read/byte_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "tacet/base/error.h"

namespace tacet::data {
namespace byte_source_test {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())) + 32, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

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
