#include "tacet/accounting/routes/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacet::accounting {
namespace sampling_test {

using enum Adjacency;

TEST(Sampling, AmplifiedLossesAreNeverBelowTheFormulaAndNeverAboveTheLoss) {
  for (const double rate : {0.0, 1e-9, .01, .5, 1.0}) {
    for (const double loss : {0.0, 1e-12, .1, 3.0, 50.0}) {
      const double exact = std::log1p(rate * std::expm1(loss));
      EXPECT_GE(internal::amplified(rate, loss), exact * (1 - 1e-15));
      EXPECT_LE(internal::amplified(rate, loss), std::min(loss, exact * (1 + 1e-13) + 1e-300));
    }
  }
  EXPECT_GT(internal::amplified(1e-200, 1e-200), 0);  // never nothing
  EXPECT_EQ(internal::amplified(.1, 800), 800);
}

TEST(Sampling, ReplacedRecordsOfASampleAreToldApartByBothLosses) {
  const double rate = .25;
  const double loss = 1.5;
  const double exact =
      std::log((1 - rate + rate * std::exp(loss)) / (1 - rate + rate * std::exp(-loss)));
  EXPECT_NEAR(internal::amplified_replaced(rate, loss), exact, 1e-13);
  EXPECT_GE(internal::amplified_replaced(rate, loss), exact * (1 - 1e-15));
  EXPECT_EQ(internal::amplified_replaced(rate, 0), 0);
}

TEST(Sampling, AUnitJoinsWithTheProbabilityThatAnyOfItsRecordsDoes) {
  EXPECT_EQ(internal::unit_rate({.25, Gaussian{1}}), .25);
  EXPECT_NEAR(internal::unit_rate({.25, Gaussian{1}, 3}), 1 - .75 * .75 * .75, 1e-14);
  EXPECT_GE(internal::unit_rate({1e-300, Gaussian{1}, 2}), 1e-300);
  EXPECT_EQ(internal::unit_rate({1, Gaussian{1}, 5}), 1);
}

TEST(Sampling, ParticipationCountsEveryDrawAndNoBlock) {
  const Event rare = PoissonSampled{1e-3, Gaussian{1}};
  EXPECT_EQ(internal::participation(Gaussian{1}), 1);
  EXPECT_NEAR(internal::participation(Repeated{10, rare}), 1e-2, 1e-15);
  EXPECT_NEAR(internal::participation(Composed{{rare, FixedSizeSampled{1, 100, rare}}}), 1.01e-3,
              1e-15);
  EXPECT_EQ(internal::participation(Partitioned{Assignment::by_record, {rare}}), 1);
  EXPECT_EQ(internal::participation(no_event()), 0);
}

TEST(Sampling, NeighboursOfASampleAreReplacedWhereTheyOrTheStatementSaySo) {
  const PoissonSampled noise{.1, Gaussian{1}};
  const PoissonSampled stated{.1, Repeated{2, PureDp{1, add_remove}}};
  EXPECT_TRUE(internal::is_replaced(noise, replace_one));
  EXPECT_FALSE(internal::is_replaced(noise, zero_out));
  EXPECT_TRUE(internal::is_replaced(stated, zero_out));
  EXPECT_FALSE(internal::is_replaced(stated, add_remove));
}

TEST(Sampling, BlocksAreParallelWhereNobodyElseMoves) {
  const Partitioned by_record{Assignment::by_record, {Gaussian{1}}};
  const Partitioned by_position{Assignment::by_position, {Gaussian{1}}};
  EXPECT_TRUE(internal::blocks_are_parallel(by_record, add_remove));
  EXPECT_FALSE(internal::blocks_are_parallel(by_record, replace_one));
  EXPECT_FALSE(internal::blocks_are_parallel(by_position, add_remove));
  EXPECT_TRUE(internal::blocks_are_parallel(by_position, replace_one));
  EXPECT_TRUE(internal::blocks_are_parallel(by_position, zero_out));
}

TEST(Sampling, WithoutItEveryReleaseReadsAllRecords) {
  const Event sampled = Repeated{3, Composed{{PoissonSampled{.1, Gaussian{1}}, Laplace{2}}}};
  EXPECT_EQ(internal::without_sampling(sampled),
            Event(Repeated{3, Composed{{Gaussian{1}, Laplace{2}}}}));
}

}  // namespace sampling_test
}  // namespace tacet::accounting
