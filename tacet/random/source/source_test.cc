#include "tacet/random/source/source.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace source_test {

TEST(Source, FinishedStepsAreCountedAndNeverClaimedAgain) {
  SeededSource source(1);
  SeededSource all(1);
  for (std::uint64_t step = 0; step < 100; ++step) {
    (void)source.claim(Purpose::noise, step, step % 7, 1000);
    (void)all.claim(Purpose::noise, step, step % 7, 1000);
    source.finish_before(Purpose::noise, step);
  }
  EXPECT_EQ(source.prg_slack(), all.prg_slack());
  EXPECT_EQ(source.prg_slack(), prg_slack_of(100, 1000));
  EXPECT_THROW((void)source.claim(Purpose::noise, 98, 11, 1000), base::InternalError);
  EXPECT_THROW((void)source.claim(Purpose::noise, 99, 99 % 7, 1000), base::InternalError);
  EXPECT_NO_THROW((void)source.claim(Purpose::noise, 99, 11, 1000));
  EXPECT_NO_THROW((void)source.claim(Purpose::selection, 5, 0, 1000));  // another purpose
}

TEST(Source, ABlockCanBeClaimedOnce) {
  SeededSource source(1);
  static_cast<void>(source.claim(Purpose::noise, 3, 4));
  EXPECT_THROW(static_cast<void>(source.claim(Purpose::noise, 3, 4)), base::InternalError);
  EXPECT_NO_THROW(static_cast<void>(source.claim(Purpose::noise, 4, 3)));
  EXPECT_NO_THROW(static_cast<void>(source.claim(Purpose::sampling, 3, 4)));
}

TEST(Source, AClaimIsUsedOnce) {
  static_assert(!std::is_copy_constructible_v<BlockClaim> &&
                !std::is_default_constructible_v<BlockClaim>);
  static_assert(!std::is_copy_constructible_v<KeystreamBlock> &&
                !std::is_copy_constructible_v<Stream>);
  SeededSource source(1);
  BlockClaim claim = source.claim(Purpose::noise, 0, 0);
  const Stream stream(std::move(claim));
  EXPECT_THROW(Stream{std::move(claim)}, base::InternalError);  // NOLINT(bugprone-use-after-move)
}

