#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacet::learn {

/// Momentum descent w <- w + v, v <- m v - eta (gradient + noise), averaged over its last iterates.
struct DescentLaw {
  std::int64_t steps;
  std::int64_t averaged;  ///< number of iterates, the last ones, that are averaged; 1 to steps
  double step_size;       ///< eta
  double momentum;        ///< m
  double stddev;          ///< of the noise in each coordinate of the released mean gradient
  double curvature;       ///< upper bound of the curvature of the mean loss
};

/// Standard deviation that the privacy noise alone gives each averaged coefficient.
///
/// Uses the released iterates and gradients and the known law of the noise, never the records, so
/// it costs nothing. With at least fifteen steps per column, a regression of the released gradients
/// on their iterates gives the curvature, after a correction of its known bias. The noise is then
/// propagated exactly through the linear recursion along each eigenvector. With fewer steps this is
/// not reliable. Then every coefficient gets the standard deviation of a direction without
/// curvature, which is the largest possible. It gets none if the path shows that this would be more
/// than three times too much for most columns, because the path spreads less than a third as far as
/// noise alone would drive it without curvature. docs/explanations/coefficient-noise.md. Not for
/// several threads at once.
class IterateTrace {
 public:
  IterateTrace(std::int64_t columns, const DescentLaw& law);

  /// Call it at every step, with the weights before it and the gradient that was released there,
  /// summed over `count` records.
  void record(std::span<const double> before, std::span<const double> gradient, double count = 1);

  /// Call it after the last step. Empty if nothing is known: the steps are so large that noise
  /// grows without bound, or the path contradicts a direction without curvature.
  [[nodiscard]] std::vector<double> stddevs() const;

 private:
  [[nodiscard]] bool regresses() const;
  [[nodiscard]] std::vector<double> by_regression() const;
  [[nodiscard]] std::vector<double> without_curvature() const;
  [[nodiscard]] bool watches() const;
  /// Whether most columns spread less than a third as far as without curvature.
  [[nodiscard]] bool refutes_no_curvature() const;

  std::int64_t columns_;
  DescentLaw law_;
  std::int64_t recorded_ = 0;
  std::vector<double> iterates_;  // one row per averaged step, only if the regression is used
  std::vector<double> gradients_;
  // The mean of each coordinate over the averaged steps, if nothing but the path is watched
  // (Welford 1962).
  std::vector<double> means_;
  std::vector<double> squares_;
};

/// Whether a path with this number of steps is too short for the regression. The standard
/// deviations are then upper bounds, except for columns about which the data say nothing.
[[nodiscard]] bool only_bounds_noise(std::int64_t steps, std::int64_t columns);

/// The expected variance of the iterates around their mean, over the averaged steps, for noise of
/// standard deviation 1 in a direction of curvature 0.
[[nodiscard]] double expected_spread(const DescentLaw& law);

/// The variance of the averaged iterate, for noise of standard deviation 1 in a direction of
/// curvature h.
[[nodiscard]] double averaged_variance(const DescentLaw& law, double h);

/// The largest of these variances for curvatures from 0 to the law's.
[[nodiscard]] double largest_averaged_variance(const DescentLaw& law);

}  // namespace tacet::learn
