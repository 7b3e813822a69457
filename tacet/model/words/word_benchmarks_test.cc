#include "tacet/model/words/word_benchmarks.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"

namespace tacet::model {
namespace word_benchmarks_test {

data::LineReader lines(std::string_view text) { return {data::memory_source(text, "f"), "f"}; }

TEST(Similarities, StandInAnyUsualForm) {
  const auto expect_two = [](std::string_view text) {
    const auto pairs = read_similarities(lines(text));
    ASSERT_EQ(pairs.size(), 2U) << text;
    EXPECT_EQ(pairs[0].first, "love");
    EXPECT_EQ(pairs[0].second, "sex");
    EXPECT_EQ(pairs[0].score, 6.77);
    EXPECT_EQ(pairs[1].second, "cat");
  };
  expect_two("Word 1,Word 2,Human (mean)\nlove,sex,6.77\ntiger,cat,7.35\n");
  expect_two("# a list\nlove\tsex\t6.77\n\ntiger\tcat\t7.35");
  expect_two("love sex 6.77\r\ntiger cat 7.35\r\n");
  expect_two("word1;word2;score\nlove; sex; 6.77\ntiger; cat; 7.35\n");
}

TEST(Similarities, SayWhichLineIsNone) {
  for (const auto* text : {"a b 1\na b\n", "a b 1\na b x\n", "a b 1\na b c 1\n", "a,b,1\n,b,1\n"}) {
    try {
      static_cast<void>(read_similarities(lines(text)));
      FAIL() << text;
    } catch (const base::DataError& error) {
      EXPECT_STREQ(error.what(), "f:2: two words and a number are expected");
    }
  }
}

TEST(Spearman, IsThatOfMeanRanks) {
  const std::vector<double> a{1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(*spearman(a, a), 1);
  EXPECT_DOUBLE_EQ(*spearman(a, std::vector<double>{9, 7, 5, 3, 1}), -1);
  // Ranks 1, 2.5, 2.5, 4 and 2, 1, 3.5, 3.5: covariance 2.25, squares 4.5 each.
  EXPECT_DOUBLE_EQ(*spearman(std::vector<double>{0, 5, 5, 9}, std::vector<double>{2, 1, 3, 3}),
                   2.25 / 4.5);
  EXPECT_FALSE(spearman(std::vector<double>{1}, std::vector<double>{1}).has_value());
  EXPECT_FALSE(spearman(std::vector<double>{1, 1}, std::vector<double>{1, 2}).has_value());
}

const WordVectors& square() {
  static const WordVectors vectors{.dimensions = 2,
                                   .words = {"man", "king", "woman", "queen"},
                                   .values = {1, 0, 1, 1, 1, -.5F, 1, .5F}};
  return vectors;
}

TEST(Similarity, CountsOnlyPairsWithVectors) {
  const WordSearch search(square());
  const std::vector<WordSimilarity> pairs{
      {"man", "king", 7}, {"man", "queen", 8}, {"king", "woman", 1}, {"man", "owl", 3}};
  const auto result = similarity(search, pairs);
  EXPECT_EQ(result.used, 3);
  EXPECT_EQ(result.all, 4);
  EXPECT_DOUBLE_EQ(*result.spearman, 1);
}

TEST(Analogies, AreCountedBySection) {
  const auto sections = read_analogies(
      lines("man king woman queen\n: royal family\nman king woman queen\nman king woman owl\n"
            "Man King Woman King\n\n: none\nowl a b c\n"));
  const WordSearch search(square());
  const auto results = analogies(search, sections);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].name, "");
  EXPECT_EQ(results[0].correct, 1);
  EXPECT_EQ(results[1].name, "royal family");
  EXPECT_EQ(results[1].correct, 1);
  EXPECT_EQ(results[1].used, 2);
  EXPECT_EQ(results[1].all, 3);
  EXPECT_DOUBLE_EQ(*results[1].accuracy(), 0.5);
  EXPECT_FALSE(results[2].accuracy().has_value());
  EXPECT_THROW(static_cast<void>(read_analogies(lines("a b c\n"))), base::DataError);
}

}  // namespace word_benchmarks_test
}  // namespace tacet::model