TEST(Source, BlocksNeverShareWords) {
  SeededSource source(1);
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const Purpose purpose : {Purpose::noise, Purpose::sampling, Purpose::selection,
                                Purpose::initialisation, Purpose::audit}) {
    for (std::uint64_t step = 0; step < 6; ++step) {
      for (std::uint64_t index = 0; index < 6; ++index) {
        const KeystreamBlock block(source.claim(purpose, step, index));
        std::array<std::uint64_t, 20> words{};
        block.words(step, words);
        seen.insert(words.begin(), words.end());
        for (std::uint64_t j = 0; j < 4; ++j) {
          std::array<std::uint64_t, 7> more{};
          block.extension(j, 0, more);
          seen.insert(more.begin(), more.end());
          drawn += more.size();
        }
        drawn += words.size();
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);  // a collision at random: below 1e-10
}

TEST(Source, SeedsRepeatAndDifferFromEachOther) {
  const auto first_word = [](std::uint64_t seed) {
    SeededSource source(seed);
    Stream stream(source.claim(Purpose::noise, 0, 0));
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
  Stream one(first->claim(Purpose::noise, 0, 0));
  Stream two(second->claim(Purpose::noise, 0, 0));
  EXPECT_NE(one.next(), two.next());
}

TEST(Source, StreamReadsItsBlockInOrder) {
  SeededSource streamed(1);
  SeededSource addressed(1);
  Stream stream(streamed.claim(Purpose::audit, 0, 0));
  std::vector<std::uint64_t> words(5000);
  KeystreamBlock(addressed.claim(Purpose::audit, 0, 0)).words(0, words);
  for (const std::uint64_t word : words) ASSERT_EQ(stream.next(), word);
}

TEST(Source, BitsComeFromTheLowEnd) {
  SeededSource bits_source(1);
  SeededSource words_source(1);
  Stream bits(bits_source.claim(Purpose::audit, 0, 0));
  Stream words(words_source.claim(Purpose::audit, 0, 0));
  for (int word = 0; word < 3; ++word) {
    const std::uint64_t expected = words.next();
    for (int i = 0; i < 64; ++i) ASSERT_EQ(bits.next_bit(), ((expected >> i) & 1U) != 0);
  }
}

// How many words a sampler read depends on secrets: the number of records sampled from, how often
// noise lay close to a boundary. The stated term must not.
TEST(Source, PrgSlackDependsOnTheNumberOfClaimsAlone) {
  SeededSource thrifty(1);
  SeededSource lavish(1);
  EXPECT_EQ(thrifty.prg_slack(), 0);
  std::vector<std::uint64_t> words(2000);
  for (std::uint64_t i = 0; i < 3; ++i) {
    KeystreamBlock(thrifty.claim(Purpose::noise, 0, i)).words(0, std::span(words).first(1));
    const KeystreamBlock block(lavish.claim(Purpose::noise, 0, i));
    block.words(0, words);
    block.extension(7, 0, std::span(words).first(4));
  }
  EXPECT_EQ(thrifty.prg_slack(), lavish.prg_slack());
  // 2^13 pieces of 2^19 blocks and one to spare.
  EXPECT_GE(thrifty.prg_slack(), 3 * std::ldexp(1.0, -78));
  EXPECT_LE(thrifty.prg_slack(), 3 * std::ldexp(1.001, -78));
}

TEST(Source, PrgSlackCountsWhatWasClaimed) {
  SeededSource source(1);
  for (std::uint64_t i = 0; i < 5; ++i) {
    static_cast<void>(source.claim(Purpose::noise, 0, i, 1000));
  }
  EXPECT_GE(source.prg_slack(), prg_slack_of(5, 1000));
  EXPECT_LE(source.prg_slack(), prg_slack_of(5, 1000) * (1 + 1e-11));
}

TEST(Source, ABlockIsReadToItsEndAndNoFurther) {
  SeededSource source(1);
  std::uint64_t index = 0;
  const auto claim = [&](std::int64_t words) {
    return source.claim(Purpose::noise, 0, index++, words);
  };
  EXPECT_THROW(static_cast<void>(claim(-1)), base::InternalError);
  EXPECT_THROW(static_cast<void>(claim(max_block_words + 1)), base::InternalError);
  std::array<std::uint64_t, 4> words{};
  const KeystreamBlock block(claim(10));
  EXPECT_NO_THROW(block.words(6, words));
  EXPECT_THROW(block.words(7, words), base::InternalError);
  EXPECT_THROW(block.words(~std::uint64_t{0}, words), base::InternalError);
  EXPECT_NO_THROW(block.extension(9, 12, words));
  EXPECT_THROW(block.extension(10, 0, words), base::InternalError);
  EXPECT_THROW(block.extension(9, 13, words), base::InternalError);
  for (const int most : {0, 1, 9, 700, 5000}) {
    Stream stream(claim(most));
    for (int i = 0; i < most; ++i) static_cast<void>(stream.next());
    EXPECT_THROW(static_cast<void>(stream.next()), base::InternalError) << most;
  }
}

// Every 2^20 words have a key of their own: the first is the keystream block's old one, so that
// shorter blocks kept their words.
TEST(Source, LongBlocksAreCutIntoPiecesWithKeysOfTheirOwn) {
  SeededSource source(7);
  const KeystreamBlock block(source.claim(Purpose::noise, 3, 5));
  const auto key = internal::Key::from_seed(7).child("run").child("noise").child("leaf", 3, 5);
  constexpr auto piece = static_cast<std::uint64_t>(piece_words);
  for (const std::uint64_t k : {0U, 1U, 2U, 8191U}) {
    std::array<std::uint64_t, 6> expected{};
    std::array<std::uint64_t, 6> found{};
    internal::Keystream(key.child("words", k)).words(5, expected);
    block.words(k * piece + 5, found);
    EXPECT_EQ(found, expected) << k;
    if (k == 0) internal::Keystream(key.child("words")).words(5, expected);
    EXPECT_EQ(found, expected) << k;
  }
  // Across the boundary: as a whole, by a reader that goes back, and as a stream.
  std::array<std::uint64_t, 4> before{};
  std::array<std::uint64_t, 4> behind{};
  std::array<std::uint64_t, 8> across{};
  internal::Keystream(key.child("words", 0)).words(piece - 4, before);
  internal::Keystream(key.child("words", 1)).words(0, behind);
  KeystreamBlockReader reader(block);
  for (int i = 0; i < 2; ++i) {
    reader.words(piece - 4, across);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), across.begin()));
    EXPECT_TRUE(std::equal(behind.begin(), behind.end(), across.begin() + 4));
  }
  SeededSource again(7);
  Stream stream(again.claim(Purpose::noise, 3, 5));
  for (std::uint64_t i = 0; i < piece - 4; ++i) static_cast<void>(stream.next());
  for (const std::uint64_t word : across) EXPECT_EQ(stream.next(), word);
}

