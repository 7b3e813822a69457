#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacet::learn {

/// Momentum descent w <- w + v, v <- m v - eta (gradient + noise), averaged over its last iterates.
struct DescentLaw {
  std::int64_t steps;
  std::int64_t averaged;  ///< how many last iterates the mean is taken of, 1 to steps
  double step_size;       ///< eta
  double momentum;        ///< m
  double stddev;          ///< of each coordinate of the released mean gradient
  double curvature;       ///< upper bound of the mean loss's curvature
};

/// Standard deviation that the privacy noise alone gives each averaged coefficient.
///
/// Uses the released iterates and gradients and the known law of the noise, never the records, so
/// it costs nothing. With at least fifteen steps per column, regressing the released gradients on
/// their iterates gives the curvature, whose estimates are moved back by what such a regression is
/// known to err by; the noise is then propagated exactly through the linear recursion along each
/// eigenvector. With fewer steps the path says nothing reliable, and every coefficient is given the
/// standard deviation of a direction without curvature, the largest that there is; and none where
/// the path shows that this is more than three times too much for most columns: it spreads less
/// than a third as far as the noise alone would drive it without curvature.
/// docs/explanations/coefficient-noise.md. Not for several threads at once.
class IterateTrace {
 public:
  IterateTrace(std::int64_t columns, const DescentLaw& law);

  /// To be called at every step: the weights before it and the gradient that was released there,
  /// summed over `count` records.
  void record(std::span<const double> before, std::span<const double> gradient, double count = 1);

  /// After the last step. Empty where nothing is known: steps are so long that noise grows beyond
  /// all numbers, or the path refutes what a direction without curvature has.
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
  std::vector<double> iterates_;  // a row an averaged step, only when they are regressed on
  std::vector<double> gradients_;
  // The mean of each coordinate over the averaged steps, if nothing but the path is watched
  // (Welford 1962).
  std::vector<double> means_;
  std::vector<double> squares_;
};

/// Whether a path of this number of steps is too short for the regression. What is stated is then
/// an upper bound, except for columns of which the data say nothing.
[[nodiscard]] bool only_bounds_noise(std::int64_t steps, std::int64_t columns);

/// For noise of standard deviation 1 in a direction of curvature 0: the expected variance of the
/// iterates around their mean, over the averaged steps.
[[nodiscard]] double expected_spread(const DescentLaw& law);

/// For noise of standard deviation 1 in a direction of curvature h: the variance of the averaged
/// iterate.
[[nodiscard]] double averaged_variance(const DescentLaw& law, double h);

/// The largest of these variances for curvatures from 0 to the law's.
[[nodiscard]] double largest_averaged_variance(const DescentLaw& law);

}  // namespace tacet::learn
