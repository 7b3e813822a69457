#include "tacet/learn/words/word_claim.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/learn/words/word_selection.h"

namespace tacet::learn {
namespace word_claim_test {

data::Vocabulary vocabulary() {
  std::vector<std::string> words;
  for (std::int32_t k = 0; k < 1000; ++k) words.push_back("w" + std::to_string(k));
  return data::Vocabulary(std::move(words));
}

/// Table 1 of the paper, but that its noise follows from Theorem 3 alone.
WordPlan table_1(const OptionValues& more) {
  OptionValues values{{"epsilon", "30"},       {"delta", "1e-5"}, {"public-row-count", "200000"},
                      {"batch-size", "20"},    {"epochs", "20"},  {"model", "pairs"},
                      {"negatives", "8"},      {"tables", "1"},   {"clipping-norm", "15"},
                      {"calibration", "paper"}};
  for (const auto& [name, value] : more) values[name] = value;
  if (more.contains("steps")) values.erase("epochs");
  return plan_words(vocabulary(), "record", word_options(values));
}

void expect_way_back(const WordPlan& plan) {
  auto receipt = receipt_of(plan);
  receipt.events = plan.events;
  EXPECT_EQ(receipt.calibration, "zhang2021");
  const Method* known[] = {&words_method()};
  EXPECT_TRUE(check_receipt(receipt, nullptr, known).faults.empty());
}

TEST(WordClaim, Theorem3ClaimsFarMoreThanIsProved) {
  const auto plan = table_1({{"selection", "exponential"},
                             {"granularity", "coordinate"},
                             {"selected", "100"},
                             {"score-bound", "2"}});
  EXPECT_NEAR(plan.choice.epsilon, 0.28378695367276213, 1e-12);
  EXPECT_EQ(plan.choice.count, 101);  // its loop draws one more
  // 14.19 of epsilon at noise .5: 20 of it at .355.
  EXPECT_NEAR(plan.noise, 0.5 * 14.193673729424598 / 20, 1e-9);
  ASSERT_TRUE(plan.claim);
  EXPECT_EQ(plan.claim->epsilon, 30);
  EXPECT_LT(plan.guarantee.epsilon, 20);
  EXPECT_GT(plan.guarantee.epsilon, 3.6);
  expect_way_back(plan);
}

TEST(WordClaim, SparseVectorHasTheScalesOfLemma4) {
  const auto plan = table_1({{"selection", "sparse_vector"},
                             {"granularity", "coordinate"},
                             {"selected", "100"},
                             {"score-bound", "2"}});
  EXPECT_EQ(plan.choice.threshold_share, 0.5);
  EXPECT_LT(plan.guarantee.epsilon, 30);
  expect_way_back(plan);
}

// One step: whether a record is in the sample at all is more than delta, and the noise is too small
// to hide it.
TEST(WordClaim, WhereTheNoiseIsNotEnoughTheProvedOneStandsInItsPlace) {
  const auto plan = table_1({{"selection", "all"}, {"steps", "1"}, {"epsilon", "0.05"}});
  EXPECT_LE(accounting::epsilon(plan.events, privacy::Adjacency::add_remove,
                                privacy::Delta(plan.guarantee.delta)),
            0.05);
  EXPECT_LE(plan.guarantee.epsilon, plan.claim->epsilon);
  expect_way_back(plan);
}

TEST(WordClaim, IsForThePapersChoicesAlone) {
  EXPECT_THROW((void)table_1({{"selection", "adafest"}}), base::UsageError);
  EXPECT_THROW((void)table_1({{"selection", "exponential"}, {"selection-epsilon", "0.1"}}),
               base::UsageError);
  EXPECT_THROW((void)table_1({{"calibration", "wang2021"}}), base::UsageError);
}

}  // namespace word_claim_test
}  // namespace tacet::learn
