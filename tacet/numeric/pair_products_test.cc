#include "tacet/numeric/pair_products.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <vector>

namespace tacet::numeric {
namespace pair_products_test {

using Rows = std::vector<std::vector<std::int16_t>>;

Rows random_rows(std::size_t count, std::size_t columns) {
  std::mt19937_64 bits(100 * columns + count);
  std::uniform_int_distribution<int> feature(-largest_paired, largest_paired);
  Rows rows(count, std::vector<std::int16_t>(columns));
  for (auto& row : rows) {
    for (auto& value : row) value = static_cast<std::int16_t>(feature(bits));
  }
  return rows;
}

std::vector<std::uint32_t> words_of(const Rows& rows, std::size_t columns) {
  std::vector<const std::int16_t*> pointers;
  for (const auto& row : rows) pointers.push_back(row.data());
  const std::size_t stride = pair_stride(columns);
  std::vector<std::uint32_t> words((rows.size() + 1) / 2 * stride, 0);
  pair_rows(pointers, columns, words, stride);
  return words;
}

std::int64_t product(const Rows& rows, std::size_t j, std::size_t k) {
  std::int64_t sum = 0;
  for (const auto& row : rows) sum += std::int64_t{row[j]} * row[k];
  return sum;
}

void expect_products(const Rows& rows, const Panel& panel) {
  const std::size_t stride = pair_stride(panel.columns);
  const std::size_t height = (panel.count + panel_step - 1) / panel_step * panel_step;
  std::vector<std::int64_t> sums(height * stride, 7);
  add_pair_products(words_of(rows, panel.columns), stride, panel, sums);
  for (std::size_t i = 0; i < panel.count; ++i) {
    for (std::size_t k = panel.first + i; k < panel.columns; ++k) {
      ASSERT_EQ(sums[i * stride + k], 7 + product(rows, panel.first + i, k))
          << panel.first + i << ", " << k;
    }
  }
}

TEST(PairProducts, EqualIntegerArithmeticOnEveryInstructionSet) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (const std::size_t columns : {1u, 3u, 4u, 15u, 16u, 17u, 32u, 33u, 70u}) {
      for (const std::size_t rows : {1u, 2u, 5u, 64u}) {
        expect_products(random_rows(rows, columns), {0, columns, columns});
      }
    }
    expect_products(random_rows(9, 50), {8, 12, 50});
    expect_products(random_rows(9, 50), {36, 14, 50});
  }
  hwy::SetSupportedTargetsForTest(0);
}

// The largest sums of a tile, of either sign.
TEST(PairProducts, HoldsATileOfTheLargestIntegers) {
  Rows rows(max_paired_rows, std::vector<std::int16_t>(5, largest_paired));
  for (auto& row : rows) row[3] = -largest_paired;
  expect_products(rows, {0, 5, 5});
}

}  // namespace pair_products_test
}  // namespace tacet::numeric
