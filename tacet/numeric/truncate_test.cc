#include "tacet/numeric/truncate.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tacet::numeric {
namespace truncate_test {

std::vector<double> values(std::size_t count, double scale) {
  std::vector<double> result;
  for (std::size_t j = 0; j < count; ++j) {
    result.push_back(scale * std::sin(1.0 + 0.7 * static_cast<double>(j)));
  }
  return result;
}

TEST(Truncate, SquaresAreAddedInOneFixedOrder) {
  for (std::size_t count = 0; count < 70; ++count) {
    const auto v = values(count, 3);
    std::array<double, 8> sums{};
    for (std::size_t j = 0; j < count; ++j) sums[j % 8] += v[j] * v[j];
    const double expected =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    ASSERT_EQ(sum_of_squares(v), expected) << count;
  }
  EXPECT_EQ(sum_of_squares(std::vector<double>{1e200, 1}), HUGE_VAL);
  EXPECT_TRUE(std::isnan(sum_of_squares(std::vector<double>{1, NAN})));
}

TEST(Truncate, TruncatesTowardsZeroAndCountsTheIntegers) {
  for (std::size_t count = 0; count < 70; ++count) {
    const auto v = values(count, 1000);
    std::vector<double> sums(count, 5);
    std::int64_t squares = 0;
    std::vector<double> expected;
    for (const double x : v) {
      const auto z = static_cast<std::int64_t>(std::clamp(x * 1.5, -700.0, 700.0));
      squares += z * z;
      expected.push_back(5 + static_cast<double>(z));
    }
    ASSERT_EQ(add_truncated(v, 1.5, 700, sums), static_cast<double>(squares));
    ASSERT_EQ(sums, expected);
    ASSERT_EQ(add_truncated(v, -1.5, 700, sums), static_cast<double>(squares));
    ASSERT_EQ(sums, std::vector<double>(count, 5));
  }
}

// From the largest that doubles hold down to 1 and 0, of both signs, on every instruction set.
TEST(Truncate, IntegersAreAddedExactly) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (std::size_t count = 0; count < 120; ++count) {
      std::vector<double> integers;
      std::vector<std::int64_t> sums;
      std::vector<std::int64_t> expected;
      for (std::size_t j = 0; j < count; ++j) {
        const std::int64_t integer = ((std::int64_t{1} << 53) - 1) >> (j / 2);
        integers.push_back(static_cast<double>(j % 2 == 0 ? integer : -integer));
        sums.push_back((static_cast<std::int64_t>(j) - 60) * (std::int64_t{1} << 55));
        expected.push_back(sums[j] + (j % 2 == 0 ? integer : -integer));
      }
      add_integers(integers, sums);
      ASSERT_EQ(sums, expected);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Bit for bit what the written products add, for widths and numbers of rows around those of
// vectors.
TEST(Truncate, ProductsAddWhatTheyWouldWrittenDown) {
  for (std::size_t width = 1; width < 40; ++width) {
    const auto vector = values(width, 1000);
    for (std::uint32_t count = 0; count < 12; ++count) {
      std::vector<std::uint32_t> places;
      for (std::uint32_t k = 0; k < count; ++k) places.push_back(k * (k + 3) / 2);
      const auto factors = values(count, 1.1);
      std::vector<double> sums(80 * width, 5);
      auto expected = sums;
      double squares = 0;
      for (std::uint32_t k = 0; k < count; ++k) {
        std::vector<double> row;
        for (const double number : vector) row.push_back(factors[k] * number);
        squares += add_truncated(row, 1.5, 700, std::span(expected).subspan(places[k] * width));
      }
      const PickedRows picked{places, factors};
      ASSERT_EQ(add_truncated_products(picked, vector, 1.5, 700, sums), squares);
      ASSERT_EQ(sums, expected) << width << " " << count;
      ASSERT_EQ(add_truncated_products(picked, vector, -1.5, 700, sums), squares);
      ASSERT_EQ(sums, std::vector<double>(80 * width, 5));
    }
  }
}

TEST(Truncate, ASumOfSquaresBeyondTheBoundIsSeen) {
  // One more than 2^52, and many times as much, in whatever order the lanes add.
  constexpr double bound = 0x1p26;
  for (const std::size_t count : {2U, 9U, 100U, 5000U}) {
    std::vector<double> v(count, 1e300);
    std::vector<double> sums(count);
    EXPECT_GT(add_truncated(v, 1, bound, sums), 0x1p52);
    for (const double sum : sums) EXPECT_EQ(sum, bound);
    const std::vector<std::uint32_t> places{0, 1};
    std::vector<double> products(2 * count);
    EXPECT_GT(add_truncated_products({places, std::vector<double>{1, -1}}, v, 1, bound, products),
              0x1p52);
    v.assign(count, 0);
    v[0] = bound;
    v[count - 1] = count > 1 ? 1 : bound;
    EXPECT_EQ(add_truncated(v, 1, bound, sums), 0x1p52 + 1);
  }
}

}  // namespace truncate_test
}  // namespace tacet::numeric
