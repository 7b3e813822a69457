#include "tacet/learn/words/word_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/peak_memory.h"

namespace tacet::learn {
namespace word_training_test {

constexpr std::int32_t words = 40;

data::Vocabulary vocabulary() {
  std::vector<std::string> list;
  for (std::int32_t k = 0; k < words; ++k) list.push_back("w" + std::to_string(k));
  return data::Vocabulary(std::move(list));
}

// Texts of words that belong together: those of one half of the vocabulary.
data::Corpus corpus(int texts, std::uint64_t seed = 1) {
  data::Corpus found(false);
  std::mt19937_64 bits(seed);
  for (int i = 0; i < texts; ++i) {
    const auto half = static_cast<std::int32_t>(bits() % 2) * words / 2;
    std::vector<std::int32_t> text(6);
    for (auto& word : text) word = half + static_cast<std::int32_t>(bits() % (words / 2));
    found.append(text, i);
  }
  found.finish();
  return found;
}

TrainedWords train(const data::Corpus& texts, const WordPlan& plan, int threads = 1,
                   std::uint64_t seed = 3) {
  random::SeededSource source(seed);
  base::ThreadPool pool(threads);
  privacy::TrustingBudget budget(plan.guarantee);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  return train_words(texts, vocabulary(), plan,
                     {.source = source, .reservation = reservation, .threads = pool});
}

WordPlan plan_of(OptionValues values) {
  for (const auto& [name, value] : OptionValues{{"epsilon", "8"},
                                                {"delta", "1e-5"},
                                                {"public-row-count", "3000"},
                                                {"dim", "8"},
                                                {"window", "3"},
                                                {"max-pairs-per-unit", "4"}}) {
    values.try_emplace(name, value);
  }
  return plan_words(vocabulary(), "record", word_options(values));
}

std::vector<std::uint32_t> bits_of(const RowOptimizer& rows) {
  std::vector<std::uint32_t> found;
  std::vector<float> room(rows.room_size());
  for (std::int64_t row = 0; row < 2 * words; ++row) {
    for (const float value : rows.read(row, room)) {
      found.push_back(std::bit_cast<std::uint32_t>(value));
    }
  }
  return found;
}

// Every selection, both granularities, every second clip.
std::vector<OptionValues> every_choice() {
  return {{{"selection", "all"}},
          {{"selection", "all"}, {"second-clip", "none"}},
          {{"selection", "adafest"}},
          {{"selection", "adafest_plus"}},
          {{"selection", "fest"}},
          {{"selection", "fest"}, {"selected", "10"}},
          {{"selection", "exponential"}, {"granularity", "coordinate"}},
          {{"selection", "exponential"}, {"selected", "10"}},
          {{"selection", "permute_and_flip"}, {"selected", "3"}},
          {{"selection", "sparse_vector"}, {"selected", "5"}, {"threshold", "1"}},
          {{"selection", "uniform"}, {"second-clip", "aggregate"}, {"aggregate-norm", "3"}},
          {{"selection", "uniform"}, {"granularity", "coordinate"}, {"selected", "30"}},
          {{"selection", "fixed"}, {"selected", "10"}}};
}

TEST(WordTraining, OneSeedGivesTheSameBitsForAnyNumberOfThreads) {
  const auto texts = corpus(1000);
  for (const auto& choice : every_choice()) {
    auto values = choice;
    values["steps"] = "6";
    values["batch-size"] = "200";
    const auto plan = plan_of(values);
    const auto one = bits_of(train(texts, plan, 1).rows);
    EXPECT_EQ(one, bits_of(train(texts, plan, 2).rows));
    EXPECT_EQ(one, bits_of(train(texts, plan, 3).rows));
    EXPECT_NE(one, bits_of(train(texts, plan, 1, 4).rows));
  }
}

// What a run releases is what its plan was booked for, whatever chooses its rows.
TEST(WordTraining, EverySelectionReleasesWhatItsPlanSays) {
  const auto texts = corpus(3000);
  for (const auto& choice : every_choice()) {
    for (const char* adjacency : {"add_remove", "replace_one"}) {
      auto values = choice;
      values["adjacency"] = adjacency;
      values["steps"] = "3";
      values["batch-size"] = "100";
      // Nothing is proved of a replaced record where sums of a Poisson sample are scored.
      try {
        (void)plan_of(values);
      } catch (const base::GuaranteeError&) {
        EXPECT_EQ(values.at("adjacency"), "replace_one");
        continue;
      }
      const auto plan = plan_of(values);
      EXPECT_EQ(train(texts, plan).receipt.events, plan.events);
    }
  }
}

// So many rows a step and no others: of ten chosen at random in each of three steps, or of the
// first ten words of the list.
// Steps that rows make when a sample touches them give the bits of steps that all make at once, for
// any number of threads.
TEST(WordTraining, StepsThatArePutOffHaveTheBitsOfOthers) {
  for (const char* optimizer : {"sgd", "momentum", "adagrad", "adam"}) {
    SCOPED_TRACE(optimizer);
    // Five rows a block of them.
    auto plan = plan_of({{"selection", "all"},
                         {"optimizer", optimizer},
                         {"batch-size", "6"},
                         {"max-pairs-per-unit", "1"},
                         {"dim", "400"},
                         {"steps", "70"}});
    plan.lazy = false;
    const auto eager = bits_of(train(corpus(500), plan).rows);
    plan.lazy = true;
    for (const int threads : {1, 3}) {
      EXPECT_EQ(bits_of(train(corpus(500), plan, threads).rows), eager) << threads;
    }
  }
}

TEST(WordTraining, OnlyChosenRowsAreStored) {
  const auto stored = [](const OptionValues& values) {
    const auto trained = train(corpus(300), plan_of(values));
    const auto rows = trained.rows.table().stored_rows();
    return std::vector<std::int64_t>(rows.begin(), rows.end());
  };
  const auto probability =
      stored({{"selection", "uniform"}, {"selected", "10"}, {"steps", "3"}, {"batch-size", "50"}});
  EXPECT_GE(probability.size(), 15U);
  EXPECT_LE(probability.size(), 30U);
  const auto fixed = stored({{"selection", "fixed"}, {"selected", "10"}, {"steps", "3"}});
  EXPECT_EQ(fixed.size(), 20U);
  for (const auto row : fixed) EXPECT_LT(row % words, 10);
}

// Words that many texts hold are found before training, and only their rows move: texts are of the
// first half of the list alone.
TEST(WordTraining, WordsChosenBeforeTrainingAreThoseOfTheTexts) {
  data::Corpus texts(false);
  std::mt19937_64 bits(5);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int32_t> text(6);
    for (auto& word : text) word = static_cast<std::int32_t>(bits() % (words / 2));
    texts.append(text, i);
  }
  texts.finish();
  for (const auto& selection : {OptionValues{{"selection", "fest"}},
                                OptionValues{{"selection", "fest"}, {"selected", "20"}},
                                OptionValues{{"selection", "adafest_plus"}, {"selected", "20"}}}) {
    auto values = selection;
    values["steps"] = "3";
    const auto trained = train(texts, plan_of(values));
    const auto rows = trained.rows.table().stored_rows();
    const auto right =
        std::ranges::count_if(rows, [](std::int64_t row) { return row % words < words / 2; });
    EXPECT_EQ(right, 40);
    // By a threshold, one in ten may be there by noise alone.
    EXPECT_LE(rows.size(), selection.contains("selected") ? 40U : 44U);
  }
}

// Words that are nearer to their own half's contexts than to the others'.
int words_of_their_half(const TrainedWords& trained, const WordPlan& plan) {
  std::vector<float> target(trained.rows.room_size());
  std::vector<float> context(trained.rows.room_size());
  int right = 0;
  for (std::int32_t word = 0; word < words; ++word) {
    const auto u = trained.rows.read(plan.shape.target_row(word), target);
    double own = 0;
    double other = 0;
    for (std::int32_t k = 0; k < words; ++k) {
      const auto v = trained.rows.read(plan.shape.context_row(k), context);
      double score = 0;
      for (std::size_t j = 0; j < 8; ++j) {
        score += static_cast<double>(u[j]) * static_cast<double>(v[j]);
      }
      (k / (words / 2) == word / (words / 2) ? own : other) += score;
    }
    right += own > other ? 1 : 0;
  }
  return right;
}

TEST(WordTraining, LearnsWhichWordsBelongTogether) {
  const auto plan = plan_of({{"selection", "all"}, {"steps", "60"}, {"batch-size", "1000"}});
  EXPECT_GE(words_of_their_half(train(corpus(3000), plan), plan), 38);
}

// A replayed draw is a draw: what is put off takes every word of the cipher that is taken at once.
TEST(WordTraining, StepsThatArePutOffDrawWhatOthersDraw) {
  auto plan = plan_of({{"selection", "all"}, {"batch-size", "6"}, {"steps", "20"}});
  const auto drawn = [&](bool lazy) {
    plan.lazy = lazy;
    random::SeededSource source(3);
    base::ThreadPool pool(1);
    privacy::TrustingBudget budget(plan.guarantee);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    const auto trained =
        train_words(corpus(500), vocabulary(), plan,
                    {.source = source, .reservation = reservation, .threads = pool});
    return source.prg_slack();
  };
  EXPECT_EQ(drawn(true), drawn(false));
  EXPECT_GE(drawn(true), random::prg_slack_of(20, plan.layout().cells()));
}

// Of words that are drawn one by one, the r-th with a share of 1/r, nothing but their frequency can
// be learned: that is what a bias a word is for. The best constant is what a model has without.
TEST(WordTraining, BiasesLearnHowFrequentWordsAre) {
  std::vector<double> shares;
  for (int k = 0; k < words; ++k) shares.push_back(1.0 / (k + 1));
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (auto& share : shares) share /= all;
  std::mt19937_64 bits(8);
  std::discrete_distribution<std::int32_t> law(shares.begin(), shares.end());
  data::Corpus texts(false);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int32_t> text(6);
    for (auto& word : text) word = law(bits);
    texts.append(text, i);
  }
  texts.finish();
  const auto plan = plan_of({{"selection", "all"}, {"steps", "60"}, {"batch-size", "1000"}});
  const auto negatives = static_cast<double>(plan.examples.negatives);
  // Expected loss of a pair and its uniform negatives, by biases alone.
  const auto loss = [&](const auto& bias) {
    double sum = 0;
    for (std::int32_t k = 0; k < words; ++k) {
      const double b = bias(k);
      sum += shares[static_cast<std::size_t>(k)] * std::log1p(std::exp(-b)) +
             negatives / words * std::log1p(std::exp(b));
    }
    return sum;
  };
  const double constant = loss([&](std::int32_t) { return -std::log(negatives); });
  const double frequencies = loss([&](std::int32_t k) {
    return std::log(shares[static_cast<std::size_t>(k)] * words / negatives);
  });
  const auto trained = train(texts, plan);
  std::vector<float> room(trained.rows.room_size());
  const double learned = loss(
      [&](std::int32_t k) { return trained.rows.read(plan.shape.context_row(k), room).back(); });
  EXPECT_LT(learned, (constant + frequencies) / 2);
  EXPECT_GT(learned, frequencies);  // which are the least there is
}

