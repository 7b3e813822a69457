#include "tacet/optimize/sums/score_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::optimize {
namespace score_sum_test {

using Scores = std::vector<double>;

std::vector<std::int64_t> sum_of(const std::vector<Scores>& records, int norm_bits,
                                 ScoreOrigin origin = ScoreOrigin::zero) {
  ScoreSum sum(static_cast<std::int64_t>(records.front().size()), norm_bits, origin);
  for (const auto& record : records) sum.add(record);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

TEST(ScoreSum, NoRecordContributesMoreThanTheBound) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0,     1,        0.3,       1 - 1e-16, 2,
                                   1e300, infinity, -infinity, -1,        std::nan("")};
  for (const int bits : {14, 20, 30}) {
    for (const double a : values) {
      for (const double b : values) {
        for (const auto origin : {ScoreOrigin::zero, ScoreOrigin::half}) {
          const auto sum = sum_of({{a, b, 1.0}}, bits, origin);
          std::int64_t squared = 0;
          for (const auto value : sum) squared += value * value;
          EXPECT_LE(squared, std::int64_t{1} << (2 * bits)) << a << " " << b;
        }
      }
    }
  }
}

TEST(ScoreSum, NeighboursDifferByTheRecordAlone) {
  const std::vector<Scores> records{{1, 0, 0.25}, {1, 1, 0.75}, {1, 1, 0.5}};
  const auto all = sum_of(records, 20);
  const auto fewer = sum_of({records[0], records[2]}, 20);
  const auto alone = sum_of({records[1]}, 20);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i] - fewer[i], alone[i]);
}

TEST(ScoreSum, SumsAreExactUpToTheGrid) {
  ScoreSum sum(2, 30);
  for (int i = 0; i < 1000; ++i) sum.add(Scores{1, 0.5});
  EXPECT_NEAR(sum.contribution_bound(), std::sqrt(2.0), 1e-8);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  EXPECT_NEAR(static_cast<double>(values[0]) * bounded.grid(), 1000, 1e-9);
  EXPECT_NEAR(static_cast<double>(values[1]) * bounded.grid(), 500, 1e-6);
}

TEST(ScoreSum, AroundOneHalfTheSameRecordsAreHalfAsLong) {
  ScoreSum sum(2, 30, ScoreOrigin::half);
  for (int i = 0; i < 1000; ++i) sum.add(Scores{1, 0.25});
  EXPECT_NEAR(sum.contribution_bound(), std::sqrt(0.5), 1e-8);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  EXPECT_NEAR(static_cast<double>(values[0]) * bounded.grid(), 500, 1e-9);
  EXPECT_NEAR(static_cast<double>(values[1]) * bounded.grid(), -250, 1e-6);
}

using Places = std::vector<std::size_t>;

std::vector<std::int64_t> marked_sum(const std::vector<Places>& records, int norm_bits,
                                     ScoreOrigin origin) {
  ScoreSum sum(2, norm_bits, origin, {.places = 7, .most = 3});
  for (const auto& places : records) sum.add(Scores{0, 1}, places);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

// A record that repeats a mark, or has more of them than it may, adds no more for it.
TEST(ScoreSum, MarksOfARecordStayWithinTheBound) {
  const std::vector<Places> all{
      {},           {6},          {0, 1, 2},          {3, 3, 3, 3},
      {0, 1, 2, 3}, {5, 5, 5, 6}, {6, 5, 4, 3, 2, 1}, {2, 2, 1, 1, 0, 0, 4}};
  for (const int bits : {14, 20, 30}) {
    for (const auto origin : {ScoreOrigin::zero, ScoreOrigin::half}) {
      std::int64_t longest = 0;
      for (const auto& places : all) {
        std::int64_t squared = 0;
        for (const auto value : marked_sum({places}, bits, origin)) squared += value * value;
        longest = std::max(longest, squared);
      }
      const double bound = std::ldexp(1.0, 2 * bits);
      EXPECT_LE(static_cast<double>(longest), bound);
      // Where nothing is taken off, the score of 0 is one of five terms that adds nothing.
      const double least = origin == ScoreOrigin::half ? 0.999 : 0.799;
      EXPECT_GT(static_cast<double>(longest), least * bound);
    }
  }
}

TEST(ScoreSum, MarksAreCounted) {
  ScoreSum sum(1, 30, ScoreOrigin::half, {.places = 4, .most = 2});
  for (int i = 0; i < 1000; ++i) sum.add(Scores{0.5}, i < 300 ? Places{3, 1} : Places{3});
  EXPECT_NEAR(sum.contribution_bound(), std::sqrt(3.0) / 2, 1e-8);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  const std::vector<double> counts{0, 0, 300, 0, 1000};
  for (std::size_t i = 1; i < counts.size(); ++i) {
    EXPECT_NEAR(2 * static_cast<double>(values[i]) * bounded.grid(), counts[i], 1e-9) << i;
  }
}

// Every replacement of one record, in integers: the release is calibrated for twice the bound.
TEST(ScoreSum, ReplacedRecordsStayWithinTwiceTheBound) {
  for (const int bits : {14, 30}) {
    std::int64_t farthest = 0;
    for (const double a : {0.0, 0.3, 1.0}) {
      for (const double b : {0.0, 0.7, 1.0}) {
        const auto before = sum_of({{a, b}, {0.5, 0.5}}, bits, ScoreOrigin::half);
        for (const double c : {0.0, 0.2, 1.0}) {
          for (const double d : {0.0, 0.9, 1.0}) {
            const auto behind = sum_of({{c, d}, {0.5, 0.5}}, bits, ScoreOrigin::half);
            const auto x = before[0] - behind[0];
            const auto y = before[1] - behind[1];
            farthest = std::max(farthest, x * x + y * y);
          }
        }
      }
    }
    const std::int64_t most = std::int64_t{4} << (2 * bits);
    EXPECT_LE(farthest, most);
    EXPECT_GE(static_cast<double>(farthest), (1 - 1e-3) * static_cast<double>(most));
  }
}

TEST(ScoreSum, ShapesThatMakeNoSenseAreRefused) {
  EXPECT_THROW(ScoreSum(0, 20), base::UsageError);
  EXPECT_THROW(ScoreSum(2, 31), base::UsageError);
  EXPECT_THROW(ScoreSum(2, 13), base::UsageError);
  ScoreSum sum(2, 20);
  EXPECT_THROW(sum.add(Scores{1}), base::InternalError);
}

}  // namespace score_sum_test
}  // namespace tacet::optimize