TEST(Source, CipherTermIsTheSumOfSquaredBlocks) {
  // 500 blocks and one to spare, and 1,000 continuations of 8 blocks.
  const double expected = std::ldexp(4.0 * (501.0 * 501 + 1000 * 64), -129);
  EXPECT_GE(prg_slack_of(4, 1000), expected);
  EXPECT_LE(prg_slack_of(4, 1000), expected * (1 + 1e-11));
  // 2^32 words are 4096 pieces of 2^19 blocks: the squares fall 2^12-fold against one key.
  const double blocks = 0x1p19 + 1;
  const double sample = std::ldexp(4096 * blocks * blocks + 64 * 0x1p32, -129);
  EXPECT_GE(prg_slack_of(1, std::int64_t{1} << 32), sample);
  EXPECT_LE(prg_slack_of(1, std::int64_t{1} << 32), sample * (1 + 1e-11));
  EXPECT_LE(prg_slack_of(1, std::int64_t{1} << 32), std::ldexp(1.001, -67 - 12));
}

TEST(Source, ThreadsReadOneBlockAtOnce) {
  SeededSource source(1);
  const KeystreamBlock block(source.claim(Purpose::noise, 0, 0));
  std::vector<std::uint64_t> whole(4000);
  std::vector<std::uint64_t> pieces(4000);
  block.words(0, whole);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { block.words(1000 * i, std::span(pieces).subspan(1000 * i, 1000)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pieces, whole);
}

// A source of a long run: 10^6 steps are one entry of its book (BlockRegistry), and here 20,000 of
// two claims each leave the heap as it was.
TEST(Source, DoesNotGrowWithTheLengthOfARun) {
  SeededSource source(1);
  const auto run = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t step = begin; step < end; ++step) {
      static_cast<void>(source.claim(Purpose::sampling, step, 0));
      static_cast<void>(source.claim(Purpose::noise, step, 0));
    }
  };
  run(0, 10);
  const auto before = mallinfo2().uordblks;
  run(10, 20000);
  EXPECT_LE(mallinfo2().uordblks, before + 10000);
  EXPECT_THROW(static_cast<void>(source.claim(Purpose::noise, 7, 0)), base::InternalError);
}

enum class Copy { fork, bare_clone };

pid_t copy_of_this_process(Copy kind) {
  if (kind == Copy::fork) return fork();
  // Past the handlers that fork() calls.
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

template <class Action>
bool refused_in_a_child(Action action, Copy kind = Copy::fork) {
  const pid_t child = copy_of_this_process(kind);
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
  Stream stream(source.claim(Purpose::noise, 0, 0));
  const KeystreamBlock block(source.claim(Purpose::noise, 0, 1));
  static_cast<void>(stream.next());
  EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(stream.next()); }));
  EXPECT_TRUE(refused_in_a_child([&] {
    std::array<std::uint64_t, 1> word{};
    block.words(0, word);
  }));
  EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(source.claim(Purpose::noise, 0, 2)); }));
  EXPECT_FALSE(refused_in_a_child([] {
    const auto fresh = SecureSource::create();
    Stream own(fresh->claim(Purpose::noise, 0, 0));
    static_cast<void>(own.next());
  }));
  EXPECT_NO_THROW(static_cast<void>(stream.next()));
}

