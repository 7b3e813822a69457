#pragma once

#include <cstdint>

/// Formulas of Arora, Bassily, Guzman, Menart, Ullah, "Differentially private generalized linear
/// models revisited" (2022), for reproductions: what the paper claims, with constant 1 in its
/// orders of magnitude. No guarantee depends on them; the methods account their releases by their
/// own proofs. docs/explanations/paper-calibration.md lists where the claims are loose and where
/// they fail.
namespace tacet::learn::arora2022 {

/// A smooth non-negative loss (phi' H-Lipschitz, phi(0) <= L_0) or one of bounded slope, for rows
/// of norm at most X and weights of norm at most B.
struct Problem {
  double curvature;     ///< H; infinite: the loss is only Lipschitz
  double loss_at_zero;  ///< L_0
  double slope_bound;   ///< of phi' everywhere; infinite if the loss is only smooth
  double norm_bound;    ///< X
  double radius;        ///< B
};

/// G, bound of a record's gradient on the ball: X (sqrt(2 H L_0) + H B X), from phi'^2 <= 2 H phi
/// (the paper's 4 is loose), or X times the slope's bound, whichever is less.
[[nodiscard]] double gradient_bound(const Problem& problem);

/// Noisy SGD on single records drawn with replacement: T = n^2 steps, noise of multiplier
/// sqrt(8 T ln(1 / delta)) / (n epsilon) on a gradient of norm at most G, steps of B / sqrt(T (G^2
/// + d sigma^2)), the mean of the iterates.
[[nodiscard]] double gradient_noise(std::int64_t rows, std::int64_t steps, double epsilon,
                                    double delta);
[[nodiscard]] double gradient_step(const Problem& problem, std::int64_t columns, std::int64_t steps,
                                   double noise_multiplier);

/// Output perturbation: lambda of the mean loss where bias lambda B^2 / 2 and the noise's cost
/// balance, with the classical Gaussian factor; and that factor, sqrt(2 ln(1.25 / delta)) /
/// epsilon, the noise's standard deviation over the distance 2 G / (lambda n).
[[nodiscard]] double output_factor(double epsilon, double delta);
[[nodiscard]] double output_lambda(const Problem& problem, std::int64_t rows, double epsilon,
                                   double delta);

/// Its projection. It assumes that rows become at most twice as long, and has weights in a ball of
/// twice the radius. It has the width ln(2 n / delta) (h n epsilon / (Y + h))^(2/3) for a smooth
/// loss, h = sqrt(H) B X and Y = sqrt(L_0), or ln(2 n / delta) n epsilon for a bounded slope,
/// whichever is less. This is reconstructed, since that part of the paper was not available.
[[nodiscard]] double projection_width(const Problem& problem, std::int64_t rows, double epsilon,
                                      double delta);
/// What the paper adds to delta for it: the probability that a Gaussian projection to `width` makes
/// one of n rows more than twice as long. It is at most n (4 e^-3)^(width / 2), by Chernoff's bound
/// for chi-square.
[[nodiscard]] double norm_event(std::int64_t rows, std::int64_t width);

}  // namespace tacet::learn::arora2022
