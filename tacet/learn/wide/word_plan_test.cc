#include "tacet/learn/wide/word_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/numeric/special.h"

namespace tacet::learn {
namespace word_plan_test {

data::Vocabulary vocabulary(std::int32_t size) {
  std::vector<std::string> words;
  for (std::int32_t k = 0; k < size; ++k) words.push_back("w" + std::to_string(k));
  return data::Vocabulary(std::move(words));
}

WordOptions usual() {
  return word_options(
      {{"epsilon", "2"}, {"delta", "1e-6"}, {"public-row-count", "20000"}, {"dim", "20"}});
}

TEST(WordPlan, KeepsItsEpsilonAndNotMuchLess) {
  for (const auto selection : {WordSelection::all, WordSelection::adafest}) {
    for (const auto adjacency : {privacy::Adjacency::add_remove, privacy::Adjacency::replace_one}) {
      auto options = usual();
      options.selection = selection;
      options.adjacency = adjacency;
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
  EXPECT_NEAR(plan.selection_noise / plan.noise, 1, 1e-12);
}

TEST(WordPlan, ItsReceiptLeadsBackToItsEvents) {
  for (const auto selection : {WordSelection::all, WordSelection::adafest}) {
    auto options = usual();
    options.selection = selection;
    const auto plan = plan_words(vocabulary(300), "author", options);
    auto receipt = receipt_of(plan, plan.unit);
    receipt.events = plan.events;
    const Method* known[] = {&words_method()};
    EXPECT_TRUE(check_receipt(receipt, nullptr, known).faults.empty());
    // One step more than was paid for.
    auto other = plan;
    for (auto& setting : other.settings) {
      if (setting.name == "steps") setting.value = plan.steps + 1;
    }
    auto edited = receipt_of(other, plan.unit);
    edited.events = plan.events;
    EXPECT_FALSE(check_receipt(edited, nullptr, known).faults.empty());
  }
}

TEST(WordPlan, FewWordsCrossTheThresholdByNoiseAlone) {
  const ThresholdFacts facts{.noise = 8, .units = 20000, .words_a_unit = 2, .words = 45892};
  const double threshold = usual_threshold(facts);
  const double by_noise = facts.words * numeric::normal_cdf(-threshold / facts.noise);
  const double expected =
      facts.units * std::sqrt(2.0) / (std::log(facts.words) + .5772) / threshold;
  EXPECT_LE(by_noise, expected / 10 * 1.001);
  // And not many fewer than that.
  const double lower = threshold - .05 * facts.noise;
  EXPECT_GT(facts.words * numeric::normal_cdf(-lower / facts.noise),
            facts.units * std::sqrt(2.0) / (std::log(facts.words) + .5772) / lower / 10 * .999);
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
  EXPECT_THROW(
      static_cast<void>(plan_words(vocabulary(10), "record", word_options({{"epsilon", "1"}}))),
      base::UsageError);
}

}  // namespace word_plan_test
}  // namespace tacet::learn
