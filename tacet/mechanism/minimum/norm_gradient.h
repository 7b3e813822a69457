#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

/// The gradient as a score (Reimherr, Awan 2019, the K-norm gradient mechanism; the inverse
/// sensitivity mechanism of Asi, Duchi 2020 with radius 0): a point w of a public grid has
/// probability proportional to exp(-epsilon |G(w)| / (2 Gamma)), where G is the gradient of a sum
/// of losses plus (sum_l2 / 2) |w|^2 and Gamma bounds how far a neighbour moves it. It is
/// epsilon-DP without delta, in any number of dimensions.
///
/// The penalty makes the sampler exact: |G(w)| >= sum_l2 |w - s| - |G(s)| for every s, so a
/// proposal with density proportional to exp(-epsilon sum_l2 |w - s| / (2 Gamma)) around any s can
/// be accepted with the quotient as probability. The choice of s affects only the time, never the
/// law. The time depends on the records, but nothing about it is returned.
///
/// The effect of doubles and grids on the exponents is bounded by public numbers and included in
/// epsilon (docs/proofs/norm-gradient.md).
namespace tacet::mechanism {

/// The sum over records of clipped gradients of the losses, at weights that are grid points.
using GradientOracle = std::function<privacy::BoundedSum(std::span<const double> weights)>;

/// The query. All of it is public.
struct NormGradientQuery {
  std::int64_t columns = 1;
  std::int64_t rows = 1;  ///< public, so replace_one or zero_out
  privacy::Adjacency adjacency = privacy::Adjacency::replace_one;
  double clipping_norm = 1;   ///< bound of one record's gradient, which every sum must have
  double smoothness = 1;      ///< Lipschitz constant of the sum's gradient, without the penalty
  double sum_l2 = 1;          ///< for the whole sum, not for the mean
  double gradient_error = 0;  ///< largest distance of a sum from a monotone gradient
};

/// The value of a grid unit, the radius of the ball around the origin from which answers come, and
/// the largest error that rounding adds to an exponent.
struct NormGradientGrid {
  double unit;
  double radius;
  double exponent_error;
};
/// Depends on the query alone. GuaranteeError under add_remove, or if rounding would cost more than
/// a hundredth of epsilon; UsageError for numbers out of range.
[[nodiscard]] NormGradientGrid norm_gradient_grid(const NormGradientQuery& query,
                                                  privacy::Epsilon epsilon);

/// Natural logarithm of a bound of the mean number of proposals for an answer, from public numbers:
/// d ln(1 + smoothness / sum_l2), plus the effect of the gradients' rounding. A start with score s
/// adds 2 weight s.
[[nodiscard]] double log_proposals(const NormGradientQuery& query, privacy::Epsilon epsilon);

/// Natural logarithm of a bound of the mean number of points that are drawn for an answer. Points
/// outside of the ball that contains every minimiser are drawn again. Minimisers lie within half of
/// its radius, so a point closer to the start than that is inside: -ln P(Gamma(d) <= n epsilon / 2
/// over the distance factor), which is large if records are few and epsilon is small. Inside, no
/// exponent is above 3 n epsilon / 2 over the distance factor, so proposals are then few.
[[nodiscard]] double log_draws(const NormGradientQuery& query, privacy::Epsilon epsilon);

/// The event of release_norm_gradient: bounded range epsilon, hence pure epsilon.
[[nodiscard]] privacy::Event norm_gradient_event(const NormGradientQuery& query,
                                                 privacy::Epsilon epsilon);

/// One draw. `start` should be close to the minimiser; it is as private as the records. Debits
/// `reservation` by norm_gradient_event before a record is read.
[[nodiscard]] privacy::Released<std::vector<double>> release_norm_gradient(
    const GradientOracle& gradient, const privacy::Private<std::vector<double>>& start,
    const NormGradientQuery& query, privacy::Epsilon epsilon, const ReleaseContext& context);

}  // namespace tacet::mechanism
