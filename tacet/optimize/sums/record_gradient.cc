#include "tacet/optimize/sums/record_gradient.h"

#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/kernels.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

/// The exact sum of weights times the row's integers.
double dot(const data::Dataset& dataset, const GridWeights& point, std::int64_t record) {
  std::array<double, 1> sum{};
  if (!dataset.sparse()) {
    const std::array rows{dataset.dense_row(record).data()};
    numeric::exact_dots(rows, point.integers, sum);
    return sum[0];
  }
  const auto row = dataset.sparse_row(record);
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    sum[0] += point.integers[row.columns[k]] * row.values[k];
  }
  return sum[0];
}

/// scalar times the row, in all columns.
std::vector<std::int64_t> multiple(const data::Dataset& dataset, std::int64_t record,
                                   std::int64_t scalar) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(dataset.columns()), 0);
  if (dataset.sparse()) {
    const auto row = dataset.sparse_row(record);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      values[row.columns[k]] = scalar * row.values[k];
    }
    return values;
  }
  const auto row = dataset.dense_row(record);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = scalar * row[j];
  return values;
}

}  // namespace

RecordGradient::RecordGradient(const data::Dataset& dataset, const model::Loss& loss,
                               const ContributionLimit& limit)
    : dataset_(dataset),
      loss_(loss),
      norm_bits_(limit.norm_bits),
      clipping_norm_(checked_clipping_norm(limit)),
      class_weights_(limit.class_weights) {
  if (dataset.has_units() || limit.max_records_per_unit != 1) {
    throw base::UsageError(
        "one device is one unit: k records of a person are k contributions, each paid for");
  }
  scalar_bounds_ = scalar_bounds(dataset, limit);
}

double RecordGradient::grid() const { return std::ldexp(clipping_norm_, -norm_bits_); }

GridWeights RecordGradient::point(std::span<const double> weights) const {
  if (std::ssize(weights) != dataset_.columns()) {
    throw base::InternalError("{} weights for {} encoded columns", weights.size(),
                              dataset_.columns());
  }
  return to_grid(weights, dataset_.norm_bound());
}

privacy::PartialSum RecordGradient::at(const GridWeights& point, std::int64_t record) const {
  const double label = dataset_.label(record);
  const double slope = model::loss_slope(loss_, dot(dataset_, point, record) * point.scale, label);
  const double units = class_weights_.of(label) / (grid() * data::Dataset::feature_scale);
  const double scalar =
      clamp_scalar(slope * units, scalar_bounds_[static_cast<std::size_t>(record)]);
  return privacy::PartialSum::from_certified(
      privacy::Certifier::clipped(),
      privacy::BoundedSum::from_certified(
          privacy::Certifier::clipped(),
          multiple(dataset_, record, static_cast<std::int64_t>(scalar)), grid(),
          std::int64_t{1} << norm_bits_),
      privacy::OneRecord{record});
}

}  // namespace tacet::optimize
