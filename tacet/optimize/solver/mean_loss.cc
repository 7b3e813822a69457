#include "tacet/optimize/solver/mean_loss.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/numeric/elementary.h"

namespace tacet::optimize::internal {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// The records are summed in this many parts, whatever the number of threads, so that the order of
// the additions, and with it the last bit, never changes.
constexpr std::int64_t parts = 16;
constexpr double unit = 1.0 / data::Dataset::feature_scale;
constexpr auto absent = std::numeric_limits<std::uint32_t>::max();

using Places = std::vector<std::uint32_t>;

double row_product(const data::Dataset& dataset, const Places& places, std::int64_t row,
                   const Vector& weights) {
  double sum = 0;
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      sum += weights[places[entries.columns[k]]] * entries.values[k];
    }
  } else {
    const auto values = dataset.dense_row(row);
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum += weights[static_cast<Eigen::Index>(j)] * values[j];
    }
  }
  return sum * unit;
}

void add_row(const data::Dataset& dataset, const Places& places, std::int64_t row, double factor,
             Vector& sum) {
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      sum[places[entries.columns[k]]] += factor * unit * entries.values[k];
    }
  } else {
    const auto values = dataset.dense_row(row);
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum[static_cast<Eigen::Index>(j)] += factor * unit * values[j];
    }
  }
}

// Lower triangle only.
void add_outer(const data::Dataset& dataset, const Places& places, std::int64_t row, double factor,
               Matrix& sum) {
  if (factor == 0) return;
  const double scaled = factor * unit * unit;
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t a = 0; a < entries.columns.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        sum(places[entries.columns[a]], places[entries.columns[b]]) +=
            scaled * entries.values[a] * entries.values[b];
      }
    }
    return;
  }
  const auto values = dataset.dense_row(row);
  for (std::size_t b = 0; b < values.size(); ++b) {
    if (values[b] == 0) continue;
    const double side = scaled * values[b];
    double* column = &sum(0, static_cast<Eigen::Index>(b));
    for (std::size_t a = b; a < values.size(); ++a) column[a] += side * values[a];
  }
}

template <typename Visit>
void each_entry(const data::Dataset& dataset, const Places& places, std::int64_t row,
                const Visit& visit) {
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      visit(static_cast<Eigen::Index>(places[entries.columns[k]]), unit * entries.values[k]);
    }
    return;
  }
  const auto values = dataset.dense_row(row);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] != 0) visit(static_cast<Eigen::Index>(j), unit * values[j]);
  }
}

void merge(MeanLoss& sum, const MeanLoss& part, bool with_hessian) {
  sum.value += part.value;
  sum.tangent += part.tangent;
  sum.gradient += part.gradient;
  if (with_hessian) sum.hessian += part.hessian;
}

/// Adds up the sums of all parts and divides by the number of records.
MeanLoss mean_of(std::vector<MeanLoss>& sums, std::int64_t rows, bool with_hessian) {
  auto& total = sums[0];
  for (std::size_t part = 1; part < sums.size(); ++part) merge(total, sums[part], with_hessian);
  const double n = static_cast<double>(std::max<std::int64_t>(1, rows));
  total.value /= n;
  total.tangent /= n;
  total.gradient /= n;
  if (with_hessian) total.hessian /= n;
  return std::move(total);
}

}  // namespace

MeanLossSum::MeanLossSum(const data::Dataset& dataset, std::optional<std::int64_t> positive,
                         model::ClassWeights weights, base::ThreadPool& threads)
    : dataset_(dataset),
      positive_(positive),
      weights_(std::move(weights)),
      threads_(threads),
      columns_(dataset.columns()) {
  if (!dataset.sparse()) return;
  places_.assign(static_cast<std::size_t>(dataset.columns()), absent);
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    for (const auto column : dataset.sparse_row(row).columns) places_[column] = 0;
  }
  std::uint32_t next = 0;
  for (auto& place : places_) {
    if (place != absent) place = next++;
  }
  columns_ = next;
}

