#include <boost/multiprecision/cpp_bin_float.hpp>

#include "tacet/optimize/solver/domain_projection.h"
#include "tacet/optimize/solver/regularized_objective.h"

namespace tacet::optimize::internal {
namespace {

using Quadruple = boost::multiprecision::cpp_bin_float_quad;

void add_gradient(const data::Dataset& dataset, RowRange rows, const GlmLoss& loss,
                  const std::vector<Quadruple>& weights, std::vector<Quadruple>& gradient) {
  const Quadruple feature_unit = Quadruple(1) / data::Dataset::feature_scale;
  for (auto i = rows.first; i < rows.last; ++i) {
    const double label = loss.sanitised(dataset.label(i));
    Quadruple prediction = 0;
    if (dataset.sparse()) {
      const auto row = dataset.sparse_row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        prediction += weights[row.columns[k]] * static_cast<int>(row.values[k]);
      }
      const Quadruple slope =
          loss.slope_in<Quadruple>(prediction * feature_unit, label) * feature_unit;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        gradient[row.columns[k]] += slope * static_cast<int>(row.values[k]);
      }
      continue;
    }
    const auto row = dataset.dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0) prediction += weights[j] * static_cast<int>(row[j]);
    }
    const Quadruple slope =
        loss.slope_in<Quadruple>(prediction * feature_unit, label) * feature_unit;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] != 0) gradient[j] += slope * static_cast<int>(row[j]);
    }
  }
}

}  // namespace

std::vector<double> descend_in_quadruple_precision(const data::Dataset& dataset,
                                                   const RegularizedProblem& problem,
                                                   std::vector<double> start, std::int64_t steps,
                                                   const base::Supervision& supervision) {
  using std::sqrt;
  const auto rows = problem.rows_of(dataset);
  const std::size_t columns = start.size();
  std::vector<Quadruple> x(start.begin(), start.end());
  std::vector<Quadruple> y = x;
  std::vector<Quadruple> gradient(columns);
  const Quadruple l2 = problem.sum_l2;
  const Quadruple smoothness = Quadruple(static_cast<double>(rows.count())) *
                                   problem.loss.curvature_bound() * dataset.norm_bound() *
                                   dataset.norm_bound() +
                               l2;
  const Quadruple root = sqrt(Quadruple(smoothness / l2));
  const Quadruple momentum = (root - 1) / (root + 1);
  for (std::int64_t step = 0; step < steps; ++step) {
    if (supervision.cancel != nullptr) supervision.cancel->throw_if_cancelled();
    for (std::size_t j = 0; j < columns; ++j) {
      gradient[j] = l2 * (y[j] - (problem.centre.empty() ? 0.0 : problem.centre[j]));
      if (!problem.linear.empty()) gradient[j] += problem.linear[j];
    }
    add_gradient(dataset, rows, problem.loss, y, gradient);
    std::vector<Quadruple> next(columns);
    for (std::size_t j = 0; j < columns; ++j) next[j] = y[j] - gradient[j] / smoothness;
    project_onto<Quadruple>(problem.domain, std::span<Quadruple>(next));
    for (std::size_t j = 0; j < columns; ++j) y[j] = next[j] + momentum * (next[j] - x[j]);
    x = std::move(next);
  }
  for (std::size_t j = 0; j < columns; ++j) start[j] = static_cast<double>(x[j]);
  return start;
}

}  // namespace tacet::optimize::internal
