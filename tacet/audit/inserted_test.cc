#include "tacet/audit/inserted.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tacet/audit/memorisation.h"
#include "tacet/base/error.h"
#include "tacet/learn/words/word_training.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::audit {
namespace inserted_test {

constexpr std::int32_t words = 60;

data::Vocabulary vocabulary() {
  std::vector<std::string> list;
  for (std::int32_t k = 0; k < words; ++k) list.push_back("w" + std::to_string(k));
  return data::Vocabulary(std::move(list));
}

data::Corpus texts(int count) {
  data::Corpus found(false);
  std::mt19937_64 bits(6);
  for (int i = 0; i < count; ++i) {
    std::vector<std::int32_t> text(6);
    for (auto& word : text) word = static_cast<std::int32_t>(bits() % words);
    found.append(text, i);
  }
  found.finish();
  return found;
}

ReleasedWords train(const data::Corpus& corpus, const std::string& epsilon, const char* steps) {
  const auto plan = learn::plan_words(vocabulary(), "record",
                                      learn::word_options({{"epsilon", epsilon},
                                                           {"delta", "1e-5"},
                                                           {"public-row-count", "600"},
                                                           {"dim", "16"},
                                                           {"steps", steps},
                                                           {"max-pairs-per-unit", "8"}}));
  random::SeededSource source(3);
  base::ThreadPool pool(1);
  privacy::TrustingBudget budget(plan.guarantee);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  const auto trained = learn::train_words(
      corpus, vocabulary(), plan, {.source = source, .reservation = reservation, .threads = pool});
  return released_words(trained.rows, plan.shape);
}

/// Half of 200 canaries inserted, 100 guesses.
Guesses guesses_of(const std::string& epsilon, const char* steps, std::uint64_t seed) {
  data::RandomDraws draws(seed);
  const auto canaries = random_phrases(200, words, draws);
  auto corpus = texts(400);
  std::vector<bool> inserted;
  for (const auto& canary : canaries) {
    inserted.push_back(draws.below(2) == 1);
    if (inserted.back()) insert_phrase(corpus, canary, 1, 8);
  }
  const auto released = train(corpus, epsilon, steps);
  PhraseModel model(released);
  std::vector<double> surprises;
  for (const auto& canary : canaries) surprises.push_back(model.surprise(canary));
  return guess(surprises, inserted, 100);
}

// Without privacy what was inserted shows; at epsilon 1 the bound stays below it.
TEST(Inserted, CanariesShowWithoutPrivacyAndStayBelowTheClaimWithIt) {
  EXPECT_GT(one_run_bound(guesses_of("inf", "4000", 1), 1e-5, 0.05), 1);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_LE(one_run_bound(guesses_of("1", "20", seed), 1e-5, 0.05), 1);
  }
}

// Phrases that were not inserted have ranks like any others.
TEST(Inserted, RanksOfPhrasesThatAreNotThereAreUniform) {
  const auto released = train(texts(600), "inf", "1000");
  PhraseModel model(released);
  data::RandomDraws draws(9);
  std::vector<std::int64_t> ranks;
  for (const auto& phrase : random_phrases(300, words, draws)) {
    const double tie = static_cast<double>(draws.next() >> 11) * 0x1p-53;
    ranks.push_back(model.rank(phrase, random_endings(phrase, 200, words, draws), tie));
  }
  EXPECT_GT(test_ranks(ranks, 200).p_value, 1e-3);
}

TEST(Inserted, PhrasesHaveDifferentWords) {
  data::RandomDraws draws(1);
  for (const auto& phrase : random_phrases(500, 3, draws)) {
    EXPECT_EQ(phrase.first + phrase.second + phrase.third, 3);
    EXPECT_EQ(phrase.first * phrase.second * phrase.third, 0);
    for (const auto& other : random_endings(phrase, 2, 3, draws)) {
      EXPECT_EQ(other.first, phrase.first);
      EXPECT_NE(other.second, other.third);
    }
  }
  EXPECT_THROW((void)random_phrases(1, 2, draws), base::UsageError);
}

TEST(Inserted, GuessesAreTheEndsOfTheOrder) {
  const std::vector<double> surprises{5, 1, 4, 2, 3};
  const std::vector<bool> inserted{false, true, true, false, false};
  // In: those of 1 and 2; out: that of 5.
  const auto guesses = guess(surprises, inserted, 3);
  EXPECT_EQ(guesses.canaries, 5);
  EXPECT_EQ(guesses.made, 3);
  EXPECT_EQ(guesses.right, 2);
  EXPECT_THROW((void)guess(surprises, inserted, 6), base::UsageError);
}

}  // namespace inserted_test
}  // namespace tacet::audit
