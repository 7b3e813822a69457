#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/gradient_sum.h"

namespace tacet::optimize {
namespace softmax_gradient_test {

using data::Storage;

constexpr std::size_t columns = 3;
constexpr std::int64_t classes = 4;

data::Dataset records(std::mt19937_64& bits, int count, Storage storage) {
  data::Dataset dataset({.columns = columns, .norm_bound = 1, .storage = storage});
  for (int i = 0; i < count; ++i) {
    std::vector<std::int16_t> row;
    for (std::size_t j = 0; j < columns; ++j) {
      row.push_back(static_cast<std::int16_t>(static_cast<int>(bits() % 2301) - 1150));
    }
    dataset.append_dense(row, static_cast<double>(bits() % classes));
  }
  return dataset;
}

std::vector<std::int64_t> sum_of(const data::Dataset& dataset, std::span<const double> weights,
                                 int threads = 1) {
  base::ThreadPool pool(threads);
  const model::Loss loss = model::SoftmaxLoss{};
  const ContributionLimit limit{.clipping_norm = 2, .norm_bits = 30};
  const auto sum = GradientSum({dataset, loss, classes}, limit, pool).at(weights);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

std::vector<double> random_weights(std::mt19937_64& bits, double size) {
  std::normal_distribution<double> normal(0, size);
  std::vector<double> weights(columns * classes);
  for (auto& w : weights) w = normal(bits);
  return weights;
}

// Where nothing is clipped it is the gradient of ln sum exp(u_c) - u_y, by differences of its
// value.
TEST(SoftmaxGradient, IsTheDerivativeOfTheLoss) {
  std::mt19937_64 bits(4);
  const auto dataset = records(bits, 50, Storage::dense);
  const auto weights = random_weights(bits, 2);
  const auto value = [&](const std::vector<double>& at) {
    double sum = 0;
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      double total = 0;
      double own = 0;
      for (std::int64_t c = 0; c < classes; ++c) {
        double u = 0;
        for (std::size_t j = 0; j < columns; ++j) {
          u += at[static_cast<std::size_t>(c) * columns + j] * dataset.dense_row(i)[j] / 2048.0;
        }
        total += std::exp(u);
        if (dataset.label(i) == static_cast<double>(c)) own = u;
      }
      sum += std::log(total) - own;
    }
    return sum;
  };
  const auto sum = sum_of(dataset, weights);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    auto up = weights;
    auto down = weights;
    up[k] += 1e-5;
    down[k] -= 1e-5;
    // Each of the 50 scalars is truncated to a multiple of 2048 2 / 2^30.
    EXPECT_NEAR(static_cast<double>(sum[k]) * 2 / 0x1p30, (value(up) - value(down)) / 2e-5,
                50 * 2048 * 2 / 0x1p30);
  }
  // Probabilities add up to 1, so a column's gradients over the classes cancel.
  for (std::size_t j = 0; j < columns; ++j) {
    double total = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      total += static_cast<double>(sum[c * columns + j]) / 0x1p29;
    }
    EXPECT_NEAR(total, 0, 1e-4);
  }
}

// Weights of every size, also those whose margins overflow exp: one record never passes the bound.
TEST(SoftmaxGradient, OneRecordStaysWithinTheBoundWhateverTheWeights) {
  std::mt19937_64 bits(8);
  double longest = 0;
  for (const double size : {0.1, 5.0, 1e3, 1e12}) {
    for (int i = 0; i < 200; ++i) {
      const auto one = sum_of(records(bits, 1, Storage::dense), random_weights(bits, size));
      double square = 0;
      for (const auto v : one) square += static_cast<double>(v) * static_cast<double>(v);
      EXPECT_LE(square, 0x1p60);
      longest = std::max(longest, std::sqrt(square) * 2 / 0x1p30);
    }
  }
  EXPECT_LE(longest, std::sqrt(2.0) * (1 + 1e-6));  // of rows of norm 1
  EXPECT_GT(longest, 1.1);
}

TEST(SoftmaxGradient, IsTheSameForAnyThreadsAndForDenseAndSparse) {
  std::mt19937_64 one(6);
  std::mt19937_64 other(6);
  const auto dense = records(one, 3000, Storage::dense);
  const auto sparse = records(other, 3000, Storage::sparse);
  const auto weights = random_weights(one, 1);
  const auto expected = sum_of(dense, weights);
  EXPECT_EQ(sum_of(dense, weights, 4), expected);
  EXPECT_EQ(sum_of(sparse, weights, 3), expected);
}

}  // namespace softmax_gradient_test
}  // namespace tacet::optimize
