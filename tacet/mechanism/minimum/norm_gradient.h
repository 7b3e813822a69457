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
/// of losses plus (sum_l2 / 2) |w|^2 and Gamma bounds how far a neighbour moves it. Purely
/// epsilon-private, in any number of dimensions.
///
/// The penalty makes the sampler exact: |G(w)| >= sum_l2 |w - s| - |G(s)| for every s, so a
/// proposal with density exp(-epsilon sum_l2 |w - s| / (2 Gamma)) around any s is accepted with the
/// probability that is missing. s decides the time alone, never the law. How long it takes depends
/// on the records; nothing about it is returned.
///
/// What doubles and grids change of the exponents is bounded by public numbers and paid for
/// (docs/proofs/norm-gradient.md).
namespace tacet::mechanism {

/// The sum over records of clipped gradients of the losses, at weights that are grid points.
using GradientOracle = std::function<privacy::BoundedSum(std::span<const double> weights)>;

/// What is asked for; all of it public.
struct NormGradientQuery {
  std::int64_t columns = 1;
  std::int64_t rows = 1;  ///< public, so replace_one or zero_out
  privacy::Adjacency adjacency = privacy::Adjacency::replace_one;
  double clipping_norm = 1;   ///< of one record's gradient, as all sums carry it
  double smoothness = 1;      ///< Lipschitz constant of the sum's gradient, without the penalty
  double sum_l2 = 1;          ///< of the whole sum, not of the mean
  double gradient_error = 0;  ///< distance of a sum from a monotone gradient, at most
};

/// Values of one grid unit, the radius of the ball around the origin that answers come from, and
/// what rounding can add to an exponent.
struct NormGradientGrid {
  double unit;
  double radius;
  double exponent_error;
};
/// It follows from the query alone. GuaranteeError under add_remove, or where rounding would cost
/// more than a hundredth of epsilon; UsageError for numbers out of range.
[[nodiscard]] NormGradientGrid norm_gradient_grid(const NormGradientQuery& query,
                                                  privacy::Epsilon epsilon);

/// Natural logarithm of how many proposals an answer takes on average at most, from public numbers:
/// d ln(1 + smoothness / sum_l2), and what rounding of the gradients adds. A start whose score is s
/// adds 2 weight s.
[[nodiscard]] double log_proposals(const NormGradientQuery& query, privacy::Epsilon epsilon);

/// Natural logarithm of how many points are drawn for an answer on average at most. Points outside
/// of the ball that holds every minimiser are drawn again. Minimisers lie within half of its
/// radius, so that a point as near to the start as that is inside: -ln P(Gamma(d) <= n epsilon / 2
/// over the distance factor), large where records are few and epsilon is small. Inside no exponent
/// is above 3 n epsilon / 2 over the distance factor, so that proposals are few there.
[[nodiscard]] double log_draws(const NormGradientQuery& query, privacy::Epsilon epsilon);

/// What release_norm_gradient costs: bounded range epsilon, hence pure epsilon.
[[nodiscard]] privacy::Event norm_gradient_event(const NormGradientQuery& query,
                                                 privacy::Epsilon epsilon);

/// One draw. `start` should lie near the minimiser; it is as private as the records. Debits
/// `reservation` by norm_gradient_event before a record is looked at.
[[nodiscard]] privacy::Released<std::vector<double>> release_norm_gradient(
    const GradientOracle& gradient, const privacy::Private<std::vector<double>>& start,
    const NormGradientQuery& query, privacy::Epsilon epsilon, const ReleaseContext& context);

}  // namespace tacet::mechanism
