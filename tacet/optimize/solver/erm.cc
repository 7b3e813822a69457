#include "tacet/optimize/solver/erm.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/numeric/rounding.h"
#include "tacet/optimize/solver/mean_loss.h"

namespace tacet::optimize {
namespace {

using internal::MeanLoss;
using internal::MeanLossSum;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr std::int64_t max_newton_columns = 500;
// Corners are smoothed on this width in the end, which moves the loss by less than 1e-6.
constexpr double last_width = 0x1p-20;
// Without a penalty the minimum is looked for among weights this many times as long as those found.
constexpr double times_as_long = 10;

double searched_radius(double norm) { return times_as_long * std::max(1.0, norm); }

/// Mean loss and penalty at a point.
struct Place {
  Vector weights;
  MeanLoss mean;
  double value = 0;
  Vector gradient;
};

/// What a lower bound of the objective is made of: at every v the mean loss is at least
/// constant + <slope, v> (docs/proofs/exact-minimum.md).
struct Tangent {
  double constant;
  double slope_norm;
  double mean_l2;

  /// Over |v| <= radius.
  [[nodiscard]] double lower_bound(double radius) const {
    if (mean_l2 > 0) return std::max(0.0, constant - slope_norm * slope_norm / (2 * mean_l2));
    return std::max(0.0, constant - radius * slope_norm);
  }
};

using MeanAt = std::function<MeanLoss(const Vector& weights, bool with_hessian)>;

/// Norms of the rows of a matrix that is held column by column.
Vector row_norms(const Vector& values, Eigen::Index rows) {
  return Eigen::Map<const Matrix>(values.data(), rows, values.size() / rows).rowwise().norm();
}

class Objective {
 public:
  /// `joint` outputs are minimised together, their weights have one row per output.
  Objective(MeanAt mean_at, double mean_l2, Eigen::Index joint = 1)
      : mean_at_(std::move(mean_at)), mean_l2_(mean_l2), joint_(joint) {}

  [[nodiscard]] Place at(Vector weights, bool with_hessian) const {
    Place place{std::move(weights), {}, 0, {}};
    place.mean = mean_at_(place.weights, with_hessian);
    place.value = place.mean.value + mean_l2_ / 2 * place.weights.squaredNorm();
    place.gradient = place.mean.gradient + mean_l2_ * place.weights;
    if (with_hessian) place.mean.hessian.diagonal().array() += mean_l2_;
    return place;
  }
  [[nodiscard]] Tangent tangent(const MeanLoss& mean) const {
    // Without a penalty each output's weights have a ball of their own.
    const double slope =
        mean_l2_ > 0 ? mean.gradient.norm() : row_norms(mean.gradient, joint_).sum();
    return {mean.value - mean.tangent, slope, mean_l2_};
  }
  /// How far the objective may lie above its least value, but for rounding.
  [[nodiscard]] double gap(const Place& place) const {
    const double longest = row_norms(place.weights, joint_).maxCoeff();
    return place.value - tangent(place.mean).lower_bound(searched_radius(longest));
  }

