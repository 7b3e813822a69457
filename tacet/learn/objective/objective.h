#pragma once

#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/minimum/perturbed_minimum.h"
#include "tacet/privacy/released.h"

/// Method `objective`: objective perturbation for linear models.
///
/// Minimises sum_i loss(<w, x_i>, y_i) + (Lambda/2) |w|^2 + <b, w> for random b and releases the
/// minimiser with a little noise for what its solver may be off
/// (mechanism/minimum/perturbed_minimum.h). The cost is the joint profile of both
/// (accounting/routes/objective.h), under all three adjacencies; with delta 0 it is pure. For
/// losses that are twice differentiable with a slope bounded everywhere: the proof is a change of
/// variables whose Jacobian is the Hessian (docs/proofs/objective.md). With a unit column one
/// record of each unit takes part (learn/plan/unit_draw.h). The declared number of records (of
/// units) chooses the penalty; where it is public it must be exact.
namespace tacet::learn {

/// What a user may ask of objective perturbation. Everything left out is chosen from public facts.
struct ObjectiveOptions : CommonOptions, PenaltyOptions, ClassWeightOptions {};
inline constexpr auto objective_options =
    read_options<ObjectiveOptions, penalty_bindings, class_weight_bindings, calibration_bindings>;

/// Everything that is resolved before a record is read.
struct ObjectivePlan : MethodPlan {
  double sum_l2 = 0;  ///< Lambda, of the sum over the records
  double linear_scale =
      0;  ///< standard deviation of each coordinate of b; for pure privacy its scale
  double output_scale = 0;  ///< the same of the noise on the minimiser
  double distance = 0;      ///< of what is computed from b's exact minimiser, at most
  double solver_tolerance = 0;
  double lipschitz = 0;   ///< of one record's loss
  double smoothness = 0;  ///< the same of its gradient

  [[nodiscard]] bool pure() const { return guarantee.delta == 0; }
};

/// Resolves all parameters from the options and the schema alone. UsageError when something needed
/// is missing or makes no sense; GuaranteeError for what is not proved: a loss that is not twice
/// differentiable or whose slope is not bounded everywhere, more than two classes.
[[nodiscard]] ObjectivePlan plan_objective(const data::Schema& schema,
                                           const ObjectiveOptions& options,
                                           const PlanContext& context = {});

/// The grids that the plan's release uses.
[[nodiscard]] mechanism::MinimumGrids minimum_grids(const ObjectivePlan& plan);

/// What the plan releases from the data set, its cost debited: the coefficients. UsageError with
/// more than one process.
[[nodiscard]] privacy::Released<std::vector<double>> release_objective(
    const data::Dataset& dataset, const ObjectivePlan& plan, const TrainingContext& context);

/// Trains by the plan and commits the reservation. With one seed the model has the same bits for
/// any number of threads and for dense and sparse storage.
[[nodiscard]] TrainedModel train_objective(const data::Dataset& dataset, const data::Schema& schema,
                                           const ObjectivePlan& plan,
                                           const TrainingContext& context);

/// What a plan with a delta above 0 releases.
[[nodiscard]] privacy::ObjectivePerturbation joint_release(const ObjectivePlan& plan);
/// The settings of a plan, for planning and for the way back from a receipt.
void list_settings(SettingList& list, ObjectivePlan& plan);

extern const Method objective_method;

/// The regularization of the sum that balances what shrinking costs, Lambda R^2 / 2, against what
/// the noise costs, where b's standard deviation depends on Lambda itself: min(d sigma^2 / (2
/// Lambda), n h X^2 sigma^2 / (2 Lambda^2)) (all directions excited by the records, or every record
/// alone).
struct RegularizationFacts {
  double epsilon;
  double delta;  ///< 0: pure
  privacy::Adjacency adjacency;
  double lipschitz;
  double smoothness;
  double rows;
  double columns;
  double radius;  ///< R, the size of weights worth reaching
};
[[nodiscard]] double choose_sum_l2(const RegularizationFacts& facts);

}  // namespace tacet::learn
