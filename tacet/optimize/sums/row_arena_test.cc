#include "tacet/optimize/sums/row_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tests/support/row_records.h"

namespace tacet::optimize {
namespace row_arena_test {

using privacy::RowLayout;

TEST(RowArena, NormsAreThoseOfTheMaterialisedGradient) {
  const RowLayout layout({{20, 5}, {7, 1}}, 3);
  test::RowRecordMaker make(layout, 3);
  RowArena arena(layout, {.max_rows = 27});
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

// What a record does not ask for is 0, and not stored.
TEST(RowArena, PartsOfTheDenseBlockAreWhatWasAskedFor) {
  const RowLayout layout({{4, 2}}, 200);
  RowArena arena(layout, {.max_rows = 3});
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
  ASSERT_EQ(record.parts.size(), 3U);
  EXPECT_EQ(record.parts[0].first, 3U);
  EXPECT_EQ(record.parts[0].width, 3U);
  EXPECT_EQ(record.parts[1].first, 10U);
  EXPECT_EQ(record.parts[2].first, 199U);
  const std::vector<double> expected{0, 7, 1, 12, 3, 4, 5};
  EXPECT_TRUE(std::ranges::equal(record.values, expected));
  const std::vector<double> squares{49, 1 + 144 + 9, 16, 25};
  EXPECT_TRUE(std::ranges::equal(record.squares, squares));
  arena.start();
  arena.finish();
  EXPECT_TRUE(arena.record(1).values.empty());
}

// What the record's numbers of the dense block are.
std::vector<double> dense_of(const RowRecord& record, std::size_t size) {
  std::vector<double> dense(size, 0);
  std::size_t value = record.values.size();
  for (const auto& part : record.parts) value -= part.width;
  for (const auto& part : record.parts) {
    for (std::size_t j = 0; j < part.width; ++j) dense[part.first + j] += record.values[value++];
  }
  for (const auto& [first, picked, vector] : record.products) {
    numeric::add_products(picked, vector, std::span(dense).subspan(first));
  }
  for (double& number : dense) number = std::ldexp(number, record.exponent);
  return dense;
}

// However large: where their squares overflow, they are written down.
TEST(RowArena, ProductsAreRowsOfTheDenseBlock) {
  const RowLayout layout({{4, 2}}, 100);
  const std::vector<std::uint32_t> places{0, 3, 4, 29};
  const std::vector<double> factors{2, 0.5, -1, 4};
  for (const double size : {1.0, 1e-150, 1e160, 1e306}) {
    const std::vector<double> vector{1 * size, 10 * size, -8 * size};
    RowArena arena(layout, {.max_rows = 3});
    arena.start();
    arena.row(2)[0] += 3;
    arena.dense(1, 1)[0] += 7;
    arena.dense_products(4, {places, factors}, vector);
    arena.dense(99, 1)[0] += 8;
    arena.finish();
    std::vector<double> expected(100, 0);
    expected[1] = 7;
    expected[99] = 8;
    double norm = std::hypot(3, 7, 8);
    for (std::size_t k = 0; k < places.size(); ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        expected[4 + 3 * places[k] + i] = factors[k] * vector[i];
        norm = std::hypot(norm, factors[k] * vector[i]);
      }
    }
    const auto record = arena.record(0);
    EXPECT_EQ(record.exponent == 0, size < 1e150);
    if (record.exponent == 0) {
      EXPECT_EQ(dense_of(record, 100), expected);
    }
    double square = 0;
    for (const double part : record.squares) square += part;
    EXPECT_NEAR(std::ldexp(std::sqrt(square), record.exponent) / norm, 1, 1e-12);
  }
}

TEST(RowArena, ProductsThatAreNoNumbersCountNothing) {
  RowArena arena(RowLayout({{4, 2}}, 10), {.max_rows = 3});
  const std::vector<std::uint32_t> places{0, 2};
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [factor, number] :
       {std::pair{NAN, 1.0}, {1.0, NAN}, {inf, 0.0}, {0.0, inf}, {1e200, 1e200}, {1.0, -inf}}) {
    arena.clear();
    arena.start();
    arena.row(1)[0] += 1;
    arena.dense_products(0, {places, std::vector<double>{1, factor}},
                         std::vector<double>{number, 2});
    arena.finish();
    EXPECT_TRUE(arena.record(0).rows.empty());
    EXPECT_TRUE(arena.record(0).squares.empty());
    EXPECT_TRUE(arena.record(0).products.empty());
  }
}

// A number in two of them would be clipped as if it were two.
TEST(RowArena, PartsThatDoNotAscendAreRefused) {
  RowArena arena(RowLayout({{4, 2}}, 20), {.max_rows = 3});
  const auto products = [&](std::size_t first, const std::vector<std::uint32_t>& places) {
    const std::vector<double> factors(places.size(), 1.0);
    arena.dense_products(first, {places, factors}, std::vector<double>{1, 2});
  };
  arena.start();
  static_cast<void>(arena.dense(5, 3));
  EXPECT_THROW(static_cast<void>(arena.dense(4, 2)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(7, 2)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(18, 3)), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(21, 1)), base::InternalError);
  EXPECT_THROW(products(7, {0}), base::InternalError);
  EXPECT_THROW(products(8, {1, 1}), base::InternalError);
  EXPECT_THROW(products(8, {2, 1}), base::InternalError);
  EXPECT_THROW(products(8, {6}), base::InternalError);
  EXPECT_THROW(products(21, {0}), base::InternalError);
  products(8, {0, 2});
  EXPECT_THROW(static_cast<void>(arena.dense(5, 3)), base::InternalError);
  EXPECT_THROW(products(13, {0}), base::InternalError);
  EXPECT_THROW(static_cast<void>(arena.dense(13, 2)), base::InternalError);
  EXPECT_EQ(arena.dense(18, 2).size(), 2U);
}

TEST(RowArena, MergesRowsInTheOrderInWhichTheyCome) {
  const RowLayout layout({{9, 2}});
  RowArena arena(layout, {.max_rows = 3});
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
  RowArena arena(layout, {.max_rows = 3});
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
  RowArena arena(layout, {.max_rows = 3});
  arena.start();
  EXPECT_THROW(arena.touch(9), base::InternalError);
  EXPECT_THROW(arena.touch(-1), base::InternalError);
  for (const RowLimit& wrong : {RowLimit{.max_rows = 0}, RowLimit{.max_rows = 3, .norm_bits = 27},
                                RowLimit{.max_rows = 3, .norm_bits = 13},
                                RowLimit{.max_rows = 3, .max_records_per_unit = 0}}) {
    EXPECT_THROW(RowArena(layout, wrong), base::UsageError);
  }
}

}  // namespace row_arena_test
}  // namespace tacet::optimize
