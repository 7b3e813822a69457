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
/// minimiser with a little noise, which covers the error of the solver
/// (mechanism/minimum/perturbed_minimum.h). The cost is the joint profile of both
/// (accounting/routes/objective.h), under all three adjacencies; with delta 0 it is pure. For
/// losses that are twice differentiable with a slope bounded everywhere: the proof is a change of
/// variables whose Jacobian is the Hessian (docs/proofs/objective.md). With a unit column one
/// record of each unit takes part (learn/plan/unit_draw.h). The penalty depends on the declared
/// number of records (or units); if that is public, it must be exact.
namespace tacet::learn {

/// The user's options of objective perturbation. All that are left out are chosen from public
/// facts.
struct ObjectiveOptions : CommonOptions, PenaltyOptions, ClassWeightOptions {};
inline constexpr auto objective_options =
    read_options<ObjectiveOptions, penalty_bindings, class_weight_bindings, calibration_bindings>;

/// Everything that is resolved before a record is read.
struct ObjectivePlan : MethodPlan {
  double sum_l2 = 0;  ///< Lambda, of the sum over the records
  double linear_scale =
      0;  ///< standard deviation of each coordinate of b; for pure privacy its scale
  double output_scale = 0;  ///< the same for the noise on the minimiser
  double distance = 0;      ///< largest distance of the computed minimiser from the exact one for b
  double solver_tolerance = 0;
  double lipschitz = 0;   ///< bound of the slope of one record's loss
  double smoothness = 0;  ///< bound of the slope of its gradient

  [[nodiscard]] bool pure() const { return guarantee.delta == 0; }
};

/// Chooses all parameters from the options and the schema alone. UsageError if something is missing
/// or makes no sense. GuaranteeError if there is no proof: a loss that is not twice differentiable
/// or whose slope is not bounded everywhere, more than two classes.
[[nodiscard]] ObjectivePlan plan_objective(const data::Schema& schema,
                                           const ObjectiveOptions& options,
                                           const PlanContext& context = {});

/// The grids that the plan's release uses.
[[nodiscard]] mechanism::MinimumGrids minimum_grids(const ObjectivePlan& plan);

/// Releases the coefficients as planned and debits the cost. UsageError with more than one process.
[[nodiscard]] privacy::Released<std::vector<double>> release_objective(
    const data::Dataset& dataset, const ObjectivePlan& plan, const TrainingContext& context);

/// Trains as planned and commits the reservation. With the same seed the model has the same bits
/// for any number of threads, and for dense and sparse storage.
[[nodiscard]] TrainedModel train_objective(const data::Dataset& dataset, const data::Schema& schema,
                                           const ObjectivePlan& plan,
                                           const TrainingContext& context);

/// The event of a plan with a delta above 0.
[[nodiscard]] privacy::ObjectivePerturbation joint_release(const ObjectivePlan& plan);
/// The list of a plan's settings, which writes a receipt and reads it back.
void list_settings(SettingList& list, ObjectivePlan& plan);

extern const Method objective_method;

/// The regularization of the sum that balances the cost of shrinking, Lambda R^2 / 2, against the
/// cost of the noise. The standard deviation of b depends on Lambda itself. The cost of the noise
/// is min(d sigma^2 / (2 Lambda), n h X^2 sigma^2 / (2 Lambda^2)) (the records excite all
/// directions, or each record one direction).
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
