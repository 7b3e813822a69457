#include "tacet/random/choose/subset.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::random {
namespace subset_test {

TEST(PoissonRate, RoundsUpToAMultipleOfTwoToTheMinus64) {
  EXPECT_EQ(PoissonRate::at_least(0.5).numerator(), std::uint64_t{1} << 63);
  EXPECT_EQ(PoissonRate::at_least(1e-30).numerator(), 1U);
  EXPECT_EQ(PoissonRate::at_least(1e-30).value(), 0x1p-64);
  EXPECT_EQ(PoissonRate::at_least(0x1.8p-64).numerator(), 2U);
  EXPECT_EQ(PoissonRate::at_least(0).numerator(), 0U);
  for (const double rate : {1e-3, 0.1, 1e-17, 0.999}) {
    EXPECT_GE(PoissonRate::at_least(rate).value(), rate);
    EXPECT_LT(PoissonRate::at_least(rate).value() - rate, 0x1p-64);
  }
}

// A rate of 1 does not fit 64 bits: wrapped to 0 it would sample nobody.
TEST(PoissonRate, OneMeansEverybody) {
  EXPECT_TRUE(PoissonRate::at_least(1).always());
  EXPECT_EQ(PoissonRate::at_least(1).value(), 1.0);
  SeededSource source(1);
  EXPECT_EQ(poisson_sample(source.claim(Purpose::sampling, 0, 0), PoissonRate::at_least(1), 5),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(PoissonRate, RefusesWhatIsNoProbability) {
  for (const double rate : {-1e-9, 1.0000001, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(PoissonRate::at_least(rate)), base::UsageError);
  }
}

/// The sample as the header describes it, one record after the other, and how many words it took.
struct ReferenceSample {
  std::vector<std::int64_t> records;
  std::int64_t words = 0;
};
ReferenceSample reference_sample(const KeystreamBlock& block, std::uint64_t rate,
                                 std::int64_t count) {
  ReferenceSample result;
  for (std::int64_t chunk = 0; chunk < count / 4096; ++chunk) {
    std::vector<std::uint64_t> words(4096);
    block.words(static_cast<std::uint64_t>(4096 * chunk), words);
    std::vector<std::size_t> open(4096);
    std::iota(open.begin(), open.end(), std::size_t{0});
    std::vector<std::size_t> members;
    std::size_t begin = 0;
    for (int k = 0; k < 64 && !open.empty(); ++k) {
      const std::uint64_t wanted = (rate >> (63 - k)) & 1;
      std::vector<std::size_t> still;
      for (std::size_t r = 0; r < open.size(); ++r) {
        // Six bits each record has at its own place, the later ones at its rank among the open.
        const std::size_t place = k < 6 ? open[r] : r;
        const std::uint64_t bit = (words[begin + place / 64] >> (place % 64)) & 1;
        if (bit == wanted) still.push_back(open[r]);
        if (bit < wanted) members.push_back(open[r]);
      }
      begin += k < 6 ? 64 : (open.size() + 63) / 64;
      open = std::move(still);
    }
    result.words += static_cast<std::int64_t>(begin);
    std::sort(members.begin(), members.end());
    for (const auto i : members) {
      result.records.push_back(4096 * chunk + static_cast<std::int64_t>(i));
    }
  }
  return result;
}

TEST(PoissonSample, AgreesWithComparingEachRecordsBitsWithTheRate) {
  constexpr std::int64_t records = 25 * 4096;
  for (const double asked : {0.3, 0x1p-4, 0x1.000001p-4, 0.75, 2e-3, 0x1.fffffffffffffp-1}) {
    SeededSource source(4);
    const auto rate = PoissonRate::at_least(asked);
    const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
    const auto expected = reference_sample(block, rate.numerator(), records);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_EQ(poisson_sample(block, rate, 0, records), expected.records)
          << asked << " on " << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    // A U of all ones agrees with the last rate for 53 bits: the tail is long there and nowhere
    // else.
    EXPECT_NEAR(static_cast<double>(expected.words) * 64 / static_cast<double>(records), 6.15, 0.06)
        << asked;
  }
}

TEST(PoissonSample, PiecesOfTheRecordsGiveTheSameSample) {
  SeededSource source(4);
  const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
  const auto rate = PoissonRate::at_least(0.01);
  const auto whole = poisson_sample(block, rate, 0, 20000);
  std::vector<std::int64_t> pieces;
  for (const auto& [first, count] :
       {std::pair{0, 1}, {1, 4095}, {4096, 63}, {4159, 0}, {4159, 10000}, {14159, 5841}}) {
    const auto piece = poisson_sample(block, rate, first, count);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(pieces, whole);
}

// Rare members are found by the gaps between them: each gap by the word of its place, to exact
// arithmetic, whatever piece of the records is asked for.
TEST(PoissonSample, GapsOfRareMembersAreThoseOfExactArithmetic) {
  constexpr std::int64_t stretch = std::int64_t{1} << 18;
  for (const double asked : {1e-4, 0x1.fffp-11, 3e-6}) {
    SeededSource source(4);
    SeededSource again(4);
    const auto rate = PoissonRate::at_least(asked);
    const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
    const auto sample = poisson_sample(block, rate, 0, 2 * stretch);
    const KeystreamBlock words(again.claim(Purpose::sampling, 0, 0));
    std::uint64_t next = 0;
    std::int64_t at = 0;
    for (const auto record : sample) {
      if (record >= stretch && at < stretch) {
        next = stretch;
        at = stretch;
      }
      // U < (1 - q)^k holds for the gap and no longer for one more.
      std::uint64_t word = 0;
      words.words(next++, {&word, 1});
      const auto power = [&](std::int64_t k) {
        return std::exp(static_cast<double>(k) * std::log1p(-rate.value()));
      };
      const double u = std::ldexp(static_cast<double>(word), -64);
      EXPECT_LE(u, power(record - at) * (1 + 1e-12));
      EXPECT_GE(u, power(record - at + 1) * (1 - 1e-12));
      at = record + 1;
    }
    std::vector<std::int64_t> pieces;
    for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>{0, 70000},
                                       {70000, stretch - 5},
                                       {70000 + stretch - 5, stretch - 70000 + 5}}) {
      const auto piece = poisson_sample(block, rate, first, count);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(pieces, sample);
  }
}

// The number of rare members, and of members among the last records of a stretch, is binomial.
TEST(PoissonSample, RareMembersAreBinomial) {
  constexpr int steps = 4000;
  constexpr std::int64_t records = (std::int64_t{1} << 18) + 1000;
  constexpr double q = 1e-4;
  SeededSource source(6);
  double total = 0;
  double square = 0;
  double last = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto sample =
        poisson_sample(source.claim(Purpose::sampling, step, 0), PoissonRate::at_least(q), records);
    const auto size = static_cast<double>(sample.size());
    total += size;
    square += (size - records * q) * (size - records * q);
    for (const auto record : sample) last += record >= records - 2000 ? 1 : 0;
  }
  const double mean = records * q;
  EXPECT_GT(test::normal_p_value((total - steps * mean) / std::sqrt(steps * mean)), 1e-9);
  // The variance of a squared standard deviation is about 2 mean^2.
  EXPECT_GT(test::normal_p_value((square - steps * mean * (1 - q)) /
                                 (mean * std::sqrt((2 + 1 / mean) * steps))),
            1e-9);
  EXPECT_GT(test::normal_p_value((last - steps * 2000 * q) / std::sqrt(steps * 2000 * q)), 1e-9);
}

TEST(PoissonSample, InclusionsAreBinomialAndIndependent) {
  // For every record the number of inclusions in T steps is Bin(T, q); so is the number of steps
  // that hold two given neighbours, with q^2.
  constexpr int steps = 400;
  constexpr std::int64_t records = 1000;
  constexpr double q = 0.1;
  SeededSource source(6);
  std::vector<double> singles(records);
  double pairs = 0;
  double total = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto sample =
        poisson_sample(source.claim(Purpose::sampling, step, 0), PoissonRate::at_least(q), records);
    total += static_cast<double>(sample.size());
    for (std::size_t i = 0; i < sample.size(); ++i) {
      singles[static_cast<std::size_t>(sample[i])] += 1;
      pairs += i > 0 && sample[i] == sample[i - 1] + 1 ? 1 : 0;
    }
  }
  double chi = 0;
  for (const double count : singles) {
    chi += (count - steps * q) * (count - steps * q) / (steps * q * (1 - q));
  }
  EXPECT_GT(test::normal_p_value((chi - records) / std::sqrt(2.0 * records)), 1e-7);
  const double n = steps * static_cast<double>(records);
  EXPECT_GT(test::normal_p_value((total - n * q) / std::sqrt(n * q * (1 - q))), 1e-9);
  const double pair_mean = steps * (records - 1) * q * q;
  // Overlapping pairs are weakly correlated: twice the variance of independent ones is a bound.
  EXPECT_GT(test::normal_p_value((pairs - pair_mean) / std::sqrt(2 * pair_mean)), 1e-9);
}

TEST(PoissonSample, KnowsItsEdges) {
  SeededSource source(1);
  const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
  EXPECT_TRUE(poisson_sample(block, PoissonRate::at_least(0), 0, 5000).empty());
  EXPECT_TRUE(poisson_sample(block, PoissonRate::at_least(0.5), 0, 0).empty());
  EXPECT_TRUE(poisson_sample(block, PoissonRate::at_least(0x1p-64), 0, 5000).empty());
  EXPECT_THROW(static_cast<void>(poisson_sample(block, PoissonRate::at_least(0.5), -1, 5)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(poisson_sample(block, PoissonRate::at_least(0.5), 5, -1)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(
                   poisson_sample(block, PoissonRate::at_least(0.5), 1, std::int64_t{1} << 33)),
               base::UsageError);
}

TEST(UniformSubset, EverySubsetIsEquallyLikely) {
  constexpr int draws = 20000;
  SeededSource source(2);
  std::map<std::vector<std::int64_t>, std::int64_t> counts;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const auto subset = uniform_subset(source.claim(Purpose::sampling, 0, i), 3, 6);
    EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    ++counts[subset];
  }
  ASSERT_EQ(counts.size(), 20U);
  std::vector<std::int64_t> observed;
  for (const auto& [subset, count] : counts) observed.push_back(count);
  EXPECT_GT(test::chi_square_p_value(observed, std::vector<double>(20, draws / 20.0)),
            test::false_alarm_rate);
}

TEST(UniformSubset, KnowsItsEdges) {
  SeededSource source(2);
  std::uint64_t index = 0;
  const auto draw = [&](std::int64_t size, std::int64_t population) {
    return uniform_subset(source.claim(Purpose::sampling, 0, index++), size, population);
  };
  EXPECT_TRUE(draw(0, 0).empty());
  EXPECT_EQ(draw(4, 4), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_THROW(static_cast<void>(draw(5, 4)), base::UsageError);
  EXPECT_THROW(static_cast<void>(draw(-1, 4)), base::UsageError);
  const auto large = draw(1000, std::int64_t{1} << 60);
  EXPECT_EQ(large.size(), 1000U);
  EXPECT_EQ(std::adjacent_find(large.begin(), large.end()), large.end());
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  constexpr int draws = 20000;
  SeededSource source(3);
  std::map<std::vector<std::int64_t>, std::int64_t> counts;
  for (std::uint64_t i = 0; i < draws; ++i) {
    ++counts[random_permutation(source.claim(Purpose::sampling, 0, i), 4)];
  }
  ASSERT_EQ(counts.size(), 24U);
  std::vector<std::int64_t> observed;
  for (const auto& [order, count] : counts) observed.push_back(count);
  EXPECT_GT(test::chi_square_p_value(observed, std::vector<double>(24, draws / 24.0)),
            test::false_alarm_rate);
  EXPECT_THROW(static_cast<void>(random_permutation(source.claim(Purpose::sampling, 1, 0), -1)),
               base::UsageError);
}

}  // namespace subset_test
}  // namespace tacet::random