std::vector<double> MeanLossSum::spread(const Vector& weights) const {
  if (places_.empty()) return {weights.begin(), weights.end()};
  std::vector<double> all(places_.size(), 0.0);
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (places_[j] != absent) all[j] = weights[static_cast<Eigen::Index>(places_[j])];
  }
  return all;
}

double MeanLossSum::longest_sum() const {
  return static_cast<double>(dataset_.rows() / parts + 1 + parts);
}

void MeanLossSum::add(const model::Loss& loss, const Vector& weights, std::int64_t row,
                      MeanLoss& sum) const {
  const double u = row_product(dataset_, places_, row, weights);
  const double label = dataset_.label(row);
  const double y = !positive_ ? label : label == static_cast<double>(*positive_) ? 1 : -1;
  const double weight = weights_.of(label);
  const double slope = weight * model::loss_slope(loss, u, y);
  sum.value += weight * model::loss_value(loss, u, y);
  sum.tangent += slope * u;
  add_row(dataset_, places_, row, slope, sum.gradient);
  if (sum.hessian.size() > 0) {
    add_outer(dataset_, places_, row, weight * model::loss_curvature(loss, u, y), sum.hessian);
  }
}

MeanLoss MeanLossSum::at(const model::Loss& loss, const Vector& weights, bool with_hessian) const {
  std::vector<MeanLoss> sums(parts);
  const std::int64_t rows = dataset_.rows();
  threads_.for_blocks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
    auto& sum = sums[static_cast<std::size_t>(part)];
    sum.gradient = Vector::Zero(columns_);
    if (with_hessian) sum.hessian = Matrix::Zero(columns_, columns_);
    for (auto i = rows * part / parts; i < rows * (part + 1) / parts; ++i) {
      add(loss, weights, i, sum);
    }
  });
  return mean_of(sums, rows, with_hessian);
}

void MeanLossSum::add_softmax(const Matrix& weights, std::int64_t row, MeanLoss& sum,
                              Vector& slopes) const {
  Vector predictions = Vector::Zero(weights.rows());
  each_entry(dataset_, places_, row, [&](Eigen::Index column, double value) {
    predictions += value * weights.col(column);
  });
  const auto label = static_cast<Eigen::Index>(dataset_.label(row));
  const double weight = weights_.of(dataset_.label(row));
  const double largest = predictions.maxCoeff();
  double total = 0;
  for (Eigen::Index c = 0; c < slopes.size(); ++c) {
    slopes[c] = numeric::exp(predictions[c] - largest);
    total += slopes[c];
  }
  // Not negative: the sum is at least the term of the largest, which is 1.
  sum.value += weight * std::max(0.0, numeric::log(total) + (largest - predictions[label]));
  slopes *= weight / total;
  slopes[label] -= weight;
  sum.tangent += slopes.dot(predictions);
  Eigen::Map<Matrix> gradient(sum.gradient.data(), weights.rows(), weights.cols());
  each_entry(dataset_, places_, row,
             [&](Eigen::Index column, double value) { gradient.col(column) += value * slopes; });
}

MeanLoss MeanLossSum::softmax_at(const Vector& weights, Eigen::Index outputs) const {
  std::vector<MeanLoss> sums(parts);
  const std::int64_t rows = dataset_.rows();
  const Matrix matrix = Eigen::Map<const Matrix>(weights.data(), outputs, columns_);
  threads_.for_blocks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
    auto& sum = sums[static_cast<std::size_t>(part)];
    sum.gradient = Vector::Zero(weights.size());
    Vector slopes(outputs);
    for (auto i = rows * part / parts; i < rows * (part + 1) / parts; ++i) {
      add_softmax(matrix, i, sum, slopes);
    }
  });
  return mean_of(sums, rows, false);
}

}  // namespace tacet::optimize::internal
