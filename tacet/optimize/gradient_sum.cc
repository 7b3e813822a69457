#include "tacet/optimize/gradient_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/numeric/kernels.h"
#include "tacet/optimize/weight_grid.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t rows_per_tile = 32;     // a tile's rows stay in the first cache level
constexpr std::int64_t rows_per_block = 2048;  // what a worker takes at a time
constexpr std::int64_t most_rows = std::int64_t{1} << 32;  // 2^32 * 2^30 = 2^62 fits 64 bits

// A worker's share of the sum: exact in doubles up to 2^53, then moved to 64-bit integers.
class Accumulator {
 public:
  Accumulator(std::size_t columns, int norm_bits)
      : exact_(columns, 0.0),
        total_(columns, 0),
        rows_before_flush_(std::int64_t{1} << (52 - norm_bits)) {}

  /// Room for `rows` more contributions, each at most 2^norm_bits in every coordinate.
  std::span<double> reserve(std::int64_t rows) {
    if (rows_ + rows > rows_before_flush_) flush();
    rows_ += rows;
    return exact_;
  }
  void add_to(std::span<std::int64_t> sum) {
    flush();
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += total_[j];
  }

 private:
  void flush() {
    for (std::size_t j = 0; j < exact_.size(); ++j) {
      total_[j] += static_cast<std::int64_t>(exact_[j]);
      exact_[j] = 0;
    }
    rows_ = 0;
  }

  std::vector<double> exact_;
  std::vector<std::int64_t> total_;
  std::int64_t rows_before_flush_;
  std::int64_t rows_ = 0;
};

// What turns a slope into the integer that multiplies a row.
struct ScalarRule {
  double factor;  // real slope to grid units of the row's integers
  std::span<const std::int32_t> bounds;

  [[nodiscard]] double operator()(double slope, std::int64_t row) const {
    return clamp_scalar(slope * factor, bounds[static_cast<std::size_t>(row)]);
  }
};

struct Pass {
  const data::Dataset& dataset;
  const GridWeights& weights;
  ScalarRule rule;
};

template <typename LossType>
void add_dense(const Pass& pass, const LossType& loss, std::int64_t begin, std::int64_t end,
               Accumulator& sum) {
  std::array<const std::int16_t*, rows_per_tile> rows;
  std::array<double, rows_per_tile> numbers;
  for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
    const std::int64_t count = std::min(rows_per_tile, end - tile);
    const auto length = static_cast<std::size_t>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      rows[static_cast<std::size_t>(i)] = pass.dataset.dense_row(tile + i).data();
    }
    numeric::exact_dots({rows.data(), length}, pass.weights.integers, {numbers.data(), length});
    for (std::int64_t i = 0; i < count; ++i) {
      double& number = numbers[static_cast<std::size_t>(i)];
      const double prediction = number * pass.weights.scale;
      number = pass.rule(loss.slope(prediction, pass.dataset.label(tile + i)), tile + i);
    }
    numeric::add_exact_multiples({rows.data(), length}, {numbers.data(), length},
                                 sum.reserve(count));
  }
}

template <typename LossType>
void add_sparse(const Pass& pass, const LossType& loss, std::int64_t begin, std::int64_t end,
                Accumulator& sum) {
  const double* weights = pass.weights.integers.data();
  for (std::int64_t i = begin; i < end; ++i) {
    const auto row = pass.dataset.sparse_row(i);
    double dot = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      dot += weights[row.columns[k]] * row.values[k];
    }
    const double scalar = pass.rule(loss.slope(dot * pass.weights.scale, pass.dataset.label(i)), i);
    double* target = sum.reserve(1).data();
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      target[row.columns[k]] += scalar * row.values[k];
    }
  }
}

}  // namespace

GradientSum::GradientSum(const data::Dataset& dataset, const model::Loss& loss,
                         const ContributionLimit& limit, base::ThreadPool& threads,
                         base::Reducer& reducer)
    : dataset_(dataset),
      loss_(loss),
      norm_bits_(limit.norm_bits),
      clipping_norm_(checked_clipping_norm(limit)),
      threads_(threads),
      reducer_(reducer) {
  if (dataset.rows() > most_rows) {
    throw base::UsageError("a data set may hold at most 2^32 records for one sum");
  }
  scalar_bounds_.reserve(static_cast<std::size_t>(dataset.rows()));
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    scalar_bounds_.push_back(scalar_bound(norm_bits_, dataset.squared_norm(i)));
  }
}

double GradientSum::grid() const { return std::ldexp(clipping_norm_, -norm_bits_); }

privacy::BoundedSum GradientSum::at(std::span<const double> weights) const {
  const auto columns = static_cast<std::size_t>(dataset_.columns());
  if (weights.size() != columns) {
    throw base::InternalError(
        fmt::format("{} weights for {} encoded columns", weights.size(), columns));
  }
  const GridWeights grid_weights = to_grid(weights, dataset_.norm_bound());
  const Pass pass{
      dataset_, grid_weights, {1 / (grid() * data::Dataset::feature_scale), scalar_bounds_}};
  std::vector<Accumulator> sums(static_cast<std::size_t>(threads_.size()),
                                Accumulator(columns, norm_bits_));
  std::visit(
      [&](const auto& loss) {
        threads_.for_blocks(dataset_.rows(), rows_per_block,
                            [&](int worker, std::int64_t begin, std::int64_t end) {
                              auto& sum = sums[static_cast<std::size_t>(worker)];
                              if (dataset_.sparse()) {
                                add_sparse(pass, loss, begin, end, sum);
                              } else {
                                add_dense(pass, loss, begin, end, sum);
                              }
                            });
      },
      loss_);
  std::vector<std::int64_t> total(columns, 0);
  for (auto& sum : sums) sum.add_to(total);
  reducer_.sum(total);
  return privacy::BoundedSum::from_certified(std::move(total), grid(),
                                             std::int64_t{1} << norm_bits_);
}

}  // namespace tacet::optimize
