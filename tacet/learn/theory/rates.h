#pragma once

#include <cstdint>

/// How fast the excess risk of private generalized linear models falls: the bounds of Arora,
/// Bassily, Guzman, Menart and Ullah (2022), with constants 1 and without logarithms. They say how
/// an error changes with records, columns, norm and epsilon, but not how large it is. Benchmarks
/// show them beside measured errors, up to a factor.
namespace tacet::learn {

struct RateProblem {
  double rows = 1;
  double columns = 1;
  double rank = 1;         ///< of the rows' second moments; at most the columns
  double radius = 1;       ///< norm of the best weights
  double row_norm = 1;     ///< of the features
  double label_bound = 1;  ///< its square bounds the loss at prediction 0
  double curvature = 1;    ///< of a smooth loss, in the prediction
  double slope = 1;        ///< of a Lipschitz loss, in the prediction
  double epsilon = 1;      ///< delta would enter by its logarithm, which is left out
};

/// Excess population risk.
struct RateBounds {
  double lower = 0;       ///< no private algorithm is better, whether it knows the norm or not
  double known_norm = 0;  ///< reached by an algorithm that knows `radius`
  /// reached by an algorithm that finds the norm privately, among radii of at least 1
  double unknown_norm = 0;
};

/// Smooth, non-negative losses, as squared error: with h = sqrt(curvature) radius row_norm,
///   upper  min{Y^2, h Y / sqrt n + min{(h^(4/3) Y^(2/3) + h^2) / (n eps)^(2/3),
///                                      sqrt(d) (h Y + h^2) / (n eps)}},
///   lower  the same without the two h^2;
/// and where the norm is not known, for h at max(radius, 1), the term h Y / sqrt n becomes
/// (h max(Y, 1) + Y^2) / sqrt n, and (Y^2 + h^2) / (n eps) is added. Between upper and lower lies
/// the factor in the norm that the paper leaves open. UsageError unless rows, columns, rank are at
/// least 1, the rank at most the columns, and all else is above 0 and finite.
[[nodiscard]] RateBounds smooth_rates(const RateProblem& problem);

/// Lipschitz losses, such as the absolute error or the hinge. Upper and lower bound agree:
///   G B X (1 / sqrt n + min{1 / sqrt(n eps), sqrt(rank) / (n eps)}).
/// If the norm is not known: at max(radius, 1), plus Y^2 / sqrt n + (Y^2 + G B X) / (n eps), and
/// never above Y^2, since the zero model is one of the candidates. UsageError as above.
[[nodiscard]] RateBounds lipschitz_rates(const RateProblem& problem);

}  // namespace tacet::learn
