#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sgd/sgd_schedule.h"
#include "tacet/optimize/sgd/sgd_sensitivity.h"
#include "tacet/privacy/adjacency.h"

/// From a loss and public bounds to what is known about every step of stochastic gradient descent
/// for every data set. Proofs: docs/proofs/output_perturbation.md.
namespace tacet::optimize {

/// A problem without its data.
struct SgdProblem {
  model::Loss loss;          ///< of the step's gradient; not yet smoothed
  bool smooth = true;        ///< kinks and powers are smoothed on a width tied to each step
  double norm_bound = 1;     ///< X: of a row, intercept included
  std::int64_t columns = 1;  ///< d: of a row
  std::int64_t outputs = 1;  ///< one predictor per class, side by side
  std::optional<double> clipping_norm;  ///< gradients of one output are cut at it
  std::optional<double> radius;         ///< each output's weights stay in the ball of this radius
  double start_norm = 0;                ///< of the first iterate, all outputs together
};

/// The loss that a step of this size really descends.
[[nodiscard]] model::Loss loss_of_step(const SgdProblem& problem, double step_size);

/// kappa of one output (Lemma 2): how far a step can drive two runs apart that read the same
/// record; 0 where the loss is smooth and the step at most 2 / (curvature X^2). GuaranteeError for
/// a longer step on a smooth loss whose slopes have no bound.
[[nodiscard]] double one_step_growth(const model::Loss& loss, double step_size, double norm_bound,
                                     std::optional<double> clipping_norm);

/// Bound of the slope of one output's loss at step t, which the run enforces, and of the norm of
/// its iterates before step t.
struct StepRegion {
  double slope;
  double norm;
};

/// Regions of all steps: one entry where nothing depends on the step. On the whole space, without
/// clipping and for slopes without a bound, the iterates' norm grows by the envelope of Lemma 4.
/// GuaranteeError where no envelope is proved.
[[nodiscard]] std::vector<StepRegion> step_regions(const SgdProblem& problem,
                                                   const SgdSchedule& schedule);

/// Theorem B's law. GuaranteeError for add_remove, under which the number of records, and with it
/// every batch, would change; and for a problem without a proof.
[[nodiscard]] StepLaw step_law(const SgdProblem& problem, const SgdSchedule& schedule,
                               privacy::Adjacency adjacency);

/// What computing in double precision can add to the distance of two runs (Lemma 5): the exact
/// law's growth with it, and a term for the whole run.
struct RoundingGuard {
  StepLaw law;
  double added;  ///< to the distance of the weighted means
};
[[nodiscard]] RoundingGuard rounding_guard(const SgdProblem& problem, const SgdSchedule& schedule,
                                           privacy::Adjacency adjacency);

}  // namespace tacet::optimize
