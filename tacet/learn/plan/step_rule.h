#pragma once

#include <cstdint>

namespace tacet::learn {

/// The public facts that decide how far noisy gradient descent may go.
struct StepFacts {
  /// a = C * sigma_one / N: standard deviation of the noise in the mean gradient, if the whole
  /// budget went into one release
  double release_noise;
  std::int64_t columns;  ///< encoded columns
  double norm_bound;     ///< of a row
  double curvature;      ///< Lipschitz constant of the slope, infinite at a kink
  double momentum;
  double radius;     ///< size of weights worth reaching
  double learnable;  ///< how much a linear model typically lowers this loss
  double way = 1;    ///< factor on the path if another mean than that of the last half is taken
};

struct StepPlan {
  std::int64_t steps;
  double step_size;
  double path_length;       ///< tau = steps * step size / (1 - momentum)
  double predicted_excess;  ///< of the mean loss, an estimate
  double longest_step;      ///< that is stable
};

/// Steps and step size from public facts alone, for momentum descent whose noise shares one budget.
///
/// With T steps of size eta and momentum m the effective path is tau = T eta / (1 - m), and each
/// step's noise is sqrt(T) a. Along a direction of curvature h the noise of the averaged iterate
/// has variance at most a^2 min(tau^2, 2/h^2), whatever T is, so the excess loss from noise is at
/// most a^2/2 sum_j h_j min(tau^2, 2/h_j^2) <= a^2/2 min(sqrt(2) d tau, trace tau^2), while the
/// optimisation error falls like radius^2 / (2 tau). The rule takes the tau that minimises the sum.
/// It shortens tau further if that minimum exceeds `learnable`, the largest possible gain. A
/// curvature above 2, as at a kink, counts as 2: predictions do not all lie at the kink, but around
/// it. docs/explanations/step-rule.md derives the rule and says on which data sets its constants
/// were chosen.
[[nodiscard]] StepPlan step_rule(const StepFacts& facts);

/// The curvature of the mean loss that the rule counts on.
[[nodiscard]] double mean_curvature(double loss_curvature, double norm_bound);

}  // namespace tacet::learn
