#include "tacet/learn/words/vocabulary_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/words/word_training.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace vocabulary_choice_test {

constexpr auto neighbours = privacy::Adjacency::add_remove;

// Texts of the frequent words f0 to f19, each with a word that no other text has.
std::string texts(int count) {
  std::mt19937_64 bits(9);
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 5; ++k) text += "f" + std::to_string(bits() % 20) + " ";
    text += "secret" + std::to_string(i) + "\n";
  }
  return text;
}

data::OpenCorpus open(const std::string& text) {
  return data::read_open_corpus(data::memory_source(text, "t"), "t", {});
}

/// A source and a budget for one choice or training.
struct OneRun {
  explicit OneRun(const privacy::Event& event, std::uint64_t seed = 5)
      : source(seed),
        budget(neighbours),
        reservation(budget.reserve(event, {10, 1e-4, neighbours})) {}

  [[nodiscard]] TrainingContext context() {
    return {.source = source, .reservation = reservation, .threads = pool};
  }

  random::SeededSource source;
  privacy::TrustingBudget budget;
  privacy::Reservation reservation;
  base::ThreadPool pool{1};
};

std::vector<std::string> words_of(const data::Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (std::int32_t k = 0; k < vocabulary.size(); ++k) words.push_back(vocabulary.word(k));
  return words;
}

TEST(VocabularyChoice, FindsWhatManyTextsHoldAndNobodysOwn) {
  const VocabularyChoice choice{
      .max_words = 100, .max_words_per_unit = 8, .noise = 5, .delta = 1e-6};
  OneRun run(mechanism::partition_selection_event(choice.rule(), neighbours));
  auto corpus = open(texts(2000));
  const auto found = choose_vocabulary(choice, corpus, 7, neighbours, run.context());
  EXPECT_EQ(found.size(), 20);
  for (const auto& word : words_of(found)) EXPECT_EQ(word[0], 'f');
  EXPECT_TRUE(std::ranges::is_sorted(found.counts(), std::greater{}));
  // Texts are numbered by what was found.
  EXPECT_EQ(corpus.corpus.record_count(), 2000);
  for (const auto word : corpus.corpus.record(77)) EXPECT_LT(word, 20);
  EXPECT_EQ(corpus.corpus.record(77).size(), 5U);
}

TEST(VocabularyChoice, KeepsTheMostFrequentOfWhatItFinds) {
  const VocabularyChoice choice{
      .max_words = 3, .max_words_per_unit = 8, .noise = 0.01, .delta = 1e-6};
  OneRun run(mechanism::partition_selection_event(choice.rule(), neighbours));
  std::string text;
  for (int i = 0; i < 60; ++i) text += i < 20 ? "a b\n" : i < 40 ? "b c\n" : "b c d\n";
  auto corpus = open(text);
  const auto found = choose_vocabulary(choice, corpus, 7, neighbours, run.context());
  EXPECT_EQ(words_of(found), (std::vector<std::string>{"b", "c", "a"}));
}

TEST(VocabularyChoice, WithoutPrivacyTheMostFrequentWords) {
  const VocabularyChoice choice{.max_words = 2, .max_words_per_unit = 8};
  OneRun run(privacy::no_event());
  auto corpus = open("a b\nb c\nb c\nx\n");
  EXPECT_EQ(words_of(choose_vocabulary(choice, corpus, 7, neighbours, run.context())),
            (std::vector<std::string>{"b", "c"}));
}

// What was released says that there are too few; it is paid for.
TEST(VocabularyChoice, TooFewWordsEndTheRunAfterTheyWerePaidFor) {
  const VocabularyChoice choice{.max_words = 9, .max_words_per_unit = 8, .noise = 5, .delta = 1e-6};
  OneRun run(mechanism::partition_selection_event(choice.rule(), neighbours));
  auto corpus = open("a b\n");
  EXPECT_THROW((void)choose_vocabulary(choice, corpus, 7, neighbours, run.context()),
               base::DataError);
  EXPECT_EQ(run.reservation.spent(),
            mechanism::partition_selection_event(choice.rule(), neighbours));
}

// From texts alone to vectors: what is released is what was booked.
TEST(VocabularyChoice, TrainingReleasesWhatWasBooked) {
  const auto options = word_options({{"epsilon", "8"},
                                     {"delta", "1e-5"},
                                     {"public-row-count", "2000"},
                                     {"dim", "8"},
                                     {"steps", "5"},
                                     {"select-vocabulary", "50"}});
  auto plan = plan_words(words_to_be_found(options), "record", options);
  OneRun run(plan.events);
  auto corpus = open(texts(2000));
  const auto found = choose_vocabulary(*plan.vocabulary, corpus, plan.vocabulary_step(), neighbours,
                                       run.context());
  plan = with_words(plan, found, options);
  EXPECT_EQ(plan.shape.words, 20);
  const auto trained = train_words(corpus.corpus, found, plan, run.context());
  EXPECT_TRUE(same_releases(trained.receipt.events, plan.events));
  EXPECT_EQ(trained.rows.table().stored_rows().size(), 40U);
}

}  // namespace vocabulary_choice_test
}  // namespace tacet::learn
