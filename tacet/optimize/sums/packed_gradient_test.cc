#include "tacet/optimize/sums/packed_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/gradient_sum.h"

namespace tacet::optimize {
namespace packed_gradient_test {

using data::Dataset;
using data::Storage;

struct Record {
  std::vector<std::int16_t> features;
  double label;
};

// Twenty numbers with 4 knots, 3 columns between and behind them.
constexpr std::uint32_t packed_numbers = 20;
constexpr std::int64_t packed_columns = 5 * packed_numbers + 3;

Dataset packable(bool packs, Storage storage = Storage::dense) {
  data::DatasetShape shape{.columns = packed_columns, .norm_bound = 1, .storage = storage};
  for (std::uint32_t j = 0; packs && j < packed_numbers; ++j) {
    shape.hats.push_back({.line = 5 * j + (j > 9 ? 1 : 0), .knots = 4, .slope = 2.5, .zero = 0.5});
  }
  return Dataset(shape);
}

// Rows as an encoder makes them, rows of anything, and rows of zeros.
std::vector<Record> packable_records(int count, double odd_share, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) {
    Record record{std::vector<std::int16_t>(packed_columns, 0), static_cast<double>(bits() % 3)};
    const bool odd = uniform() < odd_share;
    const double scale = 20 + 230 * uniform();
    const auto set = [&](std::size_t column, double value) {
      record.features[column] = static_cast<std::int16_t>(value);
    };
    for (std::size_t j = 0; j < packed_numbers && i % 8 != 7; ++j) {
      const std::size_t line = 5 * j + (j > 9 ? 1 : 0);
      const double share = uniform();
      const auto knot = std::min(static_cast<std::size_t>(3 * share), std::size_t{2});
      const double right = 3 * share - static_cast<double>(knot);
      set(line, (odd ? 0.5 : 2.5) * (share - 0.5) * scale);
      set(line + 1 + knot, 0.5 * scale * (1 - right));
      set(line + 2 + knot, 0.5 * scale * right);
    }
    if (i % 8 != 7) set(packed_columns - 1, scale);
    records.push_back(std::move(record));
  }
  return records;
}

Dataset filled(Dataset dataset, const std::vector<Record>& records, double classes) {
  for (const auto& record : records) {
    dataset.append_dense(record.features,
                         classes == 2 ? (record.label == 0 ? -1 : 1) : record.label);
  }
  return dataset;
}

TEST(PackedGradient, PackedRowsGiveTheSameBits) {
  const auto losses_and_outputs =
      std::vector<std::pair<model::Loss, std::int64_t>>{{model::LogisticLoss{}, 1},
                                                        {model::SquaredLoss{}, 1},
                                                        {model::HuberLoss{0.3}, 1},
                                                        {model::LogisticLoss{}, 3},
                                                        {model::SoftmaxLoss{}, 3}};
  for (const double odd_share : {0.0, 0.1}) {
    const auto records = packable_records(5000, odd_share, 21);
    for (const auto& [loss, outputs] : losses_and_outputs) {
      const double classes = outputs == 1 ? 2 : 3;
      const auto packed = filled(packable(true), records, classes);
      ASSERT_EQ(packed.has_odd_rows(), odd_share > 0);
      const auto dense = filled(packable(false), records, classes);
      const auto sparse = filled(packable(false, Storage::sparse), records, classes);
      std::vector<double> weights;
      for (std::int64_t j = 0; j < outputs * packed_columns; ++j) {
        weights.push_back(std::sin(static_cast<double>(j)));
      }
      for (const int norm_bits : {14, 26, 30}) {
        const ContributionLimit limit{.clipping_norm = 0.3, .norm_bits = norm_bits};
        base::ThreadPool alone(1);
        const auto expected = GradientSum({dense, loss, outputs}, limit, alone).integers(weights);
        EXPECT_EQ(GradientSum({sparse, loss, outputs}, limit, alone).integers(weights), expected);
        for (const int threads : {1, 2, 3}) {
          base::ThreadPool pool(threads);
          EXPECT_EQ(GradientSum({packed, loss, outputs}, limit, pool).integers(weights), expected);
        }
        std::vector<std::int64_t> rows;
        for (std::int64_t i = 4; i < 5000; i += 1 + i % 7) rows.push_back(i);
        const auto listed = [&](const Dataset& dataset) {
          const auto sum = GradientSum({dataset, loss, outputs}, limit, alone)
                               .partial(weights, rows, privacy::PassBlock{0})
                               .take(mechanism::AccessKeys::key());
          const auto values = sum.open(mechanism::AccessKeys::key());
          return std::vector<std::int64_t>(values.begin(), values.end());
        };
        EXPECT_EQ(listed(packed), listed(dense));
      }
    }
  }
}

// The bound of the integers is of the row that comes out: no record moves the sum further, and
// some as far.
TEST(PackedGradient, ARecordMovesTheSumByTheSensitivityAtMost) {
  const auto records = packable_records(400, 0.2, 5);
  const std::vector<double> weights(packed_columns, 0.0);
  const model::Loss loss = model::HingeLoss{};
  const ContributionLimit limit{.clipping_norm = 0.01, .norm_bits = 20};
  base::ThreadPool alone(1);
  double largest = 0;
  for (const auto& record : records) {
    const auto one = filled(packable(true), {record}, 2);
    double square = 0;
    for (const auto number : GradientSum({one, loss, 1}, limit, alone).integers(weights)) {
      square += std::pow(static_cast<double>(number), 2);
    }
    largest = std::max(largest, std::sqrt(square));
  }
  EXPECT_LE(largest, 0x1p20);
  EXPECT_GE(largest, 0.99 * 0x1p20);
}

}  // namespace packed_gradient_test
}  // namespace tacet::optimize
