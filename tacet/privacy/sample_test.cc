#include "tacet/privacy/sample.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace sample_test {

TEST(Sample, CanBeClaimedOnce) {
  for (const auto& sample : {Sample::poisson(SamplingRate(0.5)), Sample::fixed_size({3, 10})}) {
    const Sample copy = sample;  // a copy is the same sample
    EXPECT_NO_THROW(sample.claim());
    EXPECT_THROW(copy.claim(), base::InternalError);
  }
}

TEST(Sample, OfAllRecordsIsNoSecretAndClaimsNothing) {
  const auto all = Sample::all();
  EXPECT_TRUE(all.is_all());
  EXPECT_NO_THROW(all.claim());
  EXPECT_NO_THROW(all.claim());
  EXPECT_EQ(all.event(Gaussian{2}), Event(Gaussian{2}));
  EXPECT_TRUE(Sample::poisson(SamplingRate(1)).is_all());
}

TEST(Sample, TwoDrawnAlikeAreNotTheSame) {
  const auto one = Sample::poisson(SamplingRate(0.5));
  EXPECT_EQ(one, Sample(one));
  EXPECT_FALSE(one == Sample::poisson(SamplingRate(0.5)));
}

TEST(Sample, CostsWhatItWasDrawnBy) {
  EXPECT_EQ(Sample::poisson(SamplingRate(0.25), 3).event(Gaussian{2}),
            Event(PoissonSampled{0.25, Gaussian{2}, 3}));
  EXPECT_EQ(Sample::fixed_size({3, 10}).event(Gaussian{2}),
            Event(FixedSizeSampled{3, 10, Gaussian{2}}));
}

TEST(Sample, RefusesWhatCannotBeDrawn) {
  const SamplingRate half(0.5);
  EXPECT_THROW(static_cast<void>(Sample::poisson(half, 0)), base::UsageError);
  EXPECT_THROW(static_cast<void>(Sample::poisson(half, records_per_unit_limit + 1)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(Sample::fixed_size({-1, 10})), base::UsageError);
  EXPECT_THROW(static_cast<void>(Sample::fixed_size({11, 10})), base::UsageError);
}

TEST(DrawnSample, HasTheRowsOfItsSampler) {
  random::SeededSource source(3);
  const auto rate = random::PoissonRate::at_least(0.3);
  const auto poisson =
      DrawnSample::poisson(source.claim(random::Purpose::sampling, 0, 0), rate, 100, 2);
  random::SeededSource again(3);
  const auto rows = random::poisson_sample(again.claim(random::Purpose::sampling, 0, 0), rate, 100);
  EXPECT_EQ(std::vector<std::int64_t>(poisson.rows().begin(), poisson.rows().end()), rows);
  // The rate that was drawn with, which may lie above the one asked for, is the one that counts.
  EXPECT_EQ(poisson.sample().rate()->value(), rate.value());
  EXPECT_EQ(poisson.sample().max_records_per_unit(), 2);
  EXPECT_EQ(poisson.population(), 100);

  const auto fixed =
      DrawnSample::fixed_size(source.claim(random::Purpose::sampling, 1, 0), {7, 100});
  EXPECT_EQ(fixed.rows().size(), 7U);
  EXPECT_EQ(fixed.sample().fixed()->sample, 7);
  EXPECT_EQ(fixed.sample().fixed()->population, 100);
}

}  // namespace sample_test
}  // namespace tacet::privacy
