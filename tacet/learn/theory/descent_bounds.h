#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/base/error.h"
#include "tacet/privacy/guarantee.h"

/// How many steps descent on a ball takes, and how close to the minimum it ends: the schedules of
/// the analysis of noisy descent if only bounds are known. They are for comparison with the steps
/// that the methods choose by their own rules (docs/explanations/step-rule.md). Records are n,
/// columns d, weights are within B of 0, the mean loss is beta-smooth with beta = curvature
/// row_norm^2, and no record's gradient is longer than G = slope row_norm.
namespace tacet::learn {

struct DescentProblem {
  double rows = 1;
  double columns = 1;
  double radius = 1;
  double row_norm = 1;
  double slope = 1;      ///< of the loss, in the prediction, on the ball
  double curvature = 1;  ///< the same; not used if the loss has kinks
};

/// A schedule of T full-batch steps whose releases together are mu-GDP.
struct BallCourse {
  std::int64_t steps = 1;
  double noise =
      /// standard deviation of the noise in a coordinate of the mean gradient: Delta sqrt(T) / mu
      0;
  double step_size = 0;  ///< eta
  /// of the expected excess loss of the mean iterate over the minimum on the ball
  double bound = 0;
};

inline void expect_ball(const DescentProblem& problem, double mu, std::int64_t steps) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto& [rows, columns, radius, row_norm, slope, curvature] = problem;
  if (rows >= 1 && columns >= 1 && positive(radius) && positive(row_norm) && positive(slope) &&
      positive(curvature) && positive(mu) && steps >= 1) {
    return;
  }
  throw base::UsageError(
      "descent on a ball needs records, columns, steps, and a radius, norm, slope, curvature and "
      "mu that are finite and above 0");
}

/// The largest distance that one record moves the mean gradient: G / n, or twice that if a record
/// is replaced.
inline double mean_gradient_distance(const DescentProblem& problem, privacy::Adjacency adjacency) {
  return privacy::distance_factor(adjacency) * problem.slope * problem.row_norm / problem.rows;
}

/// The number of steps at which the noise floor B Delta sqrt(2 d) / mu equals the optimisation
/// error B^2 beta / T: B beta mu / (Delta sqrt(2 d)), rounded up. Four times as many steps leave a
/// quarter of that error. UsageError for values that are not above 0.
inline std::int64_t smooth_ball_steps(const DescentProblem& problem, double mu,
                                      privacy::Adjacency adjacency) {
  expect_ball(problem, mu, 1);
  const double smoothness = problem.curvature * problem.row_norm * problem.row_norm;
  const double distance = mean_gradient_distance(problem, adjacency);
  return static_cast<std::int64_t>(
      std::ceil(problem.radius * smoothness * mu / (distance * std::sqrt(2 * problem.columns))));
}

/// Smooth losses: eta = min(1 / (2 beta), B / (sigma sqrt(2 T d))), and
/// E f(mean) - f(best) <= B^2 / (2 eta T) + eta d sigma^2. UsageError as above.
inline BallCourse smooth_ball_course(const DescentProblem& problem, double mu,
                                     privacy::Adjacency adjacency, std::int64_t steps) {
  expect_ball(problem, mu, steps);
  const auto count = static_cast<double>(steps);
  const double smoothness = problem.curvature * problem.row_norm * problem.row_norm;
  const double noise = mean_gradient_distance(problem, adjacency) * std::sqrt(count) / mu;
  const double step = std::min(1 / (2 * smoothness),
                               problem.radius / (noise * std::sqrt(2 * count * problem.columns)));
  return {steps, noise, step,
          problem.radius * problem.radius / (2 * step * count) +
              step * problem.columns * noise * noise};
}

/// Losses with kinks: the number of steps at which the noise of a step, sqrt(d) sigma, is as large
/// as the largest gradient: G^2 mu^2 / (Delta^2 d), rounded up. UsageError as above.
inline std::int64_t kinked_ball_steps(const DescentProblem& problem, double mu,
                                      privacy::Adjacency adjacency) {
  expect_ball(problem, mu, 1);
  const double gradient = problem.slope * problem.row_norm;
  const double ratio = gradient * mu / mean_gradient_distance(problem, adjacency);
  return static_cast<std::int64_t>(std::ceil(ratio * ratio / problem.columns));
}

/// Losses with kinks: eta = B / sqrt(T (G^2 + d sigma^2)), and
/// E f(mean) - f(best) <= B sqrt((G^2 + d sigma^2) / T). UsageError as above.
inline BallCourse kinked_ball_course(const DescentProblem& problem, double mu,
                                     privacy::Adjacency adjacency, std::int64_t steps) {
  expect_ball(problem, mu, steps);
  const auto count = static_cast<double>(steps);
  const double gradient = problem.slope * problem.row_norm;
  const double noise = mean_gradient_distance(problem, adjacency) * std::sqrt(count) / mu;
  const double square = gradient * gradient + problem.columns * noise * noise;
  return {steps, noise, problem.radius / std::sqrt(count * square),
          problem.radius * std::sqrt(square / count)};
}

/// Without noise, for the mean loss with (lambda / 2) |w|^2: a bound of the factor by which a step
/// of size 1 / (beta + lambda) reduces the distance to the minimum.
inline double descent_contraction(double smoothness, double lambda) {
  return smoothness / (smoothness + lambda);
}

/// Projected descent from 0 in the ball of `radius` is within `tolerance` of the minimum after
/// ln(radius / tolerance) / -ln(contraction) steps, whatever the records are.
inline std::int64_t projected_descent_steps(double radius, double tolerance, double contraction) {
  return static_cast<std::int64_t>(
      std::ceil(std::max(0.0, std::log(radius / tolerance)) / -std::log(contraction)));
}

/// The same for accelerated projected descent (Nesterov), with kappa = (beta + lambda) / lambda and
/// `loss_at_zero` a bound of the mean loss at 0: ln(2 loss_at_zero / (lambda tolerance^2)) / -ln(1
/// - kappa^(-1/2)).
inline std::int64_t accelerated_descent_steps(double loss_at_zero, double lambda, double tolerance,
                                              double smoothness) {
  const double kappa = 1 + smoothness / lambda;
  const double ratio = 2 * loss_at_zero / (lambda * tolerance * tolerance);
  return static_cast<std::int64_t>(
      std::ceil(std::max(0.0, std::log(ratio)) / -std::log1p(-1 / std::sqrt(kappa))));
}

}  // namespace tacet::learn
