#include "tacet/data/read/pipes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "tacet/base/error.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace pipes_test {

/// Gives out a text in pieces of random sizes.
class InPieces : public ByteSource {
 public:
  InPieces(std::string text, unsigned seed) : text_(std::move(text)), draw_(seed) {}
  std::size_t read(std::span<char> buffer) override {
    const auto left = text_.size() - at_;
    const auto count = std::min({left, buffer.size(), std::size_t{1 + draw_() % 7}});
    std::copy_n(text_.data() + at_, count, buffer.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
  std::mt19937 draw_;
};

/// What is read before the mark; nothing where it is refused.
std::optional<std::string> before_mark(const std::string& text, const std::string& mark,
                                       unsigned seed) {
  const auto source = internal::until_mark(std::make_unique<InPieces>(text, seed), mark, "t.csv");
  std::string all;
  std::string buffer(1 + seed % 5, '\0');
  try {
    while (const auto count = source->read(buffer)) all.append(buffer, 0, count);
  } catch (const base::DataError&) {
    return std::nullopt;
  }
  return all;
}

/// The same by looking at whole lines.
std::optional<std::string> by_lines(std::string text, const std::string& mark) {
  std::string all;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    const auto whole = end == text.npos ? line : text.substr(0, end + 1);
    text.erase(0, whole.size());
    if (line.ends_with('\r')) line.pop_back();
    if (line == mark) return text.empty() ? std::optional(all) : std::nullopt;
    all += whole;
  }
  return std::nullopt;
}

TEST(EndMark, IsTheLastLineHoweverTheBytesCome) {
  std::mt19937 draw(7);
  constexpr std::string_view letters = "EN,\n\r1";
  int marked = 0;
  for (unsigned k = 0; k < 20000; ++k) {
    std::string text;
    for (auto left = draw() % 12; left > 0; --left) text += letters[draw() % letters.size()];
    const std::string mark = k % 3 == 0 ? "E" : k % 3 == 1 ? "EN" : "N,1";
    if (draw() % 2 == 0) text += "\n" + mark + (draw() % 2 == 0 ? "\n" : "");
    const auto expected = by_lines(text, mark);
    marked += expected.has_value() ? 1 : 0;
    ASSERT_EQ(before_mark(text, mark, k), expected) << k;
  }
  EXPECT_GT(marked, 3000);
}

// The readers of tables hand out what came before an error, and ask again.
TEST(EndMark, AFaultStaysAFaultHoweverOftenItIsAsked) {
  const std::string rows(200000, '\n');
  for (const auto& text : {rows + "1,2\n", rows + "END\n" + rows + "END\n"}) {
    const auto source = internal::until_mark(std::make_unique<InPieces>(text, 1), "END", "t.csv");
    std::string buffer(4096, '\0');
    const auto read_on = [&] {
      while (source->read(buffer) > 0) {
      }
    };
    for (int k = 0; k < 3; ++k) EXPECT_THROW(read_on(), base::DataError);
  }
}

TEST(EndMark, MustBeALine) {
  for (const auto* mark : {"", "a\nb", "\r"}) {
    EXPECT_THROW(expect_end_mark("x.csv", mark), base::UsageError);
  }
}

TEST(Pipes, AreWhatCanBeReadOnce) {
  EXPECT_TRUE(is_pipe("-"));
  EXPECT_TRUE(is_pipe("/dev/null"));
  EXPECT_FALSE(is_pipe("/"));
  EXPECT_FALSE(is_pipe("/no/such/file"));
  EXPECT_TRUE(can_be_read_again("-"));
  EXPECT_FALSE(can_be_read_again("/dev/null"));
  EXPECT_FALSE(can_be_read_again("/"));
}

std::string read_all(ByteSource& source) {
  std::string all;
  std::string buffer(4096, '\0');
  while (const auto count = source.read(buffer)) all.append(buffer, 0, count);
  return all;
}

// Nothing of it is kept, and nobody takes what comes later for the same records.
TEST(Pipes, PassOnceWhereNobodyOpensThemAgain) {
  const test::TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << std::string(300000, 'x') << "end"; });
  const auto source = internal::passing_pipe(pipe);
  EXPECT_EQ(read_all(*source), std::string(300000, 'x') + "end");
  writer.join();
  EXPECT_EQ(read_all(*source), "") << "an end stays one";
  EXPECT_THROW(static_cast<void>(internal::passing_pipe(pipe)), base::InternalError);
  EXPECT_THROW(static_cast<void>(internal::kept_pipe(pipe)), base::InternalError);
}

TEST(Pipes, ThatAreKeptAlreadyPassAsTheyAre) {
  const test::TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "a,b\n1,2\n"; });
  EXPECT_EQ(internal::kept_pipe(pipe), "a,b\n1,2\n");
  writer.join();
  EXPECT_EQ(read_all(*internal::passing_pipe(pipe)), "a,b\n1,2\n");
  EXPECT_EQ(internal::kept_pipe(pipe), "a,b\n1,2\n");
}

}  // namespace pipes_test
}  // namespace tacet::data
