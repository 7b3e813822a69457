#include "tacet/optimize/sums/row_arena.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/row_records.h"

namespace tacet::optimize {
namespace row_arena_test {

using privacy::RowLayout;

TEST(RowArena, NormsAreThoseOfTheMaterialisedGradient) {
  const RowLayout layout({{20, 5}, {7, 1}}, 3);
  test::RowRecordMaker make(layout, 3);
  RowArena arena(layout, {.most_rows = 27});
  for (int i = 0; i < 10000; ++i) {
    auto record = make.record();
    // Twice the same row, as a word among its own negatives.
    if (record.touches.size() > 1) record.touches.push_back(record.touches.front());
    std::vector<double> whole(static_cast<std::size_t>(layout.cells() + layout.dense()), 0);
    for (const auto& [row, values] : record.touches) {
      for (std::size_t j = 0; j < values.size(); ++j) {
        whole[static_cast<std::size_t>(layout.first_cell(row)) + j] += values[j];
      }
    }
    for (std::size_t j = 0; j < record.dense.size(); ++j) {
      whole[static_cast<std::size_t>(layout.cells()) + j] += record.dense[j];
    }
    long double square = 0;
    for (const double x : whole) square += static_cast<long double>(x) * x;
    arena.clear();
    test::write_record(arena, record);
    const auto kept = arena.record(0);
    if (!std::isfinite(static_cast<double>(square)) && kept.exponent == 0) {
      EXPECT_TRUE(kept.rows.empty());
      continue;
    }
    double norm = 0;
    for (const double part : kept.squares) norm += part;
    norm = std::ldexp(std::sqrt(norm), kept.exponent);
    const auto expected = static_cast<double>(std::sqrt(square));
    if (std::isinf(expected)) continue;  // of finite numbers, above the largest double
    ASSERT_NEAR(norm, expected, 1e-12 * expected + 1e-160) << i;
  }
}

TEST(RowArena, MergesRowsInTheOrderInWhichTheyCome) {
  const RowLayout layout({{9, 2}});
  RowArena arena(layout, {.most_rows = 3});
  arena.start();
  for (const std::int64_t row : {7, 2, 7, 4, 8, 2}) {
    const auto values = arena.row(row);
    values[0] += 1;
    values[1] += static_cast<double>(row);
  }
  arena.finish();
  const auto record = arena.record(0);
  // The fourth one, 8, goes nowhere: a record touches three.
  EXPECT_EQ(std::vector<std::int64_t>(record.rows.begin(), record.rows.end()),
            (std::vector<std::int64_t>{7, 2, 4}));
  EXPECT_EQ(std::vector<double>(record.values.begin(), record.values.end()),
            (std::vector<double>{2, 14, 2, 4, 1, 4}));
  EXPECT_EQ(record.squares[0], 200);
}

TEST(RowArena, RowsThatAreOnlyTouchedHaveNoValues) {
  const RowLayout layout({{9, 2}}, 4);
  RowArena arena(layout, {.most_rows = 3});
  arena.start(5);
  arena.touch(3);
  arena.touch(3);
  arena.touch(1);
  arena.finish();
  EXPECT_EQ(arena.record(0).rows.size(), 2U);
  EXPECT_TRUE(arena.record(0).values.empty());
  EXPECT_EQ(arena.record(0).unit, 5);
}

TEST(RowArena, RefusesWhatTheLayoutHasNot) {
  const RowLayout layout({{9, 2}});
  RowArena arena(layout, {.most_rows = 3});
  arena.start();
  EXPECT_THROW(arena.touch(9), base::InternalError);
  EXPECT_THROW(arena.touch(-1), base::InternalError);
  for (const RowLimit& wrong :
       {RowLimit{.most_rows = 0}, RowLimit{.most_rows = 3, .norm_bits = 27},
        RowLimit{.most_rows = 3, .norm_bits = 13}, RowLimit{.most_rows = 3, .records_a_unit = 0}}) {
    EXPECT_THROW(RowArena(layout, wrong), base::UsageError);
  }
}

}  // namespace row_arena_test
}  // namespace tacet::optimize
