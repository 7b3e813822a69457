#include "tacet/random/source/block_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace tacet::random::internal {
namespace block_registry_test {

TEST(BlockRegistry, TakesEveryAddressOnce) {
  BlockRegistry book;
  std::set<std::pair<std::uint64_t, std::uint64_t>> expected;
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t step = (state >> 40) % 60;
    const std::uint64_t index = (state >> 20) % 40;
    ASSERT_EQ(book.take(step, index), expected.emplace(step, index).second) << i;
  }
  for (std::uint64_t step = 0; step < 60; ++step) {
    for (std::uint64_t index = 0; index < 40; ++index) {
      ASSERT_EQ(book.take(step, index), expected.emplace(step, index).second);
      ASSERT_FALSE(book.take(step, index));
    }
  }
  EXPECT_EQ(book.entries(), 1U);  // all steps alike
}

TEST(BlockRegistry, AMillionStepsAreOneEntry) {
  constexpr std::uint64_t steps = 1000000;
  BlockRegistry upward;
  BlockRegistry in_passes;
  for (std::uint64_t step = 0; step < steps; ++step) {
    ASSERT_TRUE(upward.take(step, 0));
    ASSERT_TRUE(upward.take(step, 1));
    ASSERT_LE(upward.entries(), 2U);
    ASSERT_TRUE(in_passes.take(steps - step, 7));
  }
  for (std::uint64_t step = 1; step <= steps; ++step) {
    ASSERT_TRUE(in_passes.take(step, 3));
    ASSERT_LE(in_passes.entries(), 3U);
  }
  EXPECT_EQ(upward.entries(), 1U);
  EXPECT_EQ(in_passes.entries(), 1U);
  for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, steps / 2, steps - 1}) {
    EXPECT_FALSE(upward.take(step, 0));
    EXPECT_FALSE(upward.take(step, 1));
  }
}

TEST(BlockRegistry, AMillionIndicesOfOneStepAreOneEntry) {
  BlockRegistry book;
  for (std::uint64_t index = 0; index < 1000000; ++index) ASSERT_TRUE(book.take(4, index));
  EXPECT_EQ(book.entries(), 1U);
  EXPECT_FALSE(book.take(4, 999999));
  EXPECT_TRUE(book.take(5, 999999));
}

// Steps of different indices, as where the number of releases of a step depends on what was
// released: a million of them take no more memory than the few that are not finished.
TEST(BlockRegistry, FinishedStepsTakeNoMemoryAndAreNeverGivenAgain) {
  constexpr std::uint64_t steps = 1000000;
  BlockRegistry book;
  std::size_t most = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    ASSERT_TRUE(book.take(step, 0));
    ASSERT_TRUE(book.take(step, 2 + step * 2654435761U % 1000));
    if (step >= 8) book.finish_before(step - 8);
    most = std::max(most, book.entries());
  }
  EXPECT_LE(most, 10U);
  for (const std::uint64_t step : {std::uint64_t{0}, steps / 2, steps - 10}) {
    EXPECT_FALSE(book.take(step, 0));
    EXPECT_FALSE(book.take(step, 5000));  // never taken, but finished
  }
  EXPECT_FALSE(book.take(steps - 1, 0));
  EXPECT_TRUE(book.take(steps - 1, 1));
  book.finish_before(3);  // nothing is opened again
  EXPECT_FALSE(book.take(steps / 2, 5000));
}

TEST(BlockRegistry, ALongStretchIsFinishedInTheMiddle) {
  BlockRegistry book;
  for (std::uint64_t step = 0; step < 100; ++step) ASSERT_TRUE(book.take(step, 1));
  book.finish_before(50);
  EXPECT_FALSE(book.take(49, 2));
  EXPECT_FALSE(book.take(50, 1));
  EXPECT_TRUE(book.take(50, 2));
}

TEST(BlockRegistry, TheLastStepHasNoNext) {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  BlockRegistry book;
  EXPECT_TRUE(book.take(last, last));
  EXPECT_TRUE(book.take(0, last));
  EXPECT_TRUE(book.take(last - 1, last));
  EXPECT_FALSE(book.take(last, last));
  EXPECT_FALSE(book.take(0, last));
  EXPECT_EQ(book.entries(), 2U);
}

}  // namespace block_registry_test
}  // namespace tacet::random::internal
