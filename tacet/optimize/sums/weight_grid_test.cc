#include "tacet/optimize/sums/weight_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/data/dataset.h"

namespace tacet::optimize {
namespace weight_grid_test {

__extension__ using Wide = __int128;

constexpr double one = data::Dataset::feature_scale;

std::vector<double> random_weights(std::mt19937_64& bits, std::size_t columns, int exponent) {
  std::normal_distribution<double> normal;
  std::vector<double> weights(columns);
  for (double& w : weights) w = std::ldexp(normal(bits), exponent);
  return weights;
}

TEST(WeightGrid, MovesNoWeightByMoreThanHalfAStep) {
  std::mt19937_64 bits(1);
  for (const int exponent : {-300, -20, 0, 9, 300}) {
    const auto weights = random_weights(bits, 50, exponent);
    const auto grid = to_grid(weights, 1);
    const double step = grid.scale * one;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      EXPECT_EQ(grid.integers[j], std::nearbyint(grid.integers[j]));
      EXPECT_LE(std::fabs(grid.integers[j] * step - weights[j]), step / 2);
    }
    // Nobody sees it: 35 bits and more of the largest weight.
    EXPECT_LE(step, std::ldexp(1.0, exponent - 35));
  }
}

// The steepest row is the weights' own direction. Sums in any order are those of 128-bit integers.
TEST(WeightGrid, InnerProductsWithRowsAreExactInAnyOrder) {
  std::mt19937_64 bits(2);
  for (const double norm_bound : {1.0, 0.3, 7.0}) {
    for (const std::size_t columns : {1U, 3U, 100U, 3000U}) {
      const auto weights = random_weights(bits, columns, 2);
      const auto grid = to_grid(weights, norm_bound);
      double norm = 0;
      for (const double w : weights) norm += w * w;
      norm = std::sqrt(norm);
      std::vector<std::size_t> order(columns);
      for (std::size_t j = 0; j < columns; ++j) order[j] = j;
      std::vector<double> row(columns);
      Wide exact = 0;
      Wide absolute = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        row[j] = std::trunc(weights[j] / norm * one * norm_bound);
        const Wide product = static_cast<Wide>(grid.integers[j]) * static_cast<Wide>(row[j]);
        exact += product;
        absolute += product < 0 ? -product : product;
      }
      EXPECT_LE(absolute, Wide{1} << 53);
      for (int shuffle = 0; shuffle < 5; ++shuffle) {
        double sum = 0;
        for (const std::size_t j : order) sum += grid.integers[j] * row[j];
        EXPECT_EQ(static_cast<Wide>(sum), exact);
        std::shuffle(order.begin(), order.end(), bits);
      }
    }
  }
}

// The binary exponent of the norm decides, also beside powers of two, and where squares of doubles
// vanish or overflow.
TEST(WeightGrid, IsThatOfTheNormsExponent) {
  std::mt19937_64 bits(3);
  for (const int exponent : {-1000, -400, -20, 0, 39, 400, 900}) {
    for (const double length : {1.0, 1 + 0x1p-50, 1 - 0x1p-50, 1.3, 1.999999999, 2 - 0x1p-50}) {
      for (const std::size_t columns : {1U, 7U, 8U, 29U}) {
        std::vector<double> weights(columns, 0.0);
        weights[bits() % columns] = std::ldexp(length, exponent);
        const int own = std::ilogb(std::ldexp(length, exponent));
        EXPECT_EQ(weight_grid(weights, 1).factor, std::ldexp(1.0, std::min(38 - own, 1000)))
            << exponent << " " << length;
      }
    }
  }
  // Four equal weights are as long as twice one of them, to the bit.
  EXPECT_EQ(weight_grid(std::vector<double>(4, 0.5), 1).factor, 0x1p38);
  EXPECT_EQ(weight_grid(std::vector<double>(4, std::nextafter(0.5, 0)), 1).factor, 0x1p39);
}

TEST(WeightGrid, KnowsItsEdges) {
  EXPECT_EQ(to_grid(std::vector<double>{0, 0}, 1).integers, (std::vector<double>{0, 0}));
  EXPECT_TRUE(to_grid({}, 1).integers.empty());
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    EXPECT_THROW((void)to_grid(std::vector<double>{1, bad}, 1), base::InternalError);
  }
}

}  // namespace weight_grid_test
}  // namespace tacet::optimize
