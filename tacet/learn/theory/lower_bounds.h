#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/base/error.h"

/// Lower bounds that no algorithm can beat, for benchmarks to show beside measured errors. All
/// bounds hold for explicit families of losses F with f(w) - min f >= (lambda / kappa) |w -
/// w*|^kappa. They are constructed in docs/proofs/lower-bounds.md by the two-point and packing
/// arguments of Asi, Levy, Duchi 2021 (section 5), with our own constants.
namespace tacet::learn {

struct GrowthProblem {
  std::int64_t rows = 1;
  double kappa = 2;      ///< growth exponent, above 1
  double lambda = 1;     ///< growth constant
  double lipschitz = 1;  ///< of each record's loss
  double radius = 1;     ///< the domain is [-radius, radius]
};

struct LowerBound {
  double value = 0;          ///< of the expected excess risk on the worst of the data sets
  std::int64_t changed = 0;  ///< number of records in which the worst pair differs
};

inline void expect_growth(const GrowthProblem& problem, double min_kappa) {
  const bool valid = problem.rows >= 1 && problem.kappa >= min_kappa && problem.kappa > 1 &&
                     problem.lambda > 0 && problem.lipschitz > 0 && problem.radius > 0;
  if (!valid) {
    throw base::UsageError(
        "a lower bound needs records, positive constants and a growth exponent above 1 (from 2 on "
        "for the packing)");
  }
}

/// Half the distance of the two minimisers: F(w; +) = L|w - a|, F(w; -) = L|w + a|, and their mean
/// for neutral records, with a share `tilt` more on one side. 0 if the two do not satisfy the
/// growth condition on the whole domain. (A convex function is compared with a linear one, so the
/// ends decide.)
inline double half_distance(const GrowthProblem& problem, double tilt) {
  const auto& [rows, kappa, lambda, lipschitz, radius] = problem;
  const double a = 0.5 * std::pow(kappa * tilt * lipschitz / lambda, 1 / (kappa - 1));
  const double at_end = lipschitz * (radius - a) + 2 * a * tilt * lipschitz;
  const bool grows =
      a <= radius && at_end >= lambda / kappa * std::pow(radius + a, kappa) * (1 - 1e-12);
  return grows ? a : 0;
}

/// One dimension, any kappa > 1, (epsilon, delta): two data sets of k records on either side.
/// Excess empirical risk. 0 if no pair satisfies the growth condition.
inline LowerBound two_point_bound(const GrowthProblem& problem, double epsilon, double delta) {
  expect_growth(problem, 1);
  if (!(epsilon > 0) || !(delta >= 0 && delta < 1)) {
    throw base::UsageError("epsilon must be above 0 and delta in [0, 1)");
  }
  LowerBound best;
  for (std::int64_t k = 1; k <= problem.rows; ++k) {
    // Group privacy of k records: to miss is at least this likely on one of the two.
    const double together = static_cast<double>(k) * epsilon;
    if (together > 700) break;
    const double slack = delta * std::expm1(together) / std::expm1(epsilon);
    const double miss = std::max(0.0, 1 - slack) / (1 + std::exp(together));
    const double tilt = static_cast<double>(k) / static_cast<double>(problem.rows);
    const double value = miss * tilt * problem.lipschitz * half_distance(problem, tilt);
    if (value > best.value) best = {value, k};
  }
  return best;
}

/// `columns` dimensions, kappa >= 2, pure epsilon: a packing of e^(d/8) data sets. `linear` is the
/// weight of the linear term. Excess empirical risk.
inline LowerBound packing_bound(const GrowthProblem& problem, double epsilon, std::int64_t columns,
                                double linear) {
  expect_growth(problem, 2);
  if (!(epsilon > 0) || columns < 1 || !(linear > 0)) {
    throw base::UsageError("epsilon, columns and the linear term must be above 0");
  }
  const auto n = static_cast<double>(problem.rows);
  const double curvature = problem.lambda * std::exp2(problem.kappa - 2);
  LowerBound best;
  for (std::int64_t k = 1; k <= problem.rows; ++k) {
    const auto count = static_cast<double>(k);
    const double confused = 1 - std::exp(count * epsilon - static_cast<double>(columns) / 8);
    if (confused <= 0) break;
    const double norm = std::pow(linear * count / (n * curvature), 1 / (problem.kappa - 1));
    const double value =
        confused * problem.lambda / problem.kappa * std::pow(norm / 2, problem.kappa);
    if (value > best.value) best = {value, k};
  }
  return best;
}

/// One dimension, without privacy: the sampling error (Pinsker). Excess population risk.
inline double sampling_bound(const GrowthProblem& problem) {
  expect_growth(problem, 1);
  const auto n = static_cast<double>(problem.rows);
  const auto at = [&](double tilt) {
    const double divergence = tilt * (std::log1p(tilt) - std::log1p(-tilt));
    const double distance = std::sqrt(n * divergence / 2);
    return std::max(0.0, 1 - distance) / 2 * tilt * problem.lipschitz *
           half_distance(problem, tilt);
  };
  // A falling factor times a rising one; beyond sqrt(1/n) the first one is 0.
  const double last = std::min(0.999, 1.01 / std::sqrt(n));
  constexpr int points = 20000;
  double best = 0;
  for (int i = 1; i <= points; ++i) best = std::max(best, at(last * i / points));
  return best;
}

}  // namespace tacet::learn
