#include "tacet/optimize/stable_descent.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/regularized_objective.h"

namespace tacet::optimize {
namespace {

using internal::norm;

constexpr double rounding = 0x1p-53;
constexpr int share_bits = 18;  // a share is about 2^18 grid units: noise may span 8192 shares

double checked_slope(const GlmLoss& loss) {
  if (std::isfinite(loss.slope_bound())) return loss.slope_bound();
  throw base::UsageError(fmt::format(
      "the slope of the loss {} is unbounded: one record could move the minimiser by any amount; "
      "give it a clip",
      model::loss_name(loss.loss())));
}

double grid_of(double share) { return std::ldexp(1.0, std::ilogb(share) - share_bits); }

// Rounding to the grid moves each of two runs by at most half a diagonal.
std::int64_t bound_in_units(double share, std::int64_t columns) {
  return static_cast<std::int64_t>(
      std::ceil(share / grid_of(share) * (1 + 0x1p-40) + std::sqrt(static_cast<double>(columns))));
}

privacy::BoundedSum on_grid(std::span<const double> weights, double share) {
  const double grid = grid_of(share);
  std::vector<std::int64_t> units;
  units.reserve(weights.size());
  for (const double w : weights) {
    // Beyond 2^62 units sums wrap as noise does; no model of any use comes near.
    units.push_back(static_cast<std::int64_t>(std::remainder(std::nearbyint(w / grid), 0x1p63)));
  }
  return privacy::BoundedSum::from_certified(std::move(units), grid,
                                             bound_in_units(share, std::ssize(weights)));
}

struct Step {
  double smoothness;
  double size;
  double rate;
};

Step step_of(const StableDescent& descent, std::int64_t rows, double norm_bound) {
  const double smoothness = static_cast<double>(rows) * descent.loss.curvature_bound() *
                            norm_bound * norm_bound * (1 + 8 * rounding);
  const double size = 2 / (smoothness + 2 * descent.l2);
  return {smoothness, size, size * descent.l2};
}

// Bound of what rounding moves one step, over the whole ball: public. The sums are coarse ones (see
// GlmSums): the split leaves at most sqrt(d) 2^-38 |w| X of the weights and 2^-26 of a slope, or
// more for more than 2^24 records; then the slope's own formula.
double step_error(const StableDescent& descent, const Step& step, std::int64_t rows,
                  double norm_bound, std::int64_t columns) {
  const double slope = checked_slope(descent.loss);
  const double curvature = descent.loss.curvature_bound();
  const double count = static_cast<double>(rows);
  const double reach = descent.radius * norm_bound * (1 + 0x1p-20);
  const double gradient = count * slope * norm_bound;
  const double split = std::sqrt(static_cast<double>(columns)) * 0x1p-38 * reach * norm_bound;
  const double per_record = curvature * split + slope * std::max(0x1p-26, count * 0x1p-50) +
                            0x1p-50 * (slope + curvature * (1 + 2 * reach));
  const double error =
      count * per_record * norm_bound + 16 * rounding * (gradient + descent.l2 * descent.radius);
  return step.size * error + 128 * rounding * (descent.radius + step.size * gradient);
}

double share_of(const StableDescent& descent, std::int64_t rows, double norm_bound,
                std::int64_t columns) {
  const Step step = step_of(descent, rows, norm_bound);
  const double reached = -std::expm1(static_cast<double>(descent.steps) * std::log1p(-step.rate));
  const double exact = checked_slope(descent.loss) * norm_bound / descent.l2 * reached;
  const double drift = step_error(descent, step, rows, norm_bound, columns) / step.rate;
  return (exact + 2 * drift) * (1 + 0x1p-40);
}

}  // namespace

double stable_share(const StableDescent& descent, std::int64_t rows, double norm_bound,
                    std::int64_t columns) {
  const double share = share_of(descent, rows, norm_bound, columns);
  return static_cast<double>(bound_in_units(share, columns)) * grid_of(share);
}

privacy::BoundedSum stable_minimum(const data::Dataset& dataset, const StableDescent& descent,
                                   base::ThreadPool& threads,
                                   const base::Supervision& supervision) {
  const RegularizedProblem problem{
      .loss = descent.loss,
      .l2 = descent.l2,
      .domain = checked(Ball{descent.radius}, static_cast<std::size_t>(dataset.columns()))};
  const internal::RegularizedObjective objective(dataset, {0, dataset.rows()}, problem, threads);
  const Step step = step_of(descent, dataset.rows(), dataset.norm_bound());
  std::vector<double> weights(objective.columns(), 0.0);
  for (std::int64_t k = 0; k < descent.steps; ++k) {
    supervision.step("training", k, descent.steps);
    const auto gradient = objective.gradient(weights, Precision::coarse);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= step.size * gradient.sum[j];
    project(problem.domain, weights);
  }
  return on_grid(weights,
                 share_of(descent, dataset.rows(), dataset.norm_bound(), dataset.columns()));
}

double certified_share(const RegularizedProblem& problem, double tolerance, double norm_bound,
                       std::int64_t columns) {
  const double share =
      (checked_slope(problem.loss) * norm_bound / problem.l2 + 2 * tolerance) * (1 + 0x1p-40);
  return static_cast<double>(bound_in_units(share, columns)) * grid_of(share);
}

privacy::BoundedSum certified_minimum(const data::Dataset& dataset,
                                      const RegularizedProblem& problem, double tolerance,
                                      base::ThreadPool& threads,
                                      const base::Supervision& supervision) {
  const double share =
      (checked_slope(problem.loss) * dataset.norm_bound() / problem.l2 + 2 * tolerance) *
      (1 + 0x1p-40);
  const auto found =
      minimise_certified(dataset, {0, dataset.rows()}, problem, tolerance, threads, supervision);
  return on_grid(found.weights, share);
}

}  // namespace tacet::optimize
