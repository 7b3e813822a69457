#include "tacet/optimize/solver/erm.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <deque>
#include <optional>

#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::optimize {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr std::int64_t most_newton_columns = 500;
// The records are summed in this many parts, whatever the number of threads, so that the order of
// the additions, and with it the last bit, never changes.
constexpr std::int64_t parts = 16;
// Corners are smoothed on this width in the end, which moves the loss by less than 1e-6.
constexpr double last_width = 0x1p-20;
constexpr double unit = 1.0 / data::Dataset::feature_scale;

double dot(const data::Dataset& dataset, std::int64_t row, const Vector& weights) {
  double sum = 0;
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      sum += weights[entries.columns[k]] * entries.values[k];
    }
  } else {
    const auto values = dataset.dense_row(row);
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum += weights[static_cast<Eigen::Index>(j)] * values[j];
    }
  }
  return sum * unit;
}

void add_row(const data::Dataset& dataset, std::int64_t row, double factor, Vector& sum) {
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t k = 0; k < entries.columns.size(); ++k) {
      sum[entries.columns[k]] += factor * unit * entries.values[k];
    }
  } else {
    const auto values = dataset.dense_row(row);
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum[static_cast<Eigen::Index>(j)] += factor * unit * values[j];
    }
  }
}

// Lower triangle only.
void add_outer(const data::Dataset& dataset, std::int64_t row, double factor, Matrix& sum) {
  if (factor == 0) return;
  const double scaled = factor * unit * unit;
  if (dataset.sparse()) {
    const auto entries = dataset.sparse_row(row);
    for (std::size_t a = 0; a < entries.columns.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        sum(entries.columns[a], entries.columns[b]) +=
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

struct Derivatives {
  double value = 0;
  Vector gradient;
  Matrix hessian;
};

class Objective {
 public:
  /// `positive` is the class that is told from the rest; none when the labels are -1 and +1.
  Objective(const data::Dataset& dataset, const model::Loss& loss, double l2,
            base::ThreadPool& threads, std::optional<std::int64_t> positive)
      : dataset_(dataset), loss_(loss), l2_(l2), threads_(threads), positive_(positive) {}

  [[nodiscard]] Derivatives at(const Vector& weights, bool with_hessian) const {
    const auto columns = weights.size();
    std::vector<Derivatives> sums(parts);
    const std::int64_t rows = dataset_.rows();
    threads_.for_blocks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
      auto& sum = sums[static_cast<std::size_t>(part)];
      sum.gradient = Vector::Zero(columns);
      if (with_hessian) sum.hessian = Matrix::Zero(columns, columns);
      for (auto i = rows * part / parts; i < rows * (part + 1) / parts; ++i) {
        const double u = dot(dataset_, i, weights);
        const double y = label(i);
        sum.value += model::loss_value(loss_, u, y);
        add_row(dataset_, i, model::loss_slope(loss_, u, y), sum.gradient);
        if (with_hessian) {
          add_outer(dataset_, i, model::loss_curvature(loss_, u, y), sum.hessian);
        }
      }
    });
    for (std::size_t part = 1; part < sums.size(); ++part) {
      sums[0].value += sums[part].value;
      sums[0].gradient += sums[part].gradient;
      if (with_hessian) sums[0].hessian += sums[part].hessian;
    }
    auto& total = sums[0];
    const double n = static_cast<double>(std::max<std::int64_t>(1, rows));
    total.value = total.value / n + l2_ / 2 * weights.squaredNorm();
    total.gradient = total.gradient / n + l2_ * weights;
    if (with_hessian) {
      total.hessian /= n;
      total.hessian.diagonal().array() += l2_;
    }
    return std::move(total);
  }

 private:
  [[nodiscard]] double label(std::int64_t row) const {
    const double label = dataset_.label(row);
    if (!positive_) return label;
    return label == static_cast<double>(*positive_) ? 1 : -1;
  }

  const data::Dataset& dataset_;
  const model::Loss& loss_;
  double l2_;
  base::ThreadPool& threads_;
  std::optional<std::int64_t> positive_;
};

// Whether the loss falls by a fraction of what the slope promises (Armijo's rule).
bool accept(const Objective& objective, const Vector& step, double slope, bool with_hessian,
            Vector& weights, Derivatives& here) {
  const Vector trial = weights + step;
  auto there = objective.at(trial, with_hessian);
  if (!(there.value <= here.value + 1e-4 * slope)) return false;
  weights = trial;
  here = std::move(there);
  return true;
}

// Newton's method with Levenberg's damping: more where a step fails, less where one succeeds. The
// least damping, relative to the largest curvature, keeps collinear columns solvable.
bool newton(const Objective& objective, const ErmOptions& options,
            const base::Supervision& supervision, Vector& weights) {
  constexpr double least_damping = 1e-11;
  constexpr double most_damping = 1e6;
  auto here = objective.at(weights, true);
  double damping = least_damping;
  for (std::int64_t step = 0; step < options.most_steps; ++step) {
    supervision.step("unprotected fit", step, options.most_steps);
    const Matrix hessian = here.hessian.selfadjointView<Eigen::Lower>();
    const double scale = 1e-3 + hessian.diagonal().maxCoeff();
    while (true) {
      Matrix damped = hessian;
      damped.diagonal().array() += damping * scale;
      const Vector direction = -damped.ldlt().solve(here.gradient);
      const double slope = direction.dot(here.gradient);
      if (!(slope < 0) || (damping <= 1e-3 && -slope / 2 < options.tolerance)) return true;
      if (accept(objective, direction, slope, true, weights, here)) break;
      damping *= 10;
      if (damping > most_damping) return true;
    }
    damping = std::max(least_damping, damping / 30);
  }
  return false;
}

struct Correction {
  Vector step;
  Vector change;
};

Vector quasi_newton_direction(const std::deque<Correction>& memory, const Vector& gradient) {
  Vector q = gradient;
  std::vector<double> alpha(memory.size());
  for (std::size_t k = memory.size(); k-- > 0;) {
    alpha[k] = memory[k].step.dot(q) / memory[k].step.dot(memory[k].change);
    q -= alpha[k] * memory[k].change;
  }
  if (!memory.empty()) {
    const auto& last = memory.back();
    q *= last.step.dot(last.change) / last.change.squaredNorm();
  }
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const double beta = memory[k].change.dot(q) / memory[k].step.dot(memory[k].change);
    q += (alpha[k] - beta) * memory[k].step;
  }
  return -q;
}

