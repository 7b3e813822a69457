#include "tacet/optimize/sums/score_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tests/support/row_records.h"

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
  ScoreSum sum(2, norm_bits, origin, {.places = 7, .max_per_record = 3});
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
  ScoreSum sum(1, 30, ScoreOrigin::half, {.places = 4, .max_per_record = 2});
  for (int i = 0; i < 1000; ++i) sum.add(Scores{0.5}, i < 300 ? Places{3, 1} : Places{3});
  EXPECT_NEAR(sum.contribution_bound(), std::sqrt(3.0) / 2, 1e-8);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  const std::vector<double> counts{0, 0, 300, 0, 1000};
  for (std::size_t i = 1; i < counts.size(); ++i) {
    EXPECT_NEAR(2 * static_cast<double>(values[i]) * bounded.grid(), counts[i], 1e-9) << i;
  }
}

TEST(ScoreSum, ShapesThatMakeNoSenseAreRefused) {
  EXPECT_THROW(ScoreSum(0, 20), base::UsageError);
  EXPECT_THROW(ScoreSum(2, 31), base::UsageError);
  EXPECT_THROW(ScoreSum(2, 13), base::UsageError);
  ScoreSum sum(2, 20);
  EXPECT_THROW(sum.add(Scores{1}), base::InternalError);
}

using privacy::Adjacency;
using privacy::RowLayout;
using test::RowGradient;

const RowLayout& layout() {
  static const RowLayout tables({{9, 3}, {5, 1}}, 2);
  return tables;
}
constexpr RowLimit limit{.max_rows = 4, .max_records_per_unit = 1, .norm_bits = 14};

mechanism::SparseScores scores_of(std::span<const RowGradient> records, const RowScoreRule& rule,
                                  Adjacency adjacency) {
  base::ThreadPool pool(1);
  RowBatch batch(layout(), limit, pool);
  test::fill(batch, records);
  return batch.scores(rule, adjacency);
}

/// Checks the moves between two neighbours against what is public of them.
void check_moves(const mechanism::SparseScores& a, const mechanism::SparseScores& b) {
  const auto access = mechanism::AccessKeys::key();
  std::map<std::int64_t, std::int64_t> moves;
  for (const auto& item : a.open(access)) moves[item.index] += item.score;
  for (const auto& item : b.open(access)) moves[item.index] -= item.score;
  const auto& bounds = *a.bounds();
  std::int64_t highest = 0;  // most candidates do not move
  std::int64_t lowest = 0;
  std::int64_t support = 0;
  double square = 0;
  for (const auto& [index, move] : moves) {
    ASSERT_LE(std::abs(move), bounds.sensitivity);
    highest = std::max(highest, move);
    lowest = std::min(lowest, move);
    support += move != 0 ? 1 : 0;
    square += static_cast<double>(move) * static_cast<double>(move);
  }
  ASSERT_LE(std::sqrt(square), bounds.l2_sensitivity);
  ASSERT_LE(static_cast<double>(highest - lowest), bounds.range_sensitivity);
  ASSERT_LE(support, bounds.support);
}

TEST(RowScores, TenThousandNeighboursNeverBeatTheBounds) {
  test::RowRecordMaker make(layout(), 11);
  for (int i = 0; i < 10000; ++i) {
    const auto fewer = make.records(make.below(4));
    auto more = fewer;
    more.push_back(make.record());
    auto replaced = fewer;
    replaced.push_back(make.record());
    const RowScoreRule rule{make.below(2) == 0 ? Granularity::row : Granularity::coordinate, 1,
                            std::ldexp(1.0, static_cast<int>(make.below(5)) - 3)};
    const auto of = [&](std::span<const RowGradient> records, Adjacency adjacency) {
      return scores_of(records, rule, adjacency);
    };
    check_moves(of(fewer, Adjacency::add_remove), of(more, Adjacency::add_remove));
    check_moves(of(replaced, Adjacency::replace_one), of(more, Adjacency::replace_one));
    if (HasFatalFailure()) FAIL() << i;
  }
}

