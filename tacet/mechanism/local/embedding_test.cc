#include "tacet/mechanism/local/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {
namespace embedding_test {

using Integers = std::vector<std::int64_t>;

TEST(Embedding, AutomaticIsLiftButForFewCoordinatesAndSmallEpsilon) {
  EXPECT_EQ(resolved_embedding(Embedding::automatic, 3, 1.9), Embedding::sign);
  EXPECT_EQ(resolved_embedding(Embedding::automatic, 3, 2), Embedding::lift);
  EXPECT_EQ(resolved_embedding(Embedding::automatic, 4, 0.1), Embedding::lift);
  EXPECT_EQ(resolved_embedding(Embedding::sign, 100, 4), Embedding::sign);
  EXPECT_EQ(resolved_embedding(Embedding::lift, 1, 0.1), Embedding::lift);
}

TEST(Embedding, TheLiftHasTheBoundsNorm) {
  EXPECT_EQ(lifted(Integers{3, 4}, 5), (Integers{3, 4, 0}));
  EXPECT_EQ(lifted(Integers{0, 0}, 1 << 30), (Integers{0, 0, 1 << 30}));
  EXPECT_EQ(lifted(Integers{3}, 5), (Integers{3, 4}));
  EXPECT_EQ(lifted(Integers{-2, 1}, 10), (Integers{-2, 1, 9}));  // floor(sqrt(95))
  for (std::int64_t root : {0L, 1L, 94906265L, 94906266L, 2147483647L}) {
    const std::int64_t square = root * root;
    EXPECT_EQ(integer_root(square), root);
    EXPECT_EQ(integer_root(std::max<std::int64_t>(square - 1, 0)),
              std::max<std::int64_t>(root - 1, 0));
  }
}

TEST(Embedding, AGradientBeyondItsBoundIsAnError) {
  // Without clipping there is no guarantee; the message says nothing of the gradient.
  const WordSource words = [] { return std::uint64_t{0}; };
  EXPECT_NO_THROW(static_cast<void>(with_random_sign(Integers{-3, 4}, 5, words)));
  for (const Integers& g : {Integers{6, 0}, Integers{4, 4}, Integers{INT64_MIN + 1, INT64_MAX}}) {
    EXPECT_THROW(static_cast<void>(lifted(g, 5)), base::InternalError);
    EXPECT_THROW(static_cast<void>(with_random_sign(g, 5, words)), base::InternalError);
  }
}

TEST(Embedding, TheSignHasExactlyTheRightProbability) {
  // sqrt(square)/bound = 1/2 against words on both sides of it, and 1, which is always reached.
  const auto answer = [](std::int64_t square, std::int64_t bound, std::uint64_t word) {
    return root_bernoulli(square, bound, [word] { return word; });
  };
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_TRUE(answer(25, 10, half - 1));
  EXPECT_FALSE(answer(25, 10, half));
  EXPECT_TRUE(answer(std::int64_t{1} << 60, 1 << 30, ~std::uint64_t{0}));
  EXPECT_FALSE(answer(0, 1 << 30, 0));
  // sqrt(2)/2 = 0xb504f333f9de6484597d89b3754abe9f1d... 2^-64: next to it the second word decides.
  int calls = 0;
  const auto two_words = [&calls](std::uint64_t second) {
    return [&calls, second] { return ++calls % 2 == 1 ? 0xb504f333f9de6484U : second; };
  };
  EXPECT_TRUE(root_bernoulli(2, 2, two_words(0x597d89b3754abe9eU)));
  EXPECT_FALSE(root_bernoulli(2, 2, two_words(0x597d89b3754abea0U)));
  EXPECT_EQ(calls, 4);
}

TEST(Embedding, SignsAverageToTheGradient) {
  // 40,000 signs of a vector of half the bound: 3/4 are plus, within 5 standard deviations (a
  // correct program fails with a probability of 6e-7).
  const auto source = std::make_unique<random::SeededSource>(5);
  random::Stream stream(source->claim(random::Purpose::audit, 0, 0));
  const WordSource words = [&stream] { return stream.next(); };
  int plus = 0;
  constexpr int runs = 40000;
  for (int i = 0; i < runs; ++i) {
    const auto direction = with_random_sign(Integers{3, 4}, 10, words);
    plus += direction == Integers{3, 4} ? 1 : 0;
    EXPECT_TRUE(direction == (Integers{3, 4}) || direction == (Integers{-3, -4}));
  }
  EXPECT_NEAR(plus, 0.75 * runs, 5 * std::sqrt(runs * 0.75 * 0.25));
  int first = 0;
  for (int i = 0; i < runs; ++i) {
    const auto direction = with_random_sign(Integers{0, 0}, 10, words);
    EXPECT_EQ(direction[1], 0);
    first += direction[0] == 1 ? 1 : 0;
  }
  EXPECT_NEAR(first, 0.5 * runs, 2.5 * std::sqrt(runs));
}

}  // namespace embedding_test
}  // namespace tacet::mechanism
