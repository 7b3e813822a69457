#pragma once

#include <vector>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"

/// Objective perturbation for linear predictors (Kifer, Smith, Thakurta 2012; Redberg, Koskela,
/// Wang 2023): the privacy loss of the exact minimum is at most c + s^2/2 + s|N| with c = ln(1 +
/// smoothness / regularization), s = lipschitz / sigma and N standard normal.
namespace tacet::accounting::objective {

/// The public numbers of a linear predictor's objective, for the search of a noise scale.
struct Curvature {
  double lipschitz;       ///< bound of a record's slope
  double smoothness;      ///< bound of a record's curvature
  double regularization;  ///< strong convexity of the sum over the records
  double output_mu = 0;  ///< 2 tolerance / (regularization * output_sigma); 0 for the exact minimum
};

/// delta at epsilon of the exact minimum. Under replace_one it is the certified maximum over the
/// angle between the two records' directions.
[[nodiscard]] double exact_delta(double sigma, const Curvature& curvature, double epsilon,
                                 Adjacency adjacency);

/// delta at epsilon of the approximate minimum with output noise, rounded up. Let e = epsilon - c
/// and J(S) = E_N HS(e - S^2/2 - S|N|, mu), where HS is the Gaussian hockey stick at the mu of the
/// output noise. The result is J(s) for add_remove and zero_out. For replace_one it is the
/// certified maximum over angles t of J(2s cos t) + J(2s sin t) - HS(e, mu). The angle 0 alone
/// would not suffice: two records with different directions leak more if delta is large.
[[nodiscard]] double delta(const ObjectivePerturbation& event, double epsilon, Adjacency adjacency);

/// Points of the curve of the exact minimum (tolerance and output noise left out), epsilons
/// ascending and deltas strictly falling below 1, down to 1e-24: chords between them have a
/// relative distance of at most 2e-3 to the curve. Their profile dominates the minimum if it is
/// composed or sampled. The output noise is accounted as a Gaussian beside it.
[[nodiscard]] std::vector<pairs::Point> exact_profile(const ObjectivePerturbation& event,
                                                      Adjacency adjacency);

/// The smallest epsilon at delta > 0, rounded up; infinity if it is not below 20000.
[[nodiscard]] double epsilon(const ObjectivePerturbation& event, double delta, Adjacency adjacency);

/// The smallest sigma, to a relative 1e-6 and rounded up, that makes the release (epsilon,
/// delta)-DP, delta > 0. GuaranteeError if none does: the determinant ln(1 + smoothness /
/// regularization) alone uses up epsilon, or the output noise alone uses up delta.
[[nodiscard]] double calibrate_sigma(const Curvature& curvature, Epsilon epsilon, Delta delta,
                                     Adjacency adjacency);

/// The noise of Kifer, Smith and Thakurta (2012, theorem 5, GLM form): slope sqrt(8 ln(2/delta) + 4
/// epsilon) / epsilon with slope the Lipschitz constant, doubled for replace_one (the published
/// statement is for add_remove). The paper claims (epsilon, delta) for the exact minimum if the
/// regularization is at least published_regularization(). tacet computes the guarantee itself and
/// does not rely on the claim.
[[nodiscard]] double published_sigma(double lipschitz, Epsilon epsilon, Delta delta,
                                     Adjacency adjacency);
/// 2 smoothness / epsilon, for the sum over the records: the regularization that the paper asks
/// for.
[[nodiscard]] double published_regularization(double smoothness, Epsilon epsilon);

/// How a pure guarantee is divided: epsilon = determinant + linear + output. The linear term b has
/// a density proportional to exp(-linear |b| / (distance lipschitz)). The output noise has the same
/// form, for a distance of 2 tolerance / regularization.
struct PureShares {
  double determinant;  ///< ln(1 + smoothness / regularization)
  double linear;
  double output;
};
/// `output` gets the given share of epsilon. GuaranteeError if the determinant leaves nothing.
[[nodiscard]] PureShares pure_shares(double smoothness, double regularization, Epsilon epsilon,
                                     double output_share);

}  // namespace tacet::accounting::objective
