#include "tacet/data/read/relay.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"

namespace tacet::data {
namespace relay_test {

/// 5 MB, more than a relay holds.
std::string long_text() {
  std::string text;
  for (int k = 0; text.size() < 5'000'000; ++k) text += std::to_string(k);
  return text;
}

std::string read_all(ByteSource& source) {
  std::string text;
  std::string buffer(70'000, '\0');
  while (const auto count = source.read(buffer)) text.append(buffer, 0, count);
  return text;
}

void show(Relay& relay, std::string_view text) {
  constexpr std::size_t piece = 100'000;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    relay.see(text.substr(0, piece));
  }
}

TEST(Relay, ASecondReaderReadsTheSameBytes) {
  const auto text = long_text();
  std::string read;
  Relay relay([&](std::unique_ptr<ByteSource> bytes) { read = read_all(*bytes); });
  show(relay, text);
  relay.end();
  EXPECT_TRUE(relay.finish());
  EXPECT_EQ(read, text);
}

TEST(Relay, AnEmptyTextIsOneToo) {
  bool done = false;
  Relay relay([&](std::unique_ptr<ByteSource> bytes) { done = read_all(*bytes).empty(); });
  relay.end();
  EXPECT_TRUE(relay.finish());
  EXPECT_TRUE(done);
}

TEST(Relay, WhereNothingIsShownNothingIsRead) {
  bool done = false;
  Relay relay([&](std::unique_ptr<ByteSource> bytes) {
    static_cast<void>(read_all(*bytes));
    done = true;
  });
  EXPECT_FALSE(relay.finish());
  EXPECT_FALSE(done);
}

// A reader that stops early must not make the first one wait for ever.
TEST(Relay, ItsFaultIsThrownAtTheEnd) {
  Relay relay([](std::unique_ptr<ByteSource> bytes) {
    std::string buffer(10, '\0');
    static_cast<void>(bytes->read(buffer));
    throw base::DataError("bad");
  });
  show(relay, long_text());
  relay.end();
  EXPECT_THROW(static_cast<void>(relay.finish()), base::DataError);
}

// A source that failed has no end: what was read of it is judged by nobody.
TEST(Relay, BytesWithoutAnEndAreNoWholeText) {
  bool done = false;
  {
    Relay relay([&](std::unique_ptr<ByteSource> bytes) {
      static_cast<void>(read_all(*bytes));
      done = true;
    });
    show(relay, "a,b\n1,2\n");
    EXPECT_THROW(static_cast<void>(relay.finish()), base::InternalError);
  }
  EXPECT_FALSE(done);
}

TEST(Relay, EndsWithTheCallersPatience) {
  base::CancelToken cancel;
  Relay relay([](std::unique_ptr<ByteSource> bytes) { static_cast<void>(read_all(*bytes)); },
              &cancel);
  cancel.cancel();
  show(relay, long_text());
  relay.end();
  EXPECT_THROW(static_cast<void>(relay.finish()), base::Interrupted);
}

}  // namespace relay_test
}  // namespace tacet::data