// Lengths of rows are rounded down on the grid, and their moves grow by that: a length of 2.9 that
// becomes 3.1 moves by a whole unit. Without the slack this row's move would beat the bound.
TEST(RowScores, RoundingOfLengthsIsInTheBounds) {
  const RowScoreRule rule{Granularity::row, 1, 100};
  const auto bounds = row_score_bounds(layout(), limit, rule, Adjacency::add_remove);
  EXPECT_EQ(bounds.sensitivity, (1 << 14) + 1);
  EXPECT_GE(bounds.l2_sensitivity, 0x1p14 + 2);  // sqrt(4 rows)
  EXPECT_GE(bounds.range_sensitivity, std::sqrt(2.0) * 0x1p14 + 2);
  // Coordinates are integers already.
  const auto cells =
      row_score_bounds(layout(), limit, {Granularity::coordinate, 1, 100}, Adjacency::add_remove);
  EXPECT_EQ(cells.sensitivity, 1 << 14);
  EXPECT_EQ(cells.l2_sensitivity, 0x1p14);
}

TEST(RowScores, AreLengthsOfSumsCutAtTheirBound) {
  const std::vector<RowGradient> records{{{{0, {0.3, 0.4, 0}}, {13, {-0.1}}}, {}},
                                         {{{0, {0.3, 0.4, 0}}}, {}}};
  const auto access = mechanism::AccessKeys::key();
  const auto rows = scores_of(records, {Granularity::row, 1, 0.75}, Adjacency::add_remove);
  ASSERT_EQ(rows.open(access).size(), 2U);
  EXPECT_EQ(rows.open(access)[0].score, 3 << 12);  // 1 is cut to 3/4
  EXPECT_NEAR(static_cast<double>(rows.open(access)[1].score), 0.1 * 0x1p14, 1);
  EXPECT_EQ(rows.population(), 14);
  const auto cells = scores_of(records, {Granularity::coordinate, 1, 0.7}, Adjacency::add_remove);
  EXPECT_EQ(cells.population(), 32);
  ASSERT_EQ(cells.open(access).size(), 4U);
  EXPECT_NEAR(static_cast<double>(cells.open(access)[0].score), 0.6 * 0x1p14, 2);
  EXPECT_EQ(cells.open(access)[3].index, 31);
}

// Wide 2.2 with S1 = .75, S0 = .1: Delta = .1, Lam = .75, R = .2 under add_remove.
TEST(RowScores, BoundsAreThoseOfThePaperSetting) {
  const RowLayout table({{1000, 100}});
  const RowLimit paper{.max_rows = 10};
  const RowScoreRule rule{Granularity::coordinate, 0.75, 0.1};
  const auto bounds = row_score_bounds(table, paper, rule, Adjacency::add_remove);
  const double grid = 0.75 * 0x1p-26;
  EXPECT_NEAR(static_cast<double>(bounds.score_bound) * grid, 0.1, 1e-7);
  EXPECT_EQ(bounds.sensitivity, bounds.score_bound);
  EXPECT_DOUBLE_EQ(bounds.l2_sensitivity * grid, 0.75);
  EXPECT_NEAR(bounds.range_sensitivity * grid, 0.2, 1e-7);
  EXPECT_EQ(bounds.support, 1000);
  EXPECT_EQ(bounds.population, 100000);
  const auto replaced = row_score_bounds(table, paper, rule, Adjacency::replace_one);
  EXPECT_EQ(replaced.support, 2000);
  EXPECT_DOUBLE_EQ(replaced.l2_sensitivity * grid, 1.5);
}

TEST(RowScores, RefusesABoundBelowTheGrid) {
  EXPECT_THROW(static_cast<void>(row_score_bounds(layout(), limit, {Granularity::row, 1, 0x1p-15},
                                                  Adjacency::add_remove)),
               base::UsageError);
}

}  // namespace score_sum_test

}  // namespace tacet::optimize