TEST(WordTraining, WithoutPrivacyTheUsualSettingsLearn) {
  const auto plan = plan_of({{"epsilon", "inf"}, {"epochs", "3"}});
  EXPECT_GE(plan.steps, 1000);
  EXPECT_EQ(words_of_their_half(train(corpus(3000), plan), plan), words);
}

// Tables of more than 10^8 rows, of which few are chosen: memory is that of the chosen rows and the
// sample. Held in full they would take 18 GB.
TEST(WordTraining, TablesOfAHundredMillionRowsTakeTheMemoryOfChosenRows) {
  const auto hashed = data::Vocabulary::hashed(27);
  const auto plan = plan_words(hashed, "record",
                               word_options({{"epsilon", "8"},
                                             {"delta", "1e-5"},
                                             {"public-row-count", "2000"},
                                             {"dim", "16"},
                                             {"batch-size", "256"},
                                             {"steps", "1000"},
                                             {"max-pairs-per-unit", "4"}}));
  EXPECT_EQ(plan.choice.kind, WordSelection::adafest);
  data::Corpus texts(false);
  std::mt19937_64 bits(5);
  for (int i = 0; i < 2000; ++i) {
    // A few words that all texts have, and others that nobody else has.
    std::vector<std::int32_t> text(8);
    for (std::size_t k = 0; k < text.size(); ++k) {
      text[k] = static_cast<std::int32_t>(k % 2 == 0 ? bits() % 4 : bits() % (1U << 27));
    }
    texts.append(text, i);
  }
  texts.finish();
  random::SeededSource source(3);
  base::ThreadPool pool(1);
  privacy::TrustingBudget budget(plan.guarantee);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  const auto before = test::peak_memory();
  const auto trained = train_words(texts, hashed, plan,
                                   {.source = source, .reservation = reservation, .threads = pool});
  const auto rows = static_cast<std::int64_t>(trained.rows.table().stored_rows().size());
  EXPECT_GE(rows, 8);
  EXPECT_LE(rows, 4000);
  EXPECT_LT(test::peak_memory() - before, (std::int64_t{50} << 20) + rows * 17 * 4 * 13 / 10);
}

