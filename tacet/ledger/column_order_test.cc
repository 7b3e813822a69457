#include "tacet/ledger/column_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tacet::ledger::internal {
namespace column_order_test {

using Rows = std::vector<std::vector<std::uint64_t>>;

/// The records with their values in the order of the ranks, as a multiset.
Rows in_order(const Rows& rows) {
  std::vector<PlacedValue> values;
  std::vector<std::size_t> ends;
  const auto columns = rows.front().size();
  for (const auto& row : rows) {
    for (std::uint32_t k = 0; k < columns; ++k) {
      if (row[k] != 0) values.push_back({k, row[k]});
    }
    ends.push_back(values.size());
  }
  const auto ranks = column_ranks({values, ends}, columns);
  Rows ordered;
  for (const auto& row : rows) {
    auto& out = ordered.emplace_back(columns);
    for (std::size_t k = 0; k < columns; ++k) out[ranks[k]] = row[k];
  }
  std::ranges::sort(ordered);
  return ordered;
}

Rows shuffled(Rows rows, std::mt19937& random) {
  std::ranges::shuffle(rows, random);
  std::vector<std::size_t> places(rows.front().size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::shuffle(places, random);
  for (auto& row : rows) {
    const auto before = row;
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = before[places[k]];
  }
  return rows;
}

TEST(ColumnOrder, IsThatOfTheContentsInAnyOrder) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    Rows rows(1 + random() % 6, std::vector<std::uint64_t>(1 + random() % 6));
    for (auto& row : rows) {
      for (auto& value : row) value = random() % 2;
    }
    EXPECT_EQ(in_order(shuffled(rows, random)), in_order(rows));
  }
}

// Both have two flags in each record and in each column; no colours tell them apart.
TEST(ColumnOrder, TellsRegularTablesApart) {
  const Rows two_circles{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}};
  const Rows one_circle{{1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}};
  EXPECT_NE(in_order(two_circles), in_order(one_circle));
  std::mt19937 random(2);
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(in_order(shuffled(two_circles, random)), in_order(two_circles));
    EXPECT_EQ(in_order(shuffled(one_circle, random)), in_order(one_circle));
  }
}

}  // namespace column_order_test
}  // namespace tacet::ledger::internal
