#include "tacet/numeric/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace sparse_kernels_test {

struct Row {
  std::vector<std::uint32_t> columns;
  std::vector<std::int16_t> values;
};

// Rows of 0, 1, 2, .. entries, each in memory of exactly its size: a read beyond its end is one
// that the sanitizers see.
std::vector<Row> rows_of_every_length(std::size_t count, std::uint32_t columns) {
  std::mt19937_64 bits(7 * count);
  std::uniform_int_distribution<int> value(-2048, 2048);
  std::vector<std::uint32_t> all(columns);
  for (std::uint32_t j = 0; j < columns; ++j) all[j] = j;
  std::vector<Row> rows(count);
  for (std::size_t r = 0; r < count; ++r) {
    auto& row = rows[r];
    row.columns.resize(r);
    row.values.resize(r);
    std::ranges::sample(all, row.columns.begin(), static_cast<std::ptrdiff_t>(r), bits);
    for (auto& number : row.values) number = static_cast<std::int16_t>(value(bits));
  }
  return rows;
}

TEST(SparseKernels, EqualIntegerArithmeticOnEveryInstructionSet) {
  constexpr std::uint32_t columns = 67;
  const auto rows = rows_of_every_length(41, columns);
  std::mt19937_64 bits(5);
  std::uniform_int_distribution<std::int64_t> number(-(1LL << 31), 1LL << 31);
  std::vector<double> weights(columns);
  for (auto& weight : weights) weight = static_cast<double>(number(bits));
  std::vector<double> factors(rows.size());
  for (auto& factor : factors) factor = static_cast<double>(number(bits));
  std::vector<std::int64_t> dots(rows.size(), 0);
  std::vector<std::int64_t> sums(columns, 12345);
  std::vector<SparseIntegers> entries;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    entries.push_back({rows[r].columns, rows[r].values});
    for (std::size_t k = 0; k < r; ++k) {
      const auto column = rows[r].columns[k];
      dots[r] += rows[r].values[k] * static_cast<std::int64_t>(weights[column]);
      sums[column] += rows[r].values[k] * static_cast<std::int64_t>(factors[r]);
    }
  }
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    std::vector<double> found(rows.size());
    exact_sparse_dots(entries, weights, found);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      EXPECT_EQ(static_cast<std::int64_t>(found[r]), dots[r]) << r << " entries";
    }
    std::vector<std::int64_t> added(columns, 12345);
    add_sparse_multiples(entries, factors, added);
    EXPECT_EQ(added, sums);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// The widest numbers that are exact: 2048 times 2^41, and sums of 62 bits.
TEST(SparseKernels, HoldTheWidestNumbers) {
  const std::vector<std::uint32_t> columns{0, 2, 3, 5};
  const std::vector<std::int16_t> values{2048, -2048, 2048, -2048};
  const std::vector<SparseIntegers> rows{{columns, values}};
  const std::vector<double> weights{0x1p39, 0, -0x1p39, 0x1p39, 0, -0x1p39};
  std::vector<double> dots(1);
  exact_sparse_dots(rows, weights, dots);
  EXPECT_EQ(dots[0], 0x1p52);
  std::vector<std::int64_t> sums(6, (std::int64_t{1} << 62) - (std::int64_t{1} << 57));
  add_sparse_multiples(rows, std::vector{0x1p46}, sums);
  EXPECT_EQ(sums[0], std::int64_t{1} << 62);
  EXPECT_EQ(sums[1], (std::int64_t{1} << 62) - (std::int64_t{1} << 57));
  EXPECT_EQ(sums[2], (std::int64_t{1} << 62) - (std::int64_t{1} << 58));
}

}  // namespace sparse_kernels_test
}  // namespace tacet::numeric