// Texts without a pair of words, and samples without a text, are steps like all others: leaving
// out their noise would show that there was nothing.
TEST(WordTraining, ReleasesNoiseWhereThereIsNothing) {
  const auto plan = plan_of({{"selection", "all"}, {"steps", "3"}, {"batch-size", "100"}});
  data::Corpus empty(false);
  empty.append(std::vector<std::int32_t>{}, 0);
  empty.append(std::vector<std::int32_t>{1}, 1);
  empty.finish();
  const auto trained = train(empty, plan);
  EXPECT_EQ(trained.rows.table().stored_rows().size(), 2U * words);
  const auto start = RowOptimizer(
      plan.layout(),
      [start = model::WordStartRows(plan.shape, plan.start)](
          std::int64_t row, std::span<float> out) { start.write(row, out.data()); },
      plan.optimizer);
  EXPECT_NE(bits_of(trained.rows), bits_of(start));
  EXPECT_EQ(trained.receipt.events, plan.events);
  EXPECT_FALSE(trained.receipt.is_protected());  // a known seed
}

TEST(WordTraining, FewRowsAreStoredWhereFewAreChosen) {
  auto options = plan_of({{"selection", "adafest"}, {"threshold", "1e6"}, {"steps", "5"}});
  EXPECT_TRUE(train(corpus(500), options).rows.table().stored_rows().empty());
}

