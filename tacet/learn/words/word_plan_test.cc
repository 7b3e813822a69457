#include "tacet/learn/words/word_plan.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/learn/words/word_selection.h"

namespace tacet::learn {
namespace word_plan_test {

using privacy::Adjacency;

data::Vocabulary vocabulary(std::int32_t size) {
  std::vector<std::string> words;
  for (std::int32_t k = 0; k < size; ++k) words.push_back("w" + std::to_string(k));
  return data::Vocabulary(std::move(words));
}

WordOptions usual() {
  return word_options(
      {{"epsilon", "2"}, {"delta", "1e-6"}, {"public-row-count", "20000"}, {"dim", "20"}});
}

constexpr std::array every_selection{
    WordSelection::all,           WordSelection::adafest,     WordSelection::adafest_plus,
    WordSelection::fest,          WordSelection::exponential, WordSelection::permute_and_flip,
    WordSelection::sparse_vector, WordSelection::uniform,     WordSelection::fixed};

TEST(WordPlan, KeepsItsEpsilonAndNotMuchLess) {
  for (const auto selection : every_selection) {
    for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
      auto options = usual();
      options.selection = selection;
      options.adjacency = adjacency;
      if (selection == WordSelection::fixed) options.selected = 30;
      const bool draws = selection == WordSelection::exponential ||
                         selection == WordSelection::permute_and_flip ||
                         selection == WordSelection::sparse_vector;
      if (draws && adjacency == Adjacency::replace_one) {
        // A Poisson sample of scores that a replaced record moves: nothing is proved.
        EXPECT_THROW((void)plan_words(vocabulary(300), "record", options), base::GuaranteeError);
        continue;
      }
      const auto plan = plan_words(vocabulary(300), "record", options);
      const double epsilon =
          accounting::epsilon(plan.events, adjacency, privacy::Delta(plan.guarantee.delta));
      EXPECT_LE(epsilon, 2);
      EXPECT_GE(epsilon, 1.98);
      EXPECT_EQ(plan.guarantee.epsilon <= 2, true);
    }
  }
}

// Two debits of one sample would be those of two samples, which cost less than the truth.
TEST(WordPlan, ChoiceAndSumAreOneDebitOfOneSample) {
  auto options = usual();
  options.selection = WordSelection::adafest;
  options.selection_share = 0.5;
  const auto plan = plan_words(vocabulary(300), "record", options);
  const auto* steps = plan.events.as<privacy::Repeated>();
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ(steps->count, plan.steps);
  const auto* sampled = steps->base->as<privacy::PoissonSampled>();
  ASSERT_NE(sampled, nullptr);
  const auto* both = sampled->base->as<privacy::Composed>();
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->parts.size(), 2U);
  EXPECT_NEAR(plan.choice.noise / plan.noise, 1, 1e-12);
}

TEST(WordPlan, ItsReceiptLeadsBackToItsEvents) {
  for (const auto selection : every_selection) {
    auto options = usual();
    options.selection = selection;
    if (selection == WordSelection::fixed) options.selected = 30;
    const auto plan = plan_words(vocabulary(300), "author", options);
    auto receipt = receipt_of(plan);
    receipt.events = plan.events;
    const Method* known[] = {&words_method()};
    EXPECT_TRUE(check_receipt(receipt, nullptr, known).faults.empty());
    // One step more than was paid for.
    auto other = plan;
    for (auto& setting : other.settings) {
      if (setting.name == "steps") setting.value = plan.steps + 1;
    }
    auto edited = receipt_of(other);
    edited.events = plan.events;
    EXPECT_FALSE(check_receipt(edited, nullptr, known).faults.empty());
  }
}

