#include "tacet/accounting/routes/refusal.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::accounting {
namespace refusal_test {

using enum Adjacency;

bool mentions(const std::string& reason, const std::string& part) {
  return reason.find(part) != std::string::npos;
}

TEST(Refusal, NoiseOnSumsIsProvedForAllNeighbours) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    EXPECT_EQ(internal::refusal(Composed{{Gaussian{1}, Repeated{3, Laplace{2}}}}, adjacency), "");
  }
}

TEST(Refusal, AStatementHoldsForItsOwnNeighboursOnly) {
  const Event stated = Repeated{2, Composed{{Gaussian{1}, Zcdp{.1, add_remove}}}};
  EXPECT_EQ(internal::refusal(stated, add_remove), "");
  EXPECT_EQ(internal::refusal(stated, replace_one),
            "zcdp was proved for add_remove neighbours and says nothing under replace_one; state "
            "what is proved for replace_one, or account for add_remove");
  EXPECT_TRUE(mentions(internal::refusal(ShuffledLocal{1, 10}, add_remove), "shuffled_local was"));
}

TEST(Refusal, ASampleNeedsToKnowWhatARecordMoreChanges) {
  EXPECT_EQ(internal::refusal(PoissonSampled{.1, PureDp{1, add_remove}}, replace_one), "");
  EXPECT_TRUE(mentions(internal::refusal(PoissonSampled{.1, PureDp{1, replace_one}}, replace_one),
                       "and pure_dp says nothing about a record more or less"));
  const Event subset = PoissonSampled{.1, Repeated{2, FixedSizeSampled{1, 2, Gaussian{1}}}};
  EXPECT_TRUE(mentions(internal::refusal(subset, zero_out), "and fixed_size_sampled says"));
  // A sample of everything is no sample.
  EXPECT_EQ(internal::refusal(PoissonSampled{1, PureDp{1, replace_one}}, replace_one), "");
}

TEST(Refusal, SubsetsAndBlocksNeedTheRightNeighbours) {
  EXPECT_TRUE(mentions(internal::refusal(FixedSizeSampled{1, 2, Gaussian{1}}, add_remove),
                       "use Poisson sampling or replace_one"));
  EXPECT_EQ(internal::refusal(FixedSizeSampled{1, 2, PureDp{1, replace_one}}, zero_out), "");
  EXPECT_TRUE(
      mentions(internal::refusal(Partitioned{Assignment::by_position, {Gaussian{1}}}, add_remove),
               "form the blocks by record"));
  EXPECT_TRUE(
      mentions(internal::refusal(Partitioned{Assignment::by_record, {Gaussian{1}}}, replace_one),
               "form the blocks by position"));
}

TEST(Refusal, WhatPromisesNothingIsSaidToPromiseNothing) {
  EXPECT_TRUE(mentions(internal::refusal(ApproximateDp{1, 1, add_remove}, add_remove), "delta 1"));
  EXPECT_TRUE(
      mentions(internal::refusal(Profile{{{1, 1}}, add_remove}, add_remove), "no delta below 1"));
}

TEST(Refusal, DeepSelectionsHaveABoundWhereAllIsPure) {
  const auto around = [](Event base) {
    return Event(RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 2, 0, 0, 0, std::move(base)});
  };
  const auto four = [&](const Event& base) { return around(around(around(around(base)))); };
  EXPECT_TRUE(mentions(internal::refusal(four(Gaussian{1}), add_remove), "more than 3 tunings"));
  EXPECT_EQ(internal::refusal(around(around(around(Gaussian{1}))), add_remove), "");
}

}  // namespace refusal_test
}  // namespace tacet::accounting