TEST(WordTraining, WithoutPrivacyNothingIsPromised) {
  const auto plan = plan_of({{"epsilon", "inf"}, {"steps", "10"}, {"batch-size", "500"}});
  const auto trained = train(corpus(500), plan);
  EXPECT_FALSE(trained.receipt.is_protected());
}

// What is shown of a run follows from its plan alone: expected pairs, epsilon, and no loss.
TEST(WordTraining, ProgressShowsWhatIsPublic) {
  struct Seen : base::Progress {
    std::vector<std::string> lines;
    void advance(std::string_view phase, std::int64_t done, std::int64_t total) override {
      lines.push_back(std::string(phase) + " " + std::to_string(done) + "/" +
                      std::to_string(total));
    }
  };
  const auto plan = plan_of({{"selection", "all"}, {"steps", "2"}, {"batch-size", "50"}});
  const auto shown = [&](const data::Corpus& texts) {
    random::SeededSource source(3);
    base::ThreadPool pool(1);
    privacy::TrustingBudget budget(plan.guarantee);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    Seen seen;
    (void)train_words(texts, vocabulary(), plan,
                      {.source = source,
                       .reservation = reservation,
                       .threads = pool,
                       .supervision = {.progress = &seen}});
    return seen.lines;
  };
  const auto lines = shown(corpus(100));
  EXPECT_EQ(lines.back(), "training to epsilon 7.997, pairs of words expected 400/400");
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines, shown(corpus(7)));
}

TEST(WordTraining, AWatcherSeesEveryStep) {
  const auto plan = plan_of({{"selection", "all"}, {"steps", "4"}, {"batch-size", "50"}});
  random::SeededSource source(3);
  base::ThreadPool pool(1);
  privacy::TrustingBudget budget(plan.guarantee);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  std::vector<std::int64_t> seen;
  std::vector<std::uint32_t> last;
  const auto trained = train_words(corpus(100), vocabulary(), plan,
                                   {.source = source, .reservation = reservation, .threads = pool},
                                   [&](std::int64_t steps, const RowOptimizer& rows) {
                                     seen.push_back(steps);
                                     last = bits_of(rows);
                                   });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(last, bits_of(trained.rows));
}

}  // namespace word_training_test
}  // namespace tacet::learn