// Coordinates, contexts by the window, and draws instead of a threshold before training.
TEST(WordPlan, ReceiptsOfOtherFormsLeadBackToo) {
  const std::vector<OptionValues> forms{
      {{"selection", "exponential"}, {"granularity", "coordinate"}, {"model", "cbow"}},
      {{"selection", "exponential"}, {"tables", "1"}, {"selection-epsilon", "0.5"}},
      {{"selection", "sparse_vector"}, {"second-clip", "none"}},
      {{"selection", "fest"}, {"selected", "20"}},
      {{"selection", "adafest_plus"}, {"selected", "20"}},
      {{"selection", "uniform"}, {"second-clip", "aggregate"}, {"aggregate-norm", "2"}}};
  for (const auto& form : forms) {
    OptionValues values{{"epsilon", "2"}, {"public-row-count", "20000"}, {"dim", "20"}};
    for (const auto& [name, value] : form) values[name] = value;
    const auto plan = plan_words(vocabulary(300), "record", word_options(values));
    auto receipt = receipt_of(plan);
    receipt.events = plan.events;
    const Method* known[] = {&words_method()};
    EXPECT_TRUE(check_receipt(receipt, nullptr, known).faults.empty());
    EXPECT_LE(plan.guarantee.epsilon, 2);
  }
}

// Table 1 of Zhang, Mironov and Hejazinia (2021): 20 of 200,000 records a step, 20 epochs, noise
// .5, clipped to 15 and then to 20 (1 for the mean), k = 100 of 100,000 numbers at epsilon'' .2838
// and scores up to .1 of the mean; a claim of 30 where 3.524 is proved.
TEST(WordPlan, ThePapersSettingsCostWhatIsProved) {
  auto plan = plan_words(vocabulary(1000), "pair",
                         word_options({{"epsilon", "3.6"},
                                       {"delta", "1e-5"},
                                       {"public-row-count", "200000"},
                                       {"batch-size", "20"},
                                       {"epochs", "20"},
                                       {"model", "pairs"},
                                       {"negatives", "8"},
                                       {"tables", "1"},
                                       {"selection", "exponential"},
                                       {"granularity", "coordinate"},
                                       {"selected", "100"},
                                       {"score-bound", "2"},
                                       {"clipping-norm", "15"},
                                       {"selection-epsilon", "0.28378695367276213"},
                                       {"second-clip", "aggregate"},
                                       {"aggregate-norm", "20"}}));
  EXPECT_EQ(plan.steps, 200000);
  plan.noise = 0.5;
  const auto parts = step_parts(plan);
  const auto* draws = parts[0].as<privacy::Repeated>();
  ASSERT_NE(draws, nullptr);
  EXPECT_EQ(draws->count, 100);
  ASSERT_NE(draws->base->as<privacy::ScoreSelection>(), nullptr);
  EXPECT_EQ(draws->base->as<privacy::ScoreSelection>()->support, 1000);
  EXPECT_NEAR(
      accounting::epsilon_interval(releases(plan), Adjacency::add_remove, privacy::Delta(1e-5))
          .upper,
      3.5243, 1e-3);
}

WordOptions finding_words(const OptionValues& more = {}) {
  OptionValues values{{"epsilon", "2"},
                      {"delta", "1e-6"},
                      {"public-row-count", "20000"},
                      {"dim", "20"},
                      {"select-vocabulary", "300"}};
  for (const auto& [name, value] : more) values[name] = value;
  return word_options(values);
}

// Finding the words costs its part, all of it together what was asked for, and however few words
// are found what is released stays what was booked.
TEST(WordPlan, FindingWordsIsPartOfEpsilon) {
  for (const auto& more : {OptionValues{},
                           {{"selection", "adafest"}, {"max-words-per-unit", "100"}},
                           {{"adjacency", "replace_one"}, {"vocabulary-epsilon", "1.5"}}}) {
    const auto options = finding_words(more);
    const auto plan = plan_words(words_to_be_found(options), "record", options);
    const auto epsilon = [&](const privacy::Event& event, double delta) {
      return accounting::epsilon(event, options.adjacency, privacy::Delta(delta));
    };
    const double spent = epsilon(plan.events, plan.guarantee.delta);
    EXPECT_LE(spent, 2);
    EXPECT_GE(spent, 1.97);
    const double part = options.vocabulary_epsilon.value_or(0.5);
    const auto finding =
        mechanism::partition_selection_event(plan.vocabulary->rule(), options.adjacency);
    const double of_finding = epsilon(finding, plan.guarantee.delta / 2);
    EXPECT_LE(of_finding, part);
    EXPECT_GE(of_finding, part * 0.99);

    const auto fewer = with_words(plan, vocabulary(17), options);
    EXPECT_EQ(fewer.shape.words, 17);
    EXPECT_EQ(releases(fewer), plan.events);
    EXPECT_EQ(fewer.reasons.size(), plan.reasons.size());
    auto receipt = receipt_of(fewer);
    receipt.events = plan.events;
    const Method* known[] = {&words_method()};
    EXPECT_TRUE(check_receipt(receipt, nullptr, known).faults.empty());
    // More words than were to be found at most.
    auto edited = receipt_of(with_words(plan, vocabulary(301), options));
    edited.events = plan.events;
    EXPECT_FALSE(check_receipt(edited, nullptr, known).faults.empty());
  }
}