// The words and bits that were read in advance lie in the copy's memory, whoever made it.
TEST(Source, WordsReadInAdvanceAreRefusedInEveryCopy) {
  for (const Copy kind : {Copy::fork, Copy::bare_clone}) {
    SeededSource source(1);
    Stream stream(source.claim(Purpose::noise, 0, 0));
    const KeystreamBlock block(source.claim(Purpose::noise, 0, 1));
    static_cast<void>(stream.next());
    static_cast<void>(stream.next_bit());
    EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(stream.next()); }, kind));
    EXPECT_TRUE(refused_in_a_child([&] { static_cast<void>(stream.next_bit()); }, kind));
    EXPECT_TRUE(refused_in_a_child(
        [&] {
          std::array<std::uint64_t, 1> word{};
          block.words(0, word);
        },
        kind));
    EXPECT_TRUE(
        refused_in_a_child([&] { static_cast<void>(source.claim(Purpose::noise, 0, 2)); }, kind));
    EXPECT_NO_THROW(static_cast<void>(stream.next_bit()));
    EXPECT_NO_THROW(static_cast<void>(stream.next()));
  }
}

// Nobody tells the library about a bare clone, so that it cannot tell its children apart either.
TEST(Source, ABareCloneIsRefusedEverything) {
  EXPECT_TRUE(refused_in_a_child(
      [] {
        const auto fresh = SecureSource::create();
        static_cast<void>(fresh->claim(Purpose::noise, 0, 0));
      },
      Copy::bare_clone));
}

// The first word at each of some addresses.
std::vector<std::uint64_t> first_words(Source& source) {
  std::vector<std::uint64_t> words;
  for (const auto purpose : {Purpose::noise, Purpose::sampling, Purpose::audit}) {
    for (std::uint64_t step = 0; step < 3; ++step) {
      words.push_back(Stream(source.claim(purpose, step, 0, 16)).next());
    }
  }
  return words;
}

TEST(Source, EachRunHasAllAddressesUnderKeysOfItsOwn) {
  SeededSource source(1);
  EXPECT_FALSE(source.begun());
  std::set<std::uint64_t> seen;
  const auto first = first_words(source);
  const double term = source.prg_slack();
  source.finish_before(Purpose::noise, 7);
  for (int run = 0; run < 20; ++run) {
    EXPECT_TRUE(source.begun());
    EXPECT_THROW(static_cast<void>(source.claim(Purpose::noise, 0, 0)), base::InternalError);
    source.next_run();
    EXPECT_FALSE(source.begun());
    EXPECT_EQ(source.prg_slack(), 0);
    const auto words = first_words(source);
    EXPECT_EQ(source.prg_slack(), term);
    seen.insert(words.begin(), words.end());
  }
  seen.insert(first.begin(), first.end());
  EXPECT_EQ(seen.size(), 21 * first.size());  // 189 words of 64 bits: equal ones at 1e-15
  SeededSource again(1);
  EXPECT_EQ(first_words(again), first);
  const auto secure = SecureSource::create();
  EXPECT_NE(first_words(*secure), first);
}

// A child of vfork() uses its parent's memory: what it draws is gone for the parent. (Under a
// sanitizer that makes a copy of it, it is refused like one.)
TEST(Source, AChildThatSharesMemoryDrawsNothingTwice) {
  SeededSource source(1);
  SeededSource again(1);
  Stream stream(source.claim(Purpose::noise, 0, 0));
  Stream reference(again.claim(Purpose::noise, 0, 0));
  EXPECT_EQ(stream.next(), reference.next());
  static volatile std::uint64_t drawn = 0;
  const pid_t child = vfork();
  if (child == 0) {
    int code = 0;
    try {
      drawn = stream.next();
    } catch (const base::InternalError&) {
      code = 1;
    }
    _exit(code);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 0) {
    EXPECT_EQ(drawn, reference.next());
  }
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(stream.next(), reference.next());
}

}  // namespace source_test
}  // namespace tacet::random