bool limited_memory(const Objective& objective, const ErmOptions& options,
                    const base::Supervision& supervision, Vector& weights) {
  std::deque<Correction> memory;
  auto here = objective.at(weights, false);
  for (std::int64_t step = 0; step < options.most_steps; ++step) {
    supervision.step("unprotected fit", step, options.most_steps);
    const Vector direction = quasi_newton_direction(memory, here.gradient);
    const double slope = direction.dot(here.gradient);
    if (!(slope < 0) || -slope / 2 < options.tolerance) return true;
    const Vector old_weights = weights;
    const Vector old_gradient = here.gradient;
    double length = 1;
    while (!accept(objective, length * direction, length * slope, false, weights, here)) {
      length /= 2;
      if (length < 1e-12) return true;
    }
    Correction correction{weights - old_weights, here.gradient - old_gradient};
    if (correction.step.dot(correction.change) > 0) memory.push_back(std::move(correction));
    if (memory.size() > 20) memory.pop_front();
  }
  return false;
}

ErmResult minimise_output(const data::Dataset& dataset, const model::Loss& loss,
                          const ErmOptions& options, std::optional<std::int64_t> positive,
                          base::ThreadPool& threads, const base::Supervision& supervision) {
  Vector weights = Vector::Zero(dataset.columns());
  bool converged = false;
  for (double width = model::can_be_smoothed(loss) ? 1.0 : last_width; width >= last_width;
       width /= 4) {
    const model::Loss smoothed = model::smoothed(loss, width);
    const Objective objective(dataset, smoothed, options.mean_l2, threads, positive);
    converged = dataset.columns() <= most_newton_columns
                    ? newton(objective, options, supervision, weights)
                    : limited_memory(objective, options, supervision, weights);
  }
  const model::Loss last = model::smoothed(loss, last_width);
  const Objective objective(dataset, last, options.mean_l2, threads, positive);
  return {{weights.begin(), weights.end()}, objective.at(weights, false).value, converged};
}

}  // namespace

ErmResult minimise_without_protection(const data::Dataset& dataset, const model::Loss& loss,
                                      const ErmOptions& options, base::ThreadPool& threads,
                                      const base::Supervision& supervision) {
  if (options.outputs == 1) {
    return minimise_output(dataset, loss, options, std::nullopt, threads, supervision);
  }
  ErmResult all{{}, 0, true};
  for (std::int64_t c = 0; c < options.outputs; ++c) {
    const auto one = minimise_output(dataset, loss, options, c, threads, supervision);
    all.weights.insert(all.weights.end(), one.weights.begin(), one.weights.end());
    all.mean_loss += one.mean_loss;
    all.converged = all.converged && one.converged;
  }
  return all;
}

}  // namespace tacet::optimize
