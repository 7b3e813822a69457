#pragma once

#include <cstdint>
#include <optional>

#include "tacet/model/loss/loss.h"

/// The calibration of Wang, Lei, Ying, Zhang, "Differentially Private SGD with Non-Smooth Losses"
/// (2021), for reproductions: what the paper claims, as formulas. No guarantee depends on them; the
/// methods account their releases by their own proofs. Symbols are the paper's.
/// docs/explanations/paper-calibration.md lists where the claims are loose and where they fail.
namespace tacet::learn::wang2021 {

/// alpha, L: Hoelder exponent and constant in w. M: bound of gradients at 0; f0: bound of losses at
/// 0.
struct Constants {
  double alpha;
  double L;
  double M;
  double f0;
};
[[nodiscard]] Constants constants(const model::Loss& loss, double norm_bound);

/// C_alpha: |w_t|^2 <= C_alpha t eta on the whole space.
[[nodiscard]] double iterate_growth(const Constants& c);
/// c_2 eta^(1/(1-alpha)): how far one step drives two runs apart; 0 for alpha = 1.
[[nodiscard]] double expansion(const Constants& c, double eta);
/// c_gamma: with probability 1 - gamma no record is read more than (T/n)(1 + c_gamma) times.
[[nodiscard]] double overcount(std::int64_t n, std::int64_t T, double gamma);

struct Run {
  std::int64_t n;
  std::int64_t T;
  double eta;
  std::optional<double> radius;  ///< of the ball W; absent: no constraint
};

/// The largest step that the sensitivity bound allows.
[[nodiscard]] double longest_step(const Constants& c, const Run& run);
/// Theorem 7: bound of the distance of the averages with probability 1 - gamma. UsageError for a
/// step beyond longest_step.
[[nodiscard]] double sensitivity(const Constants& c, const Run& run, double gamma);

/// sigma of Algorithm 1. The classical Gaussian mechanism that it uses is proved only up to epsilon
/// 1, and fails beyond 8.4. Above 1 its factor is replaced by the exact one at delta / 2.
struct OutputNoise {
  double sigma;
  bool repaired;
};
[[nodiscard]] OutputNoise output_noise(const Constants& c, const Run& run, double epsilon,
                                       double delta);

/// Which theorem determines steps and step size.
enum class Theorem {
  output_on_space = 9,    ///< Algorithm 1, whole space
  output_on_ball = 10,    ///< Algorithm 1, ball
  gradient_on_ball = 12,  ///< Algorithm 2, ball
};
/// The inputs of a schedule.
struct ScheduleFacts {
  std::int64_t n;
  std::int64_t d;
  double alpha;
  double epsilon;
  double delta;
};
struct Schedule {
  std::int64_t T;
  double eta;
};
/// Constants hidden in the theorems' orders of magnitude are 1. UsageError for more than 2^40
/// steps.
[[nodiscard]] Schedule schedule(Theorem theorem, const ScheduleFacts& asked);
/// The theorem's step size for another number of steps.
[[nodiscard]] double step_size(Theorem theorem, const ScheduleFacts& asked, std::int64_t T);

/// Theorem 11: noise of Algorithm 2 for a gradient bound B, sigma / (2 B), at the feasible beta in
/// (0, 1) that is closest to 1/2, where sigma is smallest. Nothing if no beta is feasible.
struct GradientNoise {
  double beta;
  double lambda;
  double ratio;
};
[[nodiscard]] std::optional<GradientNoise> gradient_noise(std::int64_t n, std::int64_t T,
                                                          double epsilon, double delta);
/// What the theorem asks for at one beta, whether or not it is feasible.
[[nodiscard]] GradientNoise gradient_noise_at(std::int64_t n, std::int64_t T, double epsilon,
                                              double delta, double beta);
/// Whether the theorem's conditions hold at beta.
[[nodiscard]] bool feasible(std::int64_t n, std::int64_t T, double epsilon, double delta,
                            double beta);

/// M + L R^alpha, and M + L for alpha = 0: the paper's bound of gradients on the ball.
[[nodiscard]] double gradient_bound(const Constants& c, double radius);

}  // namespace tacet::learn::wang2021