TEST(WordPlan, WordsToBeFoundRefuseWhatCountsOnThem) {
  const auto refused = [](const OptionValues& more) {
    const auto options = finding_words(more);
    EXPECT_THROW((void)plan_words(words_to_be_found(options), "record", options), base::UsageError);
  };
  refused({{"vocabulary-epsilon", "2"}});
  refused({{"selection", "exponential"}});
  refused({{"selection", "uniform"}});
  refused({{"selection", "fest"}, {"selected", "20"}});
  refused({{"selection", "fixed"}, {"selected", "20"}});
  EXPECT_THROW((void)finding_words({{"select-vocabulary", "1"}}), base::UsageError);
  auto given = usual();
  given.max_words_per_unit = 8;
  EXPECT_THROW((void)plan_words(vocabulary(10), "record", given), base::UsageError);
}

TEST(WordPlan, RefusesWhatMakesNoSenseBeforeAnythingIsRead) {
  const auto refused = [](const OptionValues& more, const data::Vocabulary& words) {
    OptionValues values{{"epsilon", "1"}, {"public-row-count", "1000"}};
    for (const auto& [name, value] : more) values[name] = value;
    EXPECT_THROW(static_cast<void>(plan_words(words, "record", word_options(values))), base::Error);
  };
  refused({{"dim", "0"}}, vocabulary(10));
  refused({{"dim", "4097"}}, vocabulary(10));
  refused({{"window", "0"}}, vocabulary(10));
  refused({{"negatives", "0"}}, vocabulary(10));
  refused({{"epsilon", "0"}}, vocabulary(10));
  refused({{"epsilon", "nan"}}, vocabulary(10));
  refused({{"delta", "0"}}, vocabulary(10));
  refused({{"batch-size", "1001"}}, vocabulary(10));
  refused({{"steps", "5"}, {"epochs", "2"}}, vocabulary(10));
  refused({{"tables", "1"}, {"vocabulary-order", "frequency"}}, vocabulary(10));
  refused({{"selection", "all"}, {"threshold", "5"}}, vocabulary(10));
  refused({{"selection", "all"}, {"dim", "4096"}}, data::Vocabulary::hashed(20));
  refused({}, vocabulary(1));
  refused({{"selection", "fixed"}}, vocabulary(10));
  refused({{"selection", "fixed"}, {"selected", "11"}}, vocabulary(10));
  refused({{"selection", "exponential"}, {"selected", "21"}}, vocabulary(10));
  refused({{"selection", "uniform"}, {"selection-share", "0.5"}}, vocabulary(10));
  refused({{"selection", "adafest"}, {"granularity", "coordinate"}}, vocabulary(10));
  refused({{"selection", "fest"}, {"selected", "3"}, {"threshold", "5"}}, vocabulary(10));
  refused({{"second-clip", "aggregate"}}, vocabulary(10));
  refused({{"aggregate-norm", "2"}}, vocabulary(10));
  refused({{"selection", "exponential"}, {"max-pairs-per-unit", "100000"}}, vocabulary(1000000));
  refused({{"selection", "adafest"}, {"optimizer", "momentum"}}, vocabulary(10));
  refused({{"selection", "uniform"}, {"optimizer", "adam_dense_zero"}}, vocabulary(10));
  EXPECT_THROW(
      static_cast<void>(plan_words(vocabulary(10), "record", word_options({{"epsilon", "1"}}))),
      base::UsageError);
}

}  // namespace word_plan_test
}  // namespace tacet::learn
