#include "tacet/optimize/sums/presence_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tacet/mechanism/access_keys.h"

namespace tacet::optimize {
namespace presence_sum_test {

using data::Dataset;
using data::Storage;

constexpr std::int64_t columns = 40;
const std::vector<data::ColumnRange> ranges{{2, 20}, {30, 39}};

using Row = std::vector<std::int16_t>;

Row random_row(std::mt19937_64& bits) {
  Row row(columns, 0);
  const auto often = 1 + bits() % 6;
  for (auto& v : row) {
    if (bits() % often == 0) v = static_cast<std::int16_t>(static_cast<int>(bits() % 601) - 300);
  }
  return row;
}

std::map<std::int64_t, std::int64_t> sum_of(const std::vector<Row>& rows,
                                            Storage storage = Storage::dense) {
  Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (const auto& row : rows) dataset.append_dense(row, 1);
  const auto sum = presence_sum(dataset, ranges);
  EXPECT_EQ(sum.size(), columns);
  EXPECT_EQ(sum.contribution_bound(), presence_norm);
  std::map<std::int64_t, std::int64_t> values;
  for (const auto& item : sum.open(mechanism::AccessKeys::key())) values[item.index] = item.score;
  return values;
}

double distance(std::map<std::int64_t, std::int64_t> a,
                const std::map<std::int64_t, std::int64_t>& b) {
  for (const auto& [index, score] : b) a[index] -= score;
  double square = 0;
  for (const auto& [index, score] : a) {
    square += static_cast<double>(score) * static_cast<double>(score);
  }
  return std::sqrt(square);
}

// A record more or less moves the sum by at most presence_norm, one for another by at most sqrt 2
// of it: no coordinate is ever lowered by a record. Both are reached.
TEST(PresenceSum, NeighboursNeverMoveFurtherThanTheBound) {
  std::mt19937_64 bits(31);
  double longest = 0;
  double exchanged = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Row> rows(1 + bits() % 5);
    for (auto& row : rows) row = random_row(bits);
    auto others = rows;
    others.push_back(random_row(bits));
    longest = std::max(longest, distance(sum_of(others), sum_of(rows)));
    auto replaced = rows;
    replaced[0] = random_row(bits);
    exchanged = std::max(exchanged, distance(sum_of(replaced), sum_of(rows)));
  }
  const auto bound = static_cast<double>(presence_norm);
  EXPECT_LE(longest, bound);
  EXPECT_GE(longest, 0.999 * bound);
  EXPECT_LE(exchanged, std::sqrt(2.0) * bound);
  EXPECT_GE(exchanged, 1.2 * bound);
}

TEST(PresenceSum, CountsColumnsOfTheRangesAlone) {
  Row row(columns, 0);
  row[0] = 700;   // outside
  row[5] = 1;     // however small
  row[19] = -30;  // whatever its sign
  row[20] = 5;    // the range's end
  row[30] = 100;
  row[38] = 100;
  row[39] = 9;  // the intercept
  const auto share = static_cast<std::int64_t>(0x1p20 / 2);
  const std::map<std::int64_t, std::int64_t> expected{
      {5, 2 * share}, {19, 2 * share}, {30, 2 * share}, {38, 2 * share}};
  EXPECT_EQ(sum_of({row, row}), expected);
  EXPECT_TRUE(sum_of({Row(columns, 0)}).empty());
  EXPECT_TRUE(sum_of({}).empty());
}

TEST(PresenceSum, IsTheSameForDenseAndSparse) {
  std::mt19937_64 bits(7);
  std::vector<Row> rows(300);
  for (auto& row : rows) row = random_row(bits);
  EXPECT_EQ(sum_of(rows), sum_of(rows, Storage::sparse));
}

}  // namespace presence_sum_test
}  // namespace tacet::optimize
