#pragma once

#include <cstdint>

/// What no algorithm can beat, as numbers that benchmarks draw beside measured error. All bounds
/// hold for explicit families of losses F with f(w) - min f >= (lambda / kappa) |w - w*|^kappa,
/// built in docs/proofs/lower-bounds.md after the two-point and packing arguments of Asi, Levy,
/// Duchi 2021 (section 5) with constants of our own.
namespace tacet::learn {

struct GrowthProblem {
  std::int64_t rows = 1;
  double kappa = 2;      ///< growth exponent, above 1
  double lambda = 1;     ///< growth constant
  double lipschitz = 1;  ///< of each record's loss
  double radius = 1;     ///< the domain is [-radius, radius]
};

struct LowerBound {
  double value = 0;          ///< of the larger expected excess risk of the two or more data sets
  std::int64_t changed = 0;  ///< records that the worst pair differs in
};

/// One dimension, any kappa > 1, (epsilon, delta): two data sets of k records on either side.
/// Excess empirical risk. 0 when no pair satisfies the growth condition.
[[nodiscard]] LowerBound two_point_bound(const GrowthProblem& problem, double epsilon,
                                         double delta);

/// `columns` dimensions, kappa >= 2, pure epsilon: a packing of e^(d/8) data sets. `linear` is the
/// weight of the linear term. Excess empirical risk.
[[nodiscard]] LowerBound packing_bound(const GrowthProblem& problem, double epsilon,
                                       std::int64_t columns, double linear);

/// One dimension, without privacy: what sampling costs (Pinsker). Excess population risk.
[[nodiscard]] double sampling_bound(const GrowthProblem& problem);

}  // namespace tacet::learn
