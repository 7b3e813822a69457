#include "tacet/audit/phrases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::audit {
namespace phrases_test {

ReleasedWords random_words(std::int32_t words, std::int64_t dimensions) {
  std::mt19937_64 bits(8);
  std::normal_distribution<float> normal;
  ReleasedWords released{.dimensions = dimensions, .targets = {}, .contexts = {}, .biases = {}};
  for (std::int64_t k = 0; k < words * dimensions; ++k) {
    released.targets.push_back(normal(bits));
    released.contexts.push_back(normal(bits));
  }
  for (std::int32_t k = 0; k < words; ++k) {
    released.biases.push_back(static_cast<double>(normal(bits)));
  }
  return released;
}

// By the definition, in doubles and without anything kept.
double log_probability(const ReleasedWords& released, const std::vector<std::int32_t>& given,
                       std::int32_t word) {
  const auto width = static_cast<std::size_t>(released.dimensions);
  const auto score = [&](std::size_t v) {
    double sum = released.biases[v];
    for (std::size_t j = 0; j < width; ++j) {
      double mean = 0;
      for (const auto w : given) {
        mean += static_cast<double>(released.targets[static_cast<std::size_t>(w) * width + j]);
      }
      sum += mean / static_cast<double>(given.size()) *
             static_cast<double>(released.contexts[v * width + j]);
    }
    return sum;
  };
  double all = 0;
  for (std::size_t v = 0; v < released.biases.size(); ++v) all += std::exp(score(v));
  return score(static_cast<std::size_t>(word)) - std::log(all);
}

TEST(PhraseModel, SurpriseIsThatOfTheDefinition) {
  const auto released = random_words(20, 6);
  PhraseModel model(released);
  std::mt19937_64 bits(2);
  for (int i = 0; i < 200; ++i) {
    const Phrase phrase{static_cast<std::int32_t>(bits() % 20),
                        static_cast<std::int32_t>(bits() % 20),
                        static_cast<std::int32_t>(bits() % 20)};
    const double expected = -log_probability(released, {phrase.first}, phrase.second) -
                            log_probability(released, {phrase.first, phrase.second}, phrase.third);
    EXPECT_NEAR(model.surprise(phrase), expected, 1e-5);
  }
  EXPECT_THROW((void)model.surprise({0, 20, 1}), base::InternalError);
}

TEST(PhraseModel, RanksCountPhrasesThatSurpriseAsMuch) {
  const auto released = random_words(20, 6);
  PhraseModel model(released);
  std::vector<Phrase> others;
  for (std::int32_t k = 0; k < 20; ++k) others.push_back({3, k, 5});
  const Phrase own{3, 7, 5};
  std::int64_t more = 0;
  for (const auto& other : others) more += model.surprise(other) > model.surprise(own) ? 1 : 0;
  // Itself is the one that is equal.
  EXPECT_EQ(model.rank(own, others, 0), more);
  EXPECT_EQ(model.rank(own, others, 0.6), more + 1);
}

// Where all words are alike all phrases are: the tie alone decides.
TEST(PhraseModel, TiesAreDecidedByARandomDraw) {
  ReleasedWords released{.dimensions = 2, .targets = {}, .contexts = {}, .biases = {}};
  released.targets.assign(20, 0);
  released.contexts.assign(20, 0);
  released.biases.assign(10, -1);
  PhraseModel model(released);
  const std::vector<Phrase> others(100, Phrase{1, 2, 3});
  EXPECT_NEAR(model.surprise({1, 2, 3}), 2 * std::log(10.0), 1e-12);
  EXPECT_EQ(model.rank({1, 4, 5}, others, 0), 0);
  EXPECT_EQ(model.rank({1, 4, 5}, others, 0.37), 37);
  EXPECT_EQ(model.rank({1, 4, 5}, others, 0.999), 100);
}

}  // namespace phrases_test
}  // namespace tacet::audit
