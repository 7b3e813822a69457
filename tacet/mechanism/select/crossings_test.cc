#include "tacet/mechanism/select/crossings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace crossings_test {

using privacy::Adjacency;
using privacy::NoiseMultiplier;
using privacy::Sample;
using privacy::SamplingRate;
using privacy::SparseBoundedSum;
using test::Spender;

TEST(Crossings, FollowTheLawOfNoiseOnEveryCoordinate) {
  constexpr int draws = 10000;
  constexpr std::int64_t threshold = 3;
  const auto adjacency = Adjacency::add_remove;
  const std::vector<std::int64_t> values{0, 5, 0, -2};
  Spender spender(3, privacy::Gaussian{1.5}, adjacency, draws);
  std::vector<std::int64_t> seen(16);
  for (int i = 0; i < draws; ++i) {
    const auto sum =
        SparseBoundedSum::from_certified(privacy::Certifier::clipped(), 4, {{1, 5}, {3, -2}}, 4);
    std::size_t set = 0;
    const auto released = release_crossings(sum, NoiseMultiplier(1.5), threshold,
                                            {spender.next(), spender.source, spender.reservation});
    for (const auto index : released.value()) {
      set |= std::size_t{1} << index;
    }
    ++seen[set];
  }
  std::vector<double> expected;
  for (std::size_t set = 0; set < 16; ++set) {
    double p = draws;
    for (std::size_t j = 0; j < 4; ++j) {
      const double boundary = static_cast<double>(threshold - values[j]) - 0.5;
      const double hit = std::erfc(boundary / 6 / std::numbers::sqrt2) / 2;
      p *= ((set >> j) & 1) != 0 ? hit : 1 - hit;
    }
    expected.push_back(p);
  }
  EXPECT_GT(test::chi_square_p_value(seen, expected), test::false_alarm_rate);
}

TEST(Crossings, CostTheGaussianNoiseOfTheWholeSum) {
  const auto adjacency = Adjacency::add_remove;
  const privacy::Event noise = privacy::Gaussian{2.0};
  const privacy::Event sampled = privacy::PoissonSampled{0.25, noise};
  Spender spender(3, sampled, adjacency, 1);
  const auto sum =
      SparseBoundedSum::from_certified(privacy::Certifier::clipped(), 1'000'000'000, {{5, 1 << 20}},
                                       1024, Sample::poisson(SamplingRate(0.25)));
  const auto released = release_crossings(sum, NoiseMultiplier(2), 100'000,
                                          {spender.next(), spender.source, spender.reservation});
  EXPECT_EQ(released.event(), sampled);
  EXPECT_EQ(released.value(), (std::vector<std::int64_t>{5}));
  EXPECT_THROW((void)release_crossings(sum, NoiseMultiplier(2), 100'000,
                                       {spender.next(), spender.source, spender.reservation}),
               base::BudgetError);
}

TEST(Crossings, RefuseSumsThatAreNone) {
  const auto make = [](std::int64_t size, std::vector<random::ScoredCandidate> touched,
                       std::int64_t bound) {
    static_cast<void>(SparseBoundedSum::from_certified(privacy::Certifier::clipped(), size,
                                                       std::move(touched), bound));
  };
  EXPECT_THROW(make(-1, {}, 1), base::UsageError);
  EXPECT_THROW(make(3, {{3, 1}}, 1), base::UsageError);
  EXPECT_THROW(make(3, {{1, 1}, {1, 1}}, 1), base::UsageError);
  EXPECT_THROW(make(3, {{1, (std::int64_t{1} << 60) + 1}}, 1), base::UsageError);
  EXPECT_THROW(make(3, {}, 0), base::UsageError);
}

}  // namespace crossings_test
}  // namespace tacet::mechanism
