#include "tacet/optimize/sums/row_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// What a record does not ask for is 0; small gaps are filled, large ones are not stored.
TEST(RowArena, PartsOfTheDenseBlockAreItsNumbersThatAreNotZero) {
  const RowLayout layout({{4, 2}}, 200);
  RowArena arena(layout, {.most_rows = 3});
  const auto write = [&](std::size_t first, std::vector<double> values) {
    const auto out = arena.dense(first, values.size());
    for (std::size_t j = 0; j < values.size(); ++j) out[j] += values[j];
  };
  arena.start();
  write(3, {1, 2, 3});
  write(4, {10});
  write(10, {4});
  arena.row(1)[1] += 7;
  write(199, {5});
  arena.finish();
  const auto record = arena.record(0);
  ASSERT_EQ(record.parts.size(), 2U);
  EXPECT_EQ(record.parts[0].first, 3U);
  EXPECT_EQ(record.parts[0].width, 8U);
  EXPECT_EQ(record.parts[1].first, 199U);
  const std::vector<double> expected{0, 7, 1, 12, 3, 0, 0, 0, 0, 4, 5};
  EXPECT_TRUE(std::ranges::equal(record.values, expected));
  const std::vector<double> squares{49, 1 + 144 + 9 + 16, 25};
  EXPECT_TRUE(std::ranges::equal(record.squares, squares));
  arena.start();
  arena.finish();
  EXPECT_TRUE(arena.record(1).values.empty());
}

TEST(RowArena, ProductsAreRowsOfTheDenseBlock) {
  const RowLayout layout({{4, 2}}, 100);
  RowArena written(layout, {.most_rows = 3});
  RowArena added(layout, {.most_rows = 3});
  const std::vector<std::uint32_t> places{0, 3, 4, 29};
  const std::vector<double> factors{2, 0.5, -1, 4};
  const std::vector<double> vector{1, 10, 100};
  written.start();
  written.dense(1, 1)[0] += 7;
  written.dense_products(4, {places, factors}, vector);
  written.dense(99, 1)[0] += 8;
  written.finish();
  added.start();
  added.dense(1, 1)[0] += 7;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto out = added.dense(4 + 3 * places[k], 3);
    for (std::size_t i = 0; i < 3; ++i) out[i] += factors[k] * vector[i];
  }
  added.dense(99, 1)[0] += 8;
  added.finish();
  EXPECT_TRUE(std::ranges::equal(written.record(0).values, added.record(0).values));
  EXPECT_TRUE(std::ranges::equal(written.record(0).squares, added.record(0).squares));
  written.start();
  EXPECT_THROW(written.dense_products(50, {places, factors}, vector), base::InternalError);
}

TEST(RowArena, PartsThatDoNotAscendAreRefused) {
  RowArena arena(RowLayout({{4, 2}}, 20), {.most_rows = 3});
  arena.start();
  static_cast<void>(arena.dense(5, 3));
  EXPECT_THROW(static_cast<void>(arena.dense(4, 2)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(7, 2)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(18, 3)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(21, 1)), base::InternalError);
  EXPECT_EQ(arena.dense(18, 2).size(), 2U);
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
