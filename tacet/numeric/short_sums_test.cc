#include "tacet/numeric/short_sums.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <vector>

#include "tacet/numeric/kernels.h"

namespace tacet::numeric {
namespace short_sums_test {

constexpr std::int64_t largest = 2048;

struct Problem {
  std::vector<std::vector<std::int16_t>> rows;
  std::vector<const std::int16_t*> pointers;
  std::vector<double> weights;
  std::vector<double> factors;

  // Integers up to the largest ones allowed, which stand in half of the places.
  Problem(std::size_t row_count, std::size_t columns, std::int64_t weight, std::int64_t factor) {
    std::mt19937_64 bits(1000 * columns + row_count);
    const auto draw = [&](std::int64_t most) {
      const std::int64_t sign = bits() % 2 == 0 ? 1 : -1;
      return sign * (bits() % 2 == 0 ? most : static_cast<std::int64_t>(bits() >> 1) % (most + 1));
    };
    for (std::size_t r = 0; r < row_count; ++r) {
      auto& row = rows.emplace_back();
      for (std::size_t j = 0; j < columns; ++j) {
        row.push_back(static_cast<std::int16_t>(draw(largest)));
      }
      factors.push_back(static_cast<double>(draw(factor)));
    }
    for (const auto& row : rows) pointers.push_back(row.data());
    for (std::size_t j = 0; j < columns; ++j) weights.push_back(static_cast<double>(draw(weight)));
  }
};

// Kernels have a version more than tests where one instruction multiplies and adds.
std::vector<std::int64_t> instruction_sets() {
  auto targets = hwy::SupportedAndGeneratedTargets();
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) targets.push_back(HWY_AVX3_DL);
  return targets;
}

template <typename Check>
void on_every_instruction_set(const Check& check) {
  for (const auto targets : instruction_sets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (const std::size_t columns : {32U, 33U, 63U, 64U, 100U, 509U}) {
      for (const std::size_t row_count : {1U, 2U, 4U, 7U, 32U, 41U}) check(row_count, columns);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(ShortSums, HaveTheBitsOfDoubles) {
  constexpr std::int64_t weight = (std::int64_t{1} << 32) - 1;  // sums then stay below 2^53
  on_every_instruction_set([](std::size_t row_count, std::size_t columns) {
    const Problem problem(row_count, columns, weight, (1 << 29) - 1);
    std::vector<double> dots(row_count);
    std::vector<double> truth(row_count);
    const std::vector<const std::int16_t*> next(problem.pointers.rbegin(), problem.pointers.rend());
    const ShortRows rows(problem.pointers, next);
    exact_dots(rows, ShortWeights(problem.weights), dots);
    exact_dots(problem.pointers, problem.weights, truth);
    EXPECT_EQ(dots, truth);
    std::vector<double> sums(columns, 12345.0);
    std::vector<double> true_sums(columns, 12345.0);
    add_short_multiples(rows, problem.factors, sums);
    add_exact_multiples(problem.pointers, problem.factors, true_sums);
    EXPECT_EQ(sums, true_sums);
  });
}

TEST(ShortSums, ReachTheLargestSumsOfPieces) {
  // All pieces just below 2^13 in size and of one sign, in as many columns as are allowed.
  const std::size_t columns = (std::size_t{1} << 14) - 1;
  const std::int64_t piece = 1 - (std::int64_t{1} << 13);
  const auto weight = static_cast<double>(piece + (piece << 14) + (piece << 28));
  const std::vector<double> weights(columns, weight);
  EXPECT_TRUE(ShortWeights::fit(weights, largest * largest));
  // A row of so many columns whose squares sum up to 2048^2.
  const std::vector<std::int16_t> row(columns, 16);
  const std::int16_t* pointer = row.data();
  double dot = 0;
  exact_dots(ShortRows({&pointer, 1}), ShortWeights(weights), {&dot, 1});
  EXPECT_EQ(dot, weight * 16 * static_cast<double>(columns));
}

TEST(ShortSums, TakeFactorsThatDoNotFitInDoubles) {
  const Problem problem(5, 40, 1, std::int64_t{1} << 30);
  std::vector<double> sums(40, 0.0);
  std::vector<double> truth(40, 0.0);
  add_short_multiples(ShortRows(problem.pointers), problem.factors, sums);
  add_exact_multiples(problem.pointers, problem.factors, truth);
  EXPECT_EQ(sums, truth);
}

TEST(ShortSums, RefuseWhatWouldLeave32Bits) {
  const std::vector<double> small(64, 1.0);
  EXPECT_TRUE(ShortWeights::fit(small, largest * largest));
  EXPECT_FALSE(ShortWeights::fit(std::vector<double>(31, 1.0), largest * largest));
  EXPECT_FALSE(ShortWeights::fit(std::vector<double>(64, 0x1p41), largest * largest));
  EXPECT_FALSE(ShortWeights::fit(small, std::int64_t{1} << 30));
  EXPECT_FALSE(
      ShortWeights::fit(std::vector<double>(std::size_t{1} << 14, 1.0), largest * largest));
}

}  // namespace short_sums_test
}  // namespace tacet::numeric