 private:
  MeanAt mean_at_;
  double mean_l2_;
  Eigen::Index joint_;
};

// Whether the objective falls by a fraction of what the slope promises (Armijo's rule); where
// rounding hides that, whether the gradient gets shorter.
bool accept(const Objective& objective, const Vector& step, double slope, bool with_hessian,
            Place& here) {
  constexpr double rounding = numeric::ulps(64);
  constexpr double shorter = 0.9;
  auto there = objective.at(here.weights + step, with_hessian);
  const bool falls = there.value <= here.value + 1e-4 * slope;
  const bool turns = there.value <= here.value + rounding * std::fabs(here.value) &&
                     there.gradient.norm() <= shorter * here.gradient.norm();
  if (!falls && !turns) return false;
  here = std::move(there);
  return true;
}

// Newton's method with Levenberg's damping: more where a step fails, less where one succeeds. The
// least damping, relative to the largest curvature, keeps collinear columns solvable.
void newton(const Objective& objective, const ErmOptions& options,
            const base::Supervision& supervision, Vector& weights) {
  constexpr double min_damping = 1e-11;
  constexpr double max_damping = 1e12;
  auto here = objective.at(std::move(weights), true);
  double damping = min_damping;
  for (std::int64_t step = 0; step < options.max_steps; ++step) {
    supervision.step("unprotected fit", step, options.max_steps);
    if (objective.gap(here) <= options.tolerance) break;
    const Matrix hessian = here.mean.hessian.selfadjointView<Eigen::Lower>();
    const double scale = 1e-3 + hessian.diagonal().maxCoeff();
    for (; damping <= max_damping; damping *= 10) {
      Matrix damped = hessian;
      damped.diagonal().array() += damping * scale;
      const Vector direction = -damped.ldlt().solve(here.gradient);
      const double slope = direction.dot(here.gradient);
      if (slope < 0 && accept(objective, direction, slope, true, here)) break;
    }
    if (damping > max_damping) break;
    damping = std::max(min_damping, damping / 30);
  }
  weights = std::move(here.weights);
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

// A step along the direction, halved until it is accepted; false where none is.
bool line_search(const Objective& objective, const Vector& direction, Place& here) {
  const double slope = direction.dot(here.gradient);
  if (!(slope < 0)) return false;
  for (double length = 1; length >= 1e-12; length /= 2) {
    if (accept(objective, length * direction, length * slope, false, here)) return true;
  }
  return false;
}

void limited_memory(const Objective& objective, const ErmOptions& options,
                    const base::Supervision& supervision, Vector& weights) {
  constexpr std::size_t corrections = 20;
  std::deque<Correction> memory;
  auto here = objective.at(std::move(weights), false);
  for (std::int64_t step = 0; step < options.max_steps; ++step) {
    supervision.step("unprotected fit", step, options.max_steps);
    if (objective.gap(here) <= options.tolerance) break;
    const Vector old_weights = here.weights;
    const Vector old_gradient = here.gradient;
    if (!line_search(objective, quasi_newton_direction(memory, old_gradient), here)) {
      if (memory.empty()) break;
      memory.clear();  // along the gradient itself, before giving up
      continue;
    }
    Correction correction{here.weights - old_weights, here.gradient - old_gradient};
    if (correction.step.dot(correction.change) > 0) memory.push_back(std::move(correction));
    if (memory.size() > corrections) memory.pop_front();
  }
  weights = std::move(here.weights);
}

/// One output's end: the objective of the loss itself, rounded up, and the tangent below it.
struct End {
  std::vector<double> weights;
  double norm;
  double mean_loss;
  double above;
  Tangent below;
  double slack;  ///< of the tangent, for each unit of the radius
};

// Rounding: a sum of m terms is off by (m + 2) 2^-53 of the sum of their magnitudes, at most twice
// that here; values and slopes by 2^-46; a prediction by the number of columns times 2^-52 of
// |w| X. Slopes are at most B at the predictions that occur.
End end_at(const MeanLossSum& sum, const model::Loss& loss, double mean_l2, const Vector& weights) {
  const auto smooth = model::smoothed(loss, last_width);
  const auto below = sum.at(smooth, weights, false);
  const double value = sum.at(loss, weights, false).value;
  const double norm = weights.norm();
  const double reach = norm * sum.dataset().norm_bound();
  const double steepest = model::slope_bound_within(loss, reach * (1 + 0x1p-20));
  const double share = (sum.longest_sum() + 100) * numeric::ulps(2) + numeric::ulps(128);
  const double places = static_cast<double>(sum.columns() + 100) * numeric::ulps(2);
  const double error = share * (value + steepest * (1 + reach)) + places * steepest * reach;
  return {sum.spread(weights),
          norm,
          value,
          (value + mean_l2 / 2 * norm * norm) * numeric::up_ulps(128) + error,
          {below.value - below.tangent - error, below.gradient.norm(), mean_l2},
          share * steepest * sum.dataset().norm_bound()};
}

End minimise_output(const MeanLossSum& sum, const model::Loss& loss, const ErmOptions& options,
                    const base::Supervision& supervision) {
  Vector weights = Vector::Zero(sum.columns());
  for (double width = model::can_be_smoothed(loss) ? 1.0 : last_width; width >= last_width;
       width /= 4) {
    const model::Loss smoothed = model::smoothed(loss, width);
    const Objective objective(
        [&](const Vector& at, bool with_hessian) { return sum.at(smoothed, at, with_hessian); },
        options.mean_l2);
    (sum.columns() <= max_newton_columns ? newton : limited_memory)(objective, options, supervision,
                                                                    weights);
  }
  return end_at(sum, loss, options.mean_l2, weights);
}

// Rounding as in end_at: the slopes of a record are at most 2 long added up, in its own prediction
// and in those of the others, and its loss moves by as much as its predictions do.
End minimise_softmax(const data::Dataset& dataset, const ErmOptions& options,
                     base::ThreadPool& threads, const base::Supervision& supervision) {
  constexpr double steepest = 2;
  const MeanLossSum sum(dataset, std::nullopt, options.class_weights, threads);
  const auto outputs = static_cast<Eigen::Index>(options.outputs);
  const Objective objective([&](const Vector& at, bool) { return sum.softmax_at(at, outputs); },
                            options.mean_l2, outputs);
  Vector weights = Vector::Zero(outputs * sum.columns());
  limited_memory(objective, options, supervision, weights);
  const auto end = objective.at(weights, false);
  const double norm = row_norms(weights, outputs).maxCoeff();
  const double reach = norm * dataset.norm_bound();
  const double share = (sum.longest_sum() + static_cast<double>(outputs) + 100) * numeric::ulps(2) +
                       numeric::ulps(128);
  const double places = static_cast<double>(sum.columns() + 100) * numeric::ulps(2);
  const double error =
      share * (end.mean.value + steepest * (1 + reach)) + places * steepest * reach;
  auto below = objective.tangent(end.mean);
  below.constant -= error;
  std::vector<double> all;
  const Matrix matrix = Eigen::Map<const Matrix>(weights.data(), outputs, sum.columns());
  for (Eigen::Index c = 0; c < outputs; ++c) {
    const auto own = sum.spread(matrix.row(c).transpose());
    all.insert(all.end(), own.begin(), own.end());
  }
  return {std::move(all), norm,
          end.mean.value, end.value * numeric::up_ulps(128) + error,
          below,          share * steepest * dataset.norm_bound()};
}

// Certifies all outputs together, over weights of one radius.
void certify(const std::vector<End>& ends, ErmResult& result) {
  constexpr double nearly_nothing = 1e-6;  // of an output's mean loss
  double above = 0;
  double longest = 0;
  bool everywhere = true;
  for (const auto& end : ends) {
    above += end.above;
    longest = std::max(longest, end.norm);
    everywhere = everywhere && end.below.mean_l2 > 0;
  }
  // Losses are not negative.
  everywhere = everywhere || above <= nearly_nothing * static_cast<double>(ends.size());
  result.radius = everywhere ? std::numeric_limits<double>::infinity() : searched_radius(longest);
  result.gap = above;
  for (const auto& end : ends) {
    auto below = end.below;
    below.slope_norm += end.slack;
    result.gap -= everywhere && below.mean_l2 == 0 ? 0 : below.lower_bound(result.radius);
  }
}

}  // namespace

ErmResult minimise_without_protection(const data::Dataset& dataset, const model::Loss& loss,
                                      const ErmOptions& options, base::ThreadPool& threads,
                                      const base::Supervision& supervision) {
  std::vector<End> ends;
  const bool joint = std::holds_alternative<model::SoftmaxLoss>(loss);
  if (joint) ends.push_back(minimise_softmax(dataset, options, threads, supervision));
  for (std::int64_t c = 0; !joint && c < options.outputs; ++c) {
    const auto positive = options.outputs > 1 ? std::optional(c) : std::nullopt;
    const MeanLossSum sum(dataset, positive, options.class_weights, threads);
    ends.push_back(minimise_output(sum, loss, options, supervision));
  }
  ErmResult result;
  for (const auto& end : ends) {
    result.weights.insert(result.weights.end(), end.weights.begin(), end.weights.end());
    result.mean_loss += end.mean_loss;
  }
  certify(ends, result);
  return result;
}

}  // namespace tacet::optimize
