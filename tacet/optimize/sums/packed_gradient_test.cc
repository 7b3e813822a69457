#include "tacet/optimize/sums/packed_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/gradient_sum.h"

namespace tacet::optimize {
namespace packed_gradient_test {

using data::Dataset;
using data::EncodedRow;

// Twenty numbers, 3 columns between and behind them.
constexpr std::uint32_t packed_numbers = 20;

struct Shape {
  std::uint32_t knots;
  std::int64_t columns = (1 + knots) * packed_numbers + 3;

  [[nodiscard]] std::uint32_t line(std::uint32_t j) const {
    return (1 + knots) * j + (j > 9 ? 1 : 0);
  }
  [[nodiscard]] data::DatasetShape shape() const {
    data::DatasetShape shape{.columns = columns, .norm_bound = 1};
    for (std::uint32_t j = 0; j < packed_numbers; ++j) {
      shape.hats.push_back(
          {.line = line(j), .knots = knots, .slope = 2.5 - 0.1 * j, .zero = 0.3 + 0.02 * j});
    }
    return shape;
  }
};

// Rows as an encoder makes them, rows of anything, and rows of zeros.
std::vector<EncodedRow> records_of(const Shape& shape, int count, double odd_share,
                                   std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  const auto hats = shape.shape().hats;
  std::vector<EncodedRow> records;
  for (int i = 0; i < count; ++i) {
    EncodedRow row;
    row.label = static_cast<double>(bits() % 3);
    const bool odd = uniform() < odd_share;
    const double factor = 0.01 + 0.15 * uniform();
    row.scale = factor * Dataset::feature_scale;
    const auto add = [&](std::uint32_t column, double value) {
      if (!odd) {
        row.plain_columns.push_back(column);
        row.plain_values.push_back(value);
      }
      const auto integer = static_cast<std::int16_t>(value * row.scale);
      if (integer == 0) return;
      row.columns.push_back(column);
      row.values.push_back(integer);
    };
    for (std::uint32_t j = 0; j < packed_numbers && i % 8 != 7; ++j) {
      const double share = i % 16 == 3 ? 1 : uniform();
      const double at = share * (shape.knots - 1);
      const auto knot = std::min(static_cast<std::uint32_t>(at), shape.knots - 2);
      add(shape.line(j), hats[j].slope * (share - hats[j].zero));
      add(shape.line(j) + 1 + knot, 0.5 * (1 - (at - knot)));
      add(shape.line(j) + 2 + knot, 0.5 * (at - knot));
    }
    if (i % 8 != 7) add(static_cast<std::uint32_t>(shape.columns - 1), 1);
    records.push_back(std::move(row));
  }
  return records;
}

Dataset filled(const Shape& shape, const std::vector<EncodedRow>& records, double classes) {
  Dataset dataset(shape.shape());
  for (auto record : records) {
    if (classes == 2) record.label = record.label == 0 ? -1 : 1;
    dataset.append(record);
  }
  return dataset;
}

std::vector<std::int32_t> integers_of(const Dataset& dataset, std::int64_t row) {
  std::vector<std::int32_t> integers(static_cast<std::size_t>(dataset.columns()));
  const auto odd = dataset.odd_row(row);
  if (!odd.empty()) return {odd.begin(), odd.end()};
  dataset.packing()->integers(dataset.packed_row(row), integers);
  return integers;
}

std::vector<std::int64_t> sum_of(const GradientSum& sum, std::span<const double> weights,
                                 const std::vector<std::int64_t>& rows) {
  const auto open =
      sum.partial(weights, rows, privacy::PassBlock{0}).take(mechanism::AccessKeys::key());
  const auto values = open.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

std::vector<double> weights_of(std::int64_t columns, std::int64_t outputs) {
  std::vector<double> weights;
  for (std::int64_t j = 0; j < outputs * columns; ++j) {
    weights.push_back(std::sin(static_cast<double>(j)));
  }
  return weights;
}

// A sum over any rows, in any parts, is that of each row alone.
TEST(PackedGradient, TheSumIsThatOfSingleRowsForAnyThreadsAndParts) {
  const auto losses_and_outputs =
      std::vector<std::pair<model::Loss, std::int64_t>>{{model::LogisticLoss{}, 1},
                                                        {model::SquaredLoss{}, 1},
                                                        {model::LogisticLoss{}, 3},
                                                        {model::SoftmaxLoss{}, 3}};
  for (const std::uint32_t knots : {8U, 32U}) {
    const Shape shape{knots};
    for (const double odd_share : {0.0, 0.1}) {
      const auto records = records_of(shape, 700, odd_share, 21);
      for (const auto& [loss, outputs] : losses_and_outputs) {
        const auto packed = filled(shape, records, outputs == 1 ? 2 : 3);
        ASSERT_EQ(packed.has_odd_rows(), odd_share > 0);
        const auto weights = weights_of(shape.columns, outputs);
        for (const int norm_bits : {14, 26, 30}) {
          const ContributionLimit limit{.clipping_norm = 0.3, .norm_bits = norm_bits};
          base::ThreadPool alone(1);
          const GradientSum sum({packed, loss, outputs}, limit, alone);
          std::vector<std::int64_t> expected(weights.size());
          std::vector<std::int64_t> listed(weights.size());
          std::vector<std::int64_t> rows;
          for (std::int64_t row = 0; row < packed.rows(); ++row) {
            const auto one = sum_of(sum, weights, {row});
            for (std::size_t j = 0; j < one.size(); ++j) expected[j] += one[j];
            if (row % 3 == 1) continue;
            rows.push_back(row);
            for (std::size_t j = 0; j < one.size(); ++j) listed[j] += one[j];
          }
          EXPECT_EQ(sum_of(sum, weights, rows), listed);
          for (const int threads : {1, 3}) {
            base::ThreadPool pool(threads);
            EXPECT_EQ(GradientSum({packed, loss, outputs}, limit, pool).integers(weights),
                      expected);
          }
        }
      }
    }
  }
}

// Of one output: an integer times the row's integers, near what the loss says of its features.
TEST(PackedGradient, ARowAddsItsSlopeTimesItsIntegers) {
  const Shape shape{32};
  const auto packed = filled(shape, records_of(shape, 200, 0.1, 3), 2);
  const auto weights = weights_of(shape.columns, 1);
  const ContributionLimit limit{.clipping_norm = 0.3, .norm_bits = 26};
  const model::Loss loss = model::SquaredLoss{};
  base::ThreadPool alone(1);
  const GradientSum sum({packed, loss, 1}, limit, alone);
  int cut = 0;
  for (std::int64_t row = 0; row < packed.rows(); ++row) {
    const auto integers = integers_of(packed, row);
    const auto found = sum_of(sum, weights, {row});
    double margin = 0;
    for (std::size_t j = 0; j < integers.size(); ++j) {
      margin += weights[j] * packed.scale(row) * integers[j] / 2048.0;
    }
    const double slope = model::loss_slope(loss, margin, packed.label(row));
    const auto bound = scalar_bound(std::int64_t{1} << 26, packed.squared_norm(row));
    const double wanted = slope * packed.scale(row) / (sum.grid() * 2048.0);
    const double expected = std::clamp<double>(wanted, -bound, bound);
    cut += expected != wanted ? 1 : 0;
    // Half a unit of a line here and there.
    const double near = 1 + 0.002 * std::fabs(expected) +
                        0.004 * packed.scale(row) * packed.scale(row) / (sum.grid() * 2048.0);
    for (std::size_t j = 0; j < integers.size(); ++j) {
      EXPECT_NEAR(static_cast<double>(found[j]), expected * integers[j],
                  near * std::abs(integers[j]));
    }
    const auto last = static_cast<std::size_t>(shape.columns - 1);
    for (std::size_t j = 0; j < integers.size(); ++j) {
      EXPECT_EQ(found[j] * integers[last], found[last] * integers[j]);
    }
  }
  EXPECT_GT(cut, 0);
  EXPECT_LT(cut, 200);
}

// The bound of the integers is of the row that is summed: no record moves the sum further, and
// some as far.
TEST(PackedGradient, ARecordMovesTheSumByTheSensitivityAtMost) {
  for (const std::uint32_t knots : {8U, 32U}) {
    const Shape shape{knots};
    const auto packed = filled(shape, records_of(shape, 400, 0.2, 5), 2);
    const std::vector<double> weights(static_cast<std::size_t>(shape.columns), 0.0);
    const model::Loss loss = model::HingeLoss{};
    const ContributionLimit limit{.clipping_norm = 0.01, .norm_bits = 24};
    base::ThreadPool alone(1);
    const GradientSum sum({packed, loss, 1}, limit, alone);
    double largest = 0;
    for (std::int64_t row = 0; row < packed.rows(); ++row) {
      double square = 0;
      for (const auto number : sum_of(sum, weights, {row})) {
        square += std::pow(static_cast<double>(number), 2);
      }
      largest = std::max(largest, std::sqrt(square));
    }
    EXPECT_LE(largest, 0x1p24);
    EXPECT_GE(largest, 0.999 * 0x1p24);
  }
}

// Wherever a record stands among others, taking it away moves the sum by what it adds alone.
TEST(PackedGradient, ARecordAddsTheSameAtEveryPlace) {
  for (const std::uint32_t knots : {8U, 32U}) {
    const Shape shape{knots};
    const auto packed = filled(shape, records_of(shape, 40, 0.2, 5), 2);
    const std::vector<double> weights(static_cast<std::size_t>(shape.columns), 0.0);
    const model::Loss loss = model::HingeLoss{};
    base::ThreadPool alone(1);
    const GradientSum sum({packed, loss, 1}, {.clipping_norm = 0.01, .norm_bits = 24}, alone);
    std::vector<std::int64_t> all(static_cast<std::size_t>(packed.rows()));
    std::iota(all.begin(), all.end(), 0);
    const auto whole = sum_of(sum, weights, all);
    for (std::int64_t row = 0; row < packed.rows(); ++row) {
      auto others = all;
      others.erase(others.begin() + row);
      const auto rest = sum_of(sum, weights, others);
      const auto one = sum_of(sum, weights, {row});
      for (std::size_t j = 0; j < whole.size(); ++j) ASSERT_EQ(whole[j] - rest[j], one[j]) << row;
    }
  }
}

// A bound of slopes cuts what a row of any scale adds.
TEST(PackedGradient, ABoundOfSlopesCountsBeforeTheScale) {
  const Shape shape{8};
  const auto packed = filled(shape, records_of(shape, 100, 0.2, 5), 2);
  const std::vector<double> weights(static_cast<std::size_t>(shape.columns), 0.0);
  const model::Loss loss = model::HingeLoss{};  // of slope 1
  base::ThreadPool alone(1);
  const auto of = [&](double slope_bound) {
    return GradientSum({packed, loss, 1},
                       {.clipping_norm = 10, .norm_bits = 30, .slope_bound = slope_bound}, alone);
  };
  const auto cut = of(0.25);
  const auto whole = of(2);
  for (std::int64_t row = 0; row < packed.rows(); ++row) {
    const auto one = sum_of(cut, weights, {row}).back();
    const auto other = sum_of(whole, weights, {row}).back();
    EXPECT_NEAR(static_cast<double>(one), 0.25 * static_cast<double>(other),
                2.0 * integers_of(packed, row).back());
  }
}

}  // namespace packed_gradient_test
}  // namespace tacet::optimize
