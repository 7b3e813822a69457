#include "tacet/numeric/symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace tacet::numeric {
namespace symmetric_test {

/// B B' / rows with columns of falling length, so that a few directions have most of the trace.
SymmetricBlock random_block(std::size_t size, double fall, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SymmetricBlock block{size, std::vector<double>(size * size, 0.0)};
  double length = 1;
  for (std::size_t k = 0; k < size; ++k, length *= fall) {
    std::vector<double> column(size);
    for (double& value : column) value = length * normal(random);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) block.matrix[i * size + j] += column[i] * column[j];
    }
  }
  return block;
}

TEST(Eigensystem, OfASmallMatrixIsKnown) {
  const auto system = eigensystem({2, 1, 1, 2}, 2);
  auto values = system.values;
  std::ranges::sort(values);
  EXPECT_NEAR(values[0], 1, 1e-15);
  EXPECT_NEAR(values[1], 3, 1e-15);
}

TEST(Eigensystem, GivesTheMatrixBack) {
  for (const std::size_t size : {1U, 2U, 7U, 30U, 64U}) {
    const auto block = random_block(size, 0.8, 3);
    const auto system = eigensystem(block.matrix, size);
    const double largest = std::ranges::max(system.values);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        double inner = 0;
        for (std::size_t k = 0; k < size; ++k) {
          sum += system.vectors[i * size + k] * system.values[k] * system.vectors[j * size + k];
          inner += system.vectors[k * size + i] * system.vectors[k * size + j];
        }
        EXPECT_NEAR(sum, block.matrix[i * size + j], 1e-12 * largest);
        EXPECT_NEAR(inner, i == j ? 1 : 0, 1e-13);
      }
    }
  }
}

TEST(LeadingSpace, HasNearlyTheTraceOfTheLeadingEigenvectors) {
  base::ThreadPool threads(1);
  const std::vector<SymmetricBlock> blocks{random_block(60, 0.9, 1), random_block(40, 0.9, 2)};
  std::vector<double> values;
  for (const auto& block : blocks) {
    const auto system = eigensystem(block.matrix, block.size);
    values.insert(values.end(), system.values.begin(), system.values.end());
  }
  std::ranges::sort(values, std::greater());
  for (const std::size_t count : {1U, 5U, 20U, 45U}) {
    const auto space = leading_space(blocks, count, threads);
    double best = 0;
    for (std::size_t k = 0; k < count; ++k) best += values[k];
    EXPECT_GE(space.energy, 0.999 * best) << count;
    EXPECT_LE(space.energy, best * (1 + 1e-12)) << count;
    EXPECT_EQ(space.parts[0].count + space.parts[1].count, count);
  }
}

TEST(LeadingSpace, IsOrthonormalAndHasNoMoreDimensionsThanTheMatrix) {
  base::ThreadPool threads(1);
  auto block = random_block(30, 0.5, 4);
  const auto space = leading_space({block}, 30, threads);
  const auto& part = space.parts[0];
  EXPECT_LT(part.count, 30);  // the rest is a ten-thousandth of the trace
  EXPECT_GT(space.energy, 0.9998 * space.trace);
  for (std::size_t a = 0; a < part.count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double inner = 0;
      for (std::size_t i = 0; i < block.size; ++i) {
        inner += part.vectors[i * part.count + a] * part.vectors[i * part.count + b];
      }
      EXPECT_NEAR(inner, a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(LeadingSpace, HasTheSameBitsForAnyNumberOfThreads) {
  const std::vector<SymmetricBlock> blocks{random_block(133, 0.97, 5), random_block(70, 0.97, 6)};
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  for (const std::size_t count : {30U, 160U}) {
    const auto alone = leading_space(blocks, count, one);
    const auto together = leading_space(blocks, count, three);
    EXPECT_EQ(alone.energy, together.energy);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      EXPECT_EQ(alone.parts[b].vectors, together.parts[b].vectors);
    }
  }
}

}  // namespace symmetric_test
}  // namespace tacet::numeric
