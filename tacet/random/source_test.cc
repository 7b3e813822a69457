#include "tacet/random/source.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::random {
namespace {

TEST(Source, ALeafCanBeLeasedOnce) {
  SeededSource source(1);
  static_cast<void>(source.lease(Purpose::noise, 3, 4));
  EXPECT_THROW(static_cast<void>(source.lease(Purpose::noise, 3, 4)), base::InternalError);
  EXPECT_NO_THROW(static_cast<void>(source.lease(Purpose::noise, 4, 3)));
  EXPECT_NO_THROW(static_cast<void>(source.lease(Purpose::sampling, 3, 4)));
}

TEST(Source, ALeaseIsUsedOnce) {
  static_assert(!std::is_copy_constructible_v<Lease> && !std::is_default_constructible_v<Lease>);
  static_assert(!std::is_copy_constructible_v<Leaf> && !std::is_copy_constructible_v<Stream>);
  SeededSource source(1);
  Lease lease = source.lease(Purpose::noise, 0, 0);
  const Stream stream(std::move(lease));
  EXPECT_THROW(Stream{std::move(lease)}, base::InternalError);  // NOLINT(bugprone-use-after-move)
}

TEST(Source, LeavesNeverShareWords) {
  SeededSource source(1);
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const Purpose purpose : {Purpose::noise, Purpose::sampling, Purpose::selection,
                                Purpose::initialisation, Purpose::audit}) {
    for (std::uint64_t step = 0; step < 6; ++step) {
      for (std::uint64_t index = 0; index < 6; ++index) {
        const Leaf leaf(source.lease(purpose, step, index));
        std::array<std::uint64_t, 20> words{};
        leaf.words(step, words);
        seen.insert(words.begin(), words.end());
        for (std::uint64_t j = 0; j < 4; ++j) {
          std::array<std::uint64_t, 7> more{};
          leaf.extension(j, 0, more);
          seen.insert(more.begin(), more.end());
          drawn += more.size();
        }
        drawn += words.size();
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);  // a collision by chance: below 1e-10
}

TEST(Source, SeedsRepeatAndDifferFromEachOther) {
  const auto first_word = [](std::uint64_t seed) {
    SeededSource source(seed);
    Stream stream(source.lease(Purpose::noise, 0, 0));
    return stream.next();
  };
  EXPECT_EQ(first_word(1), first_word(1));
  EXPECT_NE(first_word(1), first_word(2));
}

TEST(Source, OnlyTheSystemsRandomnessIsSecure) {
  EXPECT_FALSE(SeededSource(1).secure());
  const auto first = SecureSource::create();
  const auto second = SecureSource::create();
  EXPECT_TRUE(first->secure());
  Stream one(first->lease(Purpose::noise, 0, 0));
  Stream two(second->lease(Purpose::noise, 0, 0));
  EXPECT_NE(one.next(), two.next());
}

TEST(Source, StreamReadsItsLeafInOrder) {
  SeededSource streamed(1);
  SeededSource addressed(1);
  Stream stream(streamed.lease(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> words(5000);
  Leaf(addressed.lease(Purpose::audit, 0, 0)).words(0, words);
  for (const std::uint64_t word : words) ASSERT_EQ(stream.next(), word);
}

TEST(Source, BitsComeFromTheLowEnd) {
  SeededSource bits_source(1);
  SeededSource words_source(1);
  Stream bits(bits_source.lease(Purpose::audit, 0, 0));
  Stream words(words_source.lease(Purpose::audit, 0, 0));
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t expected = words.next();
    for (int i = 0; i < 64; ++i) ASSERT_EQ(bits.next_bit(), ((expected >> i) & 1U) != 0);
  }
}

// How many words a sampler read depends on secrets: the number of records sampled from, how often
// noise lay close to a border. The stated term must not.
TEST(Source, CipherDeltaDependsOnTheNumberOfLeasesAlone) {
  SeededSource thrifty(1);
  SeededSource lavish(1);
  EXPECT_EQ(thrifty.cipher_delta(), 0);
  std::vector<std::uint64_t> words(2000);
  for (std::uint64_t i = 0; i < 3; ++i) {
    Leaf(thrifty.lease(Purpose::noise, 0, i)).words(0, std::span(words).first(1));
    const Leaf leaf(lavish.lease(Purpose::noise, 0, i));
    leaf.words(0, words);
    leaf.extension(7, 0, std::span(words).first(4));
  }
  EXPECT_EQ(thrifty.cipher_delta(), lavish.cipher_delta());
  EXPECT_GE(thrifty.cipher_delta(), 3 * std::ldexp(1.0, -65));
  EXPECT_LE(thrifty.cipher_delta(), 3 * std::ldexp(1.0, -64));
}

TEST(Source, CipherTermIsTheSumOfSquaredBlocks) {
  // 500 blocks and one to spare, and 1,000 continuations of 8 blocks.
  const double expected = std::ldexp(4.0 * (501.0 * 501 + 1000 * 64), -129);
  EXPECT_GE(cipher_term(4, 1000), expected);
  EXPECT_LE(cipher_term(4, 1000), expected * (1 + 1e-11));
}

TEST(Source, ThreadsReadOneLeafAtOnce) {
  SeededSource source(1);
  const Leaf leaf(source.lease(Purpose::noise, 0, 0));
  std::vector<std::uint64_t> whole(4000);
  std::vector<std::uint64_t> pieces(4000);
  leaf.words(0, whole);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { leaf.words(1000 * i, std::span(pieces).subspan(1000 * i, 1000)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pieces, whole);
}

template <class Action>
bool refused_in_a_child(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      action();
    } catch (const base::InternalError&) {
      code = 0;
    }
    _exit(code);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Source, AForkedChildIsRefusedEverything) {
  SeededSource source(1);
  Stream stream(source.lease(Purpose::noise, 0, 0));
  const Leaf leaf(source.lease(Purpose::noise, 0, 1));
  static_cast<void>(stream.next());
  EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(stream.next()); }));
  EXPECT_TRUE(refused_in_a_child([&] {
    std::array<std::uint64_t, 1> word{};
    leaf.words(0, word);
  }));
  EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(source.lease(Purpose::noise, 0, 2)); }));
  EXPECT_FALSE(refused_in_a_child([] {
    const auto fresh = SecureSource::create();
    Stream own(fresh->lease(Purpose::noise, 0, 0));
    static_cast<void>(own.next());
  }));
  EXPECT_NO_THROW(static_cast<void>(stream.next()));
}

}  // namespace
}  // namespace tacet::random
