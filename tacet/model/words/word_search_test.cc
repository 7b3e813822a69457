#include "tacet/model/words/word_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "tacet/data/encode/public_hash.h"

namespace tacet::model {
namespace word_search_test {

WordVectors random_vectors(std::size_t words, std::int64_t dimensions) {
  WordVectors vectors{.dimensions = dimensions};
  std::mt19937_64 bits(11);
  for (std::size_t k = 0; k < words; ++k) {
    vectors.words.push_back("w" + std::to_string(k));
    for (std::int64_t j = 0; j < dimensions; ++j) {
      vectors.values.push_back(static_cast<float>(bits() % 2001) / 1000 - 1);
    }
  }
  return vectors;
}

double plain_cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0;
  double left = 0;
  double right = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    product += double{a[j]} * double{b[j]};
    left += double{a[j]} * double{a[j]};
    right += double{b[j]} * double{b[j]};
  }
  return product / std::sqrt(left * right);
}

TEST(WordSearch, FindsTheNearestByCosine) {
  const auto vectors = random_vectors(200, 9);
  const WordSearch search(vectors);
  const std::size_t self[] = {5};
  const auto found = search.nearest(search.direction(5), 10, self);
  ASSERT_EQ(found.size(), 10U);
  std::vector<double> cosines;
  for (std::size_t k = 0; k < 200; ++k) {
    if (k != 5) cosines.push_back(plain_cosine(vectors.vector(5), vectors.vector(k)));
  }
  std::ranges::sort(cosines, std::greater<>());
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(found[k].cosine, cosines[k], 1e-6);
    EXPECT_NEAR(found[k].cosine, search.cosine(5, found[k].word), 1e-6);
    EXPECT_NE(found[k].word, 5U);
  }
  EXPECT_EQ(search.nearest(search.direction(5), 1000, self).size(), 199U);
}

TEST(WordSearch, AnswersAnalogiesWithoutTheirOwnWords) {
  const auto vectors = random_vectors(150, 6);
  const WordSearch search(vectors);
  std::vector<WordSearch::Analogy> asked;
  for (std::size_t q = 0; q < 100; ++q) asked.push_back({q, (q * 7 + 1) % 150, (q * 3 + 2) % 150});
  const auto answers = search.answers(asked);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    const auto& [a, b, c] = asked[q];
    const std::size_t own[] = {a, b, c};
    EXPECT_EQ(answers[q], search.nearest(search.direction(asked[q]), 1, own)[0].word);
  }
}

// king - man + woman, with vectors of different length.
TEST(WordSearch, AddsAndSubtractsDirections) {
  const WordVectors vectors{.dimensions = 2,
                            .words = {"man", "king", "woman", "queen", "owl"},
                            .values = {10, 0, 1, 1, 0.5F, 0, 3, 3, -1, 0}};
  const WordSearch search(vectors);
  const auto answers = search.answers(std::vector<WordSearch::Analogy>{{0, 1, 2}});
  EXPECT_EQ(search.word(answers[0]), "queen");
}

TEST(WordSearch, FindsLowerCaseAndBuckets) {
  const WordVectors names{.dimensions = 1, .words = {"new", "York"}, .values = {1, 2}};
  const WordSearch words(names);
  EXPECT_EQ(words.find("NEW"), 0U);
  EXPECT_EQ(words.find("York"), 1U);
  EXPECT_FALSE(words.find("york").has_value());
  WordVectors hashed{.dimensions = 1};
  for (int k = 0; k < 16; ++k) {
    hashed.words.push_back("#" + std::to_string(k));
    hashed.values.push_back(1);
  }
  const WordSearch buckets(hashed);
  EXPECT_EQ(buckets.find("#3"), 3U);
  EXPECT_EQ(buckets.find("king"), data::public_bucket("king", 4));
  hashed.words[7] = "seven";
  EXPECT_FALSE(WordSearch(hashed).find("king").has_value());
}

TEST(WordSearch, AVectorOfZerosIsNearNothing) {
  const WordVectors vectors{.dimensions = 2, .words = {"a", "b"}, .values = {0, 0, 3, 4}};
  const WordSearch search(vectors);
  EXPECT_EQ(search.cosine(0, 1), 0);
  EXPECT_EQ(search.nearest(search.direction(0), 2, {})[0].cosine, 0);
}

}  // namespace word_search_test
}  // namespace tacet::model
