#include "tacet/data/read/byte_source.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace read_ahead_test {

/// Gives pieces of random sizes, then ends, or fails.
class Pieces : public ByteSource {
 public:
  Pieces(std::string text, bool fails) : text_(std::move(text)), fails_(fails) {}
  std::size_t read(std::span<char> buffer) override {
    if (place_ == text_.size()) {
      if (fails_) throw base::DataError("the end is damaged");
      return 0;
    }
    const std::size_t most = std::min(buffer.size(), text_.size() - place_);
    const std::size_t count = 1 + generator_() % most;
    std::copy_n(text_.data() + place_, count, buffer.data());
    place_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t place_ = 0;
  bool fails_;
  std::mt19937_64 generator_{5};
};

std::string text_of(std::size_t size) {
  std::mt19937_64 generator(size);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(generator());
  return text;
}

/// All that a source gives, in pieces of `step`; `failed` says how it ended.
std::string drained(ByteSource& source, std::size_t step, bool& failed) {
  std::string all;
  std::vector<char> buffer(step);
  failed = false;
  try {
    while (const auto count = source.read(buffer)) all.append(buffer.data(), count);
    EXPECT_EQ(source.read(buffer), 0u);  // an end stays one
  } catch (const base::DataError&) {
    failed = true;
  }
  return all;
}

TEST(ReadAhead, GivesTheSameBytesAndFailsAtTheSamePlace) {
  for (const std::size_t size : {0u, 1u, 1000u, 262144u, 3000000u}) {
    for (const std::size_t step : {7u, 4096u, 1u << 20}) {
      if (size / step > 100000) continue;
      for (const bool fails : {false, true}) {
        const auto source = internal::read_ahead(std::make_unique<Pieces>(text_of(size), fails));
        bool failed = false;
        EXPECT_EQ(drained(*source, step, failed), text_of(size)) << size << ' ' << step;
        EXPECT_EQ(failed, fails);
      }
    }
  }
}

TEST(ReadAhead, MayBeLeftAtAnyPlace) {
  std::vector<char> buffer(100000);
  for (int reads = 0; reads < 40; ++reads) {
    const auto source = internal::read_ahead(std::make_unique<Pieces>(text_of(3000000), true));
    for (int i = 0; i < reads; ++i) EXPECT_GT(source->read(buffer), 0u);
  }
}

/// As in a container that may start no more threads: a stack larger than any address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t vast = usual_;
    pthread_attr_setstacksize(&vast, std::size_t{1} << 60);
    pthread_setattr_default_np(&vast);
  }
  ~NoThreads() { pthread_setattr_default_np(&usual_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t usual_;
};

TEST(ReadAhead, WithoutAThreadTheBytesAreTheSame) {
  std::unique_ptr<ByteSource> source;
  {
    const NoThreads none;
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    source = internal::read_ahead(std::make_unique<Pieces>(text_of(3000000), false));
  }
  ASSERT_NE(source, nullptr);
  bool failed = true;
  EXPECT_EQ(drained(*source, 4096, failed), text_of(3000000));
  EXPECT_FALSE(failed);
}

}  // namespace read_ahead_test
}  // namespace tacet::data
