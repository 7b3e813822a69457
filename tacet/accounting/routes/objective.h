#pragma once

#include <vector>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"

/// Objective perturbation for linear predictors (Kifer, Smith, Thakurta 2012; Redberg, Koskela,
/// Wang 2023): the privacy loss of the exact minimum is at most c + s^2/2 + s|N| with c = ln(1 +
/// smoothness / regularization), s = lipschitz / sigma and N standard normal.
namespace tacet::accounting::objective {

/// Public numbers of a linear predictor's objective; what a noise scale is sought for.
struct Curvature {
  double lipschitz;       ///< of a record's loss
  double smoothness;      ///< of a record's loss
  double regularization;  ///< strong convexity of the sum
  double output_mu = 0;   ///< 2 tolerance / (regularization * output_sigma); 0: exact minimum
};

/// delta at epsilon of the exact minimum, in add_remove or zero_out; for replace_one the certified
/// maximum over the angle between both records' directions.
[[nodiscard]] double exact_delta(double sigma, const Curvature& curvature, double epsilon,
                                 Adjacency adjacency);

/// delta at epsilon of the approximate minimum with output noise, rounded up. With S the one
/// record's ratio, e = epsilon - c and J(S) = E_N HS(e - S^2/2 - S|N|, mu), HS the Gaussian hockey
/// stick at the output noise's mu: J(s) for add_remove and zero_out; for replace_one the certified
/// maximum over angles of J(2s cos t) + J(2s sin t) - HS(e, mu). The angle 0 alone would not do:
/// two records whose directions differ leak more where delta is large.
[[nodiscard]] double delta(const ObjectivePerturbation& event, double epsilon, Adjacency adjacency);

/// Points of the curve of the exact minimum (tolerance and output noise left out), epsilons
/// ascending and deltas strictly falling below 1, down to 1e-24: chords between them lie within
/// 2e-3 of the curve, relatively. What dominates the minimum where it is composed or sampled; its
/// noisy release is Gaussian noise besides.
[[nodiscard]] std::vector<pairs::Point> exact_profile(const ObjectivePerturbation& event,
                                                      Adjacency adjacency);

/// The smallest epsilon at delta > 0, rounded up; infinity where there is none below 20000.
[[nodiscard]] double epsilon(const ObjectivePerturbation& event, double delta, Adjacency adjacency);

/// The smallest sigma, to a relative 1e-6 and rounded up, that makes the release
/// (epsilon, delta)-DP, delta > 0. GuaranteeError where none does: the determinant alone, ln(1 +
/// smoothness / regularization), takes epsilon up, or the output noise takes delta up.
[[nodiscard]] double calibrate_sigma(const Curvature& curvature, Epsilon epsilon, Delta delta,
                                     Adjacency adjacency);

/// The noise of Kifer, Smith and Thakurta (2012, theorem 5, GLM form): slope sqrt(8 ln(2/delta) +
/// 4 epsilon) / epsilon with slope the Lipschitz constant, doubled for replace_one (the published
/// statement is for add_remove). It claims (epsilon, delta) for the exact minimum where the
/// regularization is at least published_regularization(); the claim is recomputed, never believed.
[[nodiscard]] double published_sigma(double lipschitz, Epsilon epsilon, Delta delta,
                                     Adjacency adjacency);
/// 2 smoothness / epsilon, for the sum over the records.
[[nodiscard]] double published_regularization(double smoothness, Epsilon epsilon);

/// How a pure guarantee is shared out: epsilon = determinant + linear + output, with b of density
/// proportional to exp(-linear |b| / (distance lipschitz)) and output noise of the same kind for a
/// distance of 2 tolerance / regularization.
struct PureShares {
  double determinant;  ///< ln(1 + smoothness / regularization)
  double linear;
  double output;
};
/// `output` takes the given share of epsilon. GuaranteeError where the determinant leaves nothing.
[[nodiscard]] PureShares pure_shares(double smoothness, double regularization, Epsilon epsilon,
                                     double output_share);

}  // namespace tacet::accounting::objective
