#include "tacet/optimize/sums/cell_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::optimize {
namespace cell_sum_test {

struct Record {
  std::int64_t group = 0;
  std::int64_t cell = 0;
  double score = 0;  ///< the first one; others are its mirror and its square
};

std::vector<double> scores_of(double score, const CellShape& shape) {
  std::vector<double> out{score, 1 - score, score * score};
  out.resize(static_cast<std::size_t>(shape.scores));
  return out;
}

std::vector<std::int64_t> sum_of(const std::vector<Record>& records, const CellShape& shape,
                                 int bits) {
  CellSum sum(shape, bits);
  for (const auto& record : records) {
    sum.add(record.group, record.cell, scores_of(record.score, shape));
  }
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

std::int64_t squared_distance(const std::vector<std::int64_t>& a,
                              const std::vector<std::int64_t>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::vector<CellShape> shapes() {
  std::vector<CellShape> out;
  for (const bool centred : {false, true}) {
    for (const std::int64_t groups : {1, 3}) {
      for (const std::int64_t cells : {1, 2, 4, 9}) {
        for (const std::int64_t scores : {0, 1, 3}) {
          const CellShape shape{groups, cells, scores, centred};
          if (CellSum::terms(shape) > 0) out.push_back(shape);
        }
      }
    }
  }
  return out;
}

/// Every cell with every kind of score.
std::vector<Record> possible_records(const CellShape& shape) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Record> records;
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    for (std::int64_t cell = 0; cell < shape.cells; ++cell) {
      for (const double score : {0.0, 0.3, 1 - 1e-16, 1.0, 1e300, infinity, -1.0, std::nan("")}) {
        records.push_back({group, cell, score});
        if (shape.scores == 0) break;
      }
    }
  }
  return records;
}

// Every neighbour of a data set, in integers: what the noise is calibrated for.
TEST(CellSum, NeighboursAreWithinTheBoundAndTwiceThat) {
  for (const auto& shape : shapes()) {
    for (const int bits : {14, 20, 30}) {
      const std::int64_t bound = std::int64_t{1} << (2 * bits);
      const std::vector<Record> rest{{0, 0, 0.5}};
      const auto without = sum_of(rest, shape, bits);
      for (const auto& a : possible_records(shape)) {
        const auto with_a = sum_of({rest[0], a}, shape, bits);
        ASSERT_LE(squared_distance(with_a, without), bound);
        if (bits != 14) continue;
        for (const auto& b : possible_records(shape)) {
          const auto with_b = sum_of({rest[0], b}, shape, bits);
          ASSERT_LE(squared_distance(with_a, with_b), 4 * bound);
        }
      }
    }
  }
}

// One cell by one, and two cells by one each: no bound is much larger than what is attained.
TEST(CellSum, TheBoundIsThatOfOneRecord) {
  EXPECT_NEAR(CellSum({.cells = 4}, 30).contribution_bound(), 1, 1e-8);
  EXPECT_NEAR(CellSum({.cells = 4, .scores = 1}, 30).contribution_bound(), std::sqrt(1.25), 1e-8);
  EXPECT_NEAR(CellSum({.scores = 5}, 30).contribution_bound(), 1.5, 1e-8);
  const auto centred = [](std::int64_t cells, std::int64_t scores) {
    return CellSum({.cells = cells, .scores = scores, .centred = true}, 30).contribution_bound();
  };
  EXPECT_NEAR(centred(2, 0), std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(centred(4, 1), 1, 1e-7);
  EXPECT_NEAR(centred(1, 1), 0.5, 1e-8);
  EXPECT_NEAR(centred(2, 0) * 2, std::sqrt(2), 1e-7);  // two cells that change by one
}

// A record that lies in no cell is no longer than others, against nothing and against each of them.
TEST(CellSum, ARecordInNoCellIsWithinTheBound) {
  for (auto shape : shapes()) {
    shape.may_lack = true;
    const int bits = 14;
    const std::int64_t bound = std::int64_t{1} << (2 * bits);
    const auto none = [&] {
      CellSum sum(shape, bits);
      sum.add_none();
      const auto bounded = std::move(sum).take();
      const auto values = bounded.open(mechanism::AccessKeys::key());
      return std::vector<std::int64_t>(values.begin(), values.end());
    }();
    const auto empty = sum_of({}, shape, bits);
    ASSERT_LE(squared_distance(none, empty), bound);
    for (const auto& record : possible_records(shape)) {
      const auto with = sum_of({record}, shape, bits);
      ASSERT_LE(squared_distance(with, empty), bound);
      // Replaced by each other, at most twice as far apart; and around no share, where the record
      // in no cell is the empty one of zero_out, once.
      ASSERT_LE(squared_distance(with, none), (shape.centred ? 4 : 1) * bound);
    }
  }
  EXPECT_NEAR(CellSum({.scores = 5, .centred = true, .may_lack = true}, 30).contribution_bound(),
              std::sqrt(1.5), 1e-7);
  CellSum never({.cells = 2}, 20);
  EXPECT_THROW(never.add_none(), base::InternalError);
}

TEST(CellSum, SumsAreExactUpToTheGrid) {
  CellSum sum({.groups = 2, .cells = 2, .scores = 2}, 30);
  const std::vector<double> scores{0.25, 1};
  for (int i = 0; i < 1000; ++i) sum.add(i % 4 == 0 ? 1 : 0, 1, scores);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  const std::vector<double> expected{0, 750, 0, 250, -187.5, 375, -62.5, 125};
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(values[i]) * bounded.grid(), expected[i], 1e-5) << i;
  }
}

TEST(CellSum, CentredSumsLackTheEvenShareAndOneHalf) {
  CellSum sum({.cells = 4, .scores = 1, .centred = true}, 30);
  const std::vector<double> score{1};
  for (int i = 0; i < 100; ++i) sum.add(0, 2, score);
  const auto bounded = std::move(sum).take();
  const auto values = bounded.open(mechanism::AccessKeys::key());
  const std::vector<double> expected{-25, -25, 75, -25, 50};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(values[i]) * bounded.grid(), expected[i], 1e-5) << i;
  }
}

TEST(CellSum, ShapesThatMakeNoSenseAreRefused) {
  EXPECT_THROW(CellSum({.groups = 0}, 20), base::UsageError);
  EXPECT_THROW(CellSum({.groups = 65, .cells = 64}, 20), base::UsageError);
  EXPECT_THROW(CellSum({.cells = 2}, 31), base::UsageError);
  EXPECT_THROW(CellSum({.cells = 2}, 13), base::UsageError);
  EXPECT_THROW(CellSum({.cells = 1, .centred = true}, 20), base::UsageError);
  EXPECT_NO_THROW(CellSum({.groups = 64, .cells = 64, .scores = 8, .centred = true}, 14));
  EXPECT_THROW(CellSum({.cells = 2, .scores = 9}, 20), base::UsageError);
  EXPECT_THROW(CellSum({.cells = 2, .scores = -1}, 20), base::UsageError);
  CellSum sum({.cells = 2}, 20);
  EXPECT_THROW(sum.add(0, 0, std::vector<double>{1}), base::InternalError);
  EXPECT_THROW(sum.add(0, 2), base::InternalError);
  EXPECT_THROW(sum.add(-1, 0), base::InternalError);
}

}  // namespace cell_sum_test
}  // namespace tacet::optimize
