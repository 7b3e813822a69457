#include "tacet/numeric/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace kernels_test {

struct Problem {
  std::vector<std::vector<std::int16_t>> rows;
  std::vector<const std::int16_t*> pointers;
  std::vector<double> weights;
  std::vector<double> factors;

  Problem(std::size_t row_count, std::size_t columns, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::uniform_int_distribution<int> feature(-2048, 2048);
    std::uniform_int_distribution<std::int64_t> weight(-(1LL << 30), 1LL << 30);
    for (std::size_t r = 0; r < row_count; ++r) {
      auto& row = rows.emplace_back();
      for (std::size_t j = 0; j < columns; ++j) {
        row.push_back(static_cast<std::int16_t>(feature(bits)));
      }
      factors.push_back(static_cast<double>(weight(bits)));
    }
    for (const auto& row : rows) pointers.push_back(row.data());
    for (std::size_t j = 0; j < columns; ++j) {
      weights.push_back(static_cast<double>(weight(bits)));
    }
  }
};

TEST(Kernels, EqualIntegerArithmeticOnEveryInstructionSet) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (const std::size_t columns : {1u, 2u, 7u, 8u, 9u, 54u, 109u, 131u}) {
      for (const std::size_t row_count : {1u, 2u, 3u, 4u, 5u, 17u}) {
        Problem problem(row_count, columns, 1000 * columns + row_count);
        std::vector<double> dots(row_count);
        exact_dots(problem.pointers, problem.weights, dots);
        std::vector<double> sums(columns, 12345.0);
        add_exact_multiples(problem.pointers, problem.factors, sums);
        for (std::size_t r = 0; r < row_count; ++r) {
          std::int64_t truth = 0;
          for (std::size_t j = 0; j < columns; ++j) {
            truth += problem.rows[r][j] * static_cast<std::int64_t>(problem.weights[j]);
          }
          EXPECT_EQ(static_cast<std::int64_t>(dots[r]), truth);
        }
        for (std::size_t j = 0; j < columns; ++j) {
          std::int64_t truth = 12345;
          for (std::size_t r = 0; r < row_count; ++r) {
            truth += problem.rows[r][j] * static_cast<std::int64_t>(problem.factors[r]);
          }
          EXPECT_EQ(static_cast<std::int64_t>(sums[j]), truth);
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Kernels, NameTheirInstructionSet) { EXPECT_FALSE(kernel_target().empty()); }

}  // namespace kernels_test
}  // namespace tacet::numeric
