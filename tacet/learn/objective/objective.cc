#include "tacet/learn/objective/objective.h"

#include <array>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/mechanism/minimum/perturbed_minimum.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/solver/certified_solver.h"

namespace tacet::learn {
namespace {

optimize::GlmLoss solver_loss(const ObjectivePlan& plan) {
  constexpr double no_clip = std::numeric_limits<double>::infinity();
  return optimize::GlmLoss(plan.loss, 0, no_clip, plan.class_weights);
}

}  // namespace

privacy::Released<std::vector<double>> release_objective(const data::Dataset& dataset,
                                                         const ObjectivePlan& plan,
                                                         const TrainingContext& context) {
  const mechanism::PerturbedSolver solver = [&](std::span<const double> linear) {
    // The solver passes on cancellations and shows no progress, since its steps depend on the data.
    // So does its running time, which the guarantee does not cover.
    return optimize::minimise_certified(dataset,
                                        {.loss = solver_loss(plan),
                                         .sum_l2 = plan.sum_l2,
                                         .linear = {linear.begin(), linear.end()}},
                                        plan.solver_tolerance, context.threads, context.supervision)
        .weights;
  };
  const auto columns = static_cast<std::size_t>(plan.columns);
  if (!plan.pure()) {
    return mechanism::release_perturbed_minimum(*plan.events.as<privacy::ObjectivePerturbation>(),
                                                columns, solver,
                                                {{}, context.source, context.reservation});
  }
  return mechanism::release_purely_perturbed_minimum(
      {.epsilon = privacy::Epsilon(plan.events.as<privacy::PureDp>()->epsilon),
       .adjacency = plan.guarantee.adjacency,
       .scales = {.linear = plan.linear_scale,
                  .output = plan.output_scale,
                  .distance = plan.distance,
                  .regularization = plan.sum_l2}},
      columns, solver, {{}, context.source, context.reservation});
}

TrainedModel train_objective(const data::Dataset& dataset, const data::Schema& schema,
                             const ObjectivePlan& plan, const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  context.supervision.step("training", 0, 1);
  const auto drawn = drawn_records(dataset, schema, context);
  const auto& records = drawn ? *drawn : dataset;
  check_public_count(records, plan, context, drawn ? "units" : "records");
  const auto released = release_objective(records, plan, context);
  context.supervision.step("training", 1, 1);
  return finish(plan, schema, context, {released.value()});
}

namespace {

privacy::Event recorded_objective(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                  const privacy::Event& own) {
  const auto plan = read_plan<ObjectivePlan>(receipt, parameters);
  if (own.as<privacy::ObjectivePerturbation>() != nullptr) return joint_release(plan);
  // The sum that PurePerturbation asks for (mechanism/minimum/perturbed_minimum.h).
  const auto adjacency = plan.guarantee.adjacency;
  const double epsilon = std::log1p(plan.smoothness / plan.sum_l2) +
                         privacy::distance_factor(adjacency) * plan.lipschitz / plan.linear_scale +
                         2 * plan.distance / plan.output_scale;
  return pure_release<privacy::PureDp>(adjacency, epsilon, own);
}

/// The joint profile and the pure sum count on the slope and the curvature of the model's loss.
void check_objective_file(const privacy::Receipt& /*receipt*/, const model::ModelFile& file,
                          RecordedParameters& parameters) {
  const double norm = file.schema.norm_bound();
  const auto facts = model::properties(file.model.loss);
  if (parameters.real("lipschitz") >= facts.slope_bound * norm &&
      parameters.real("smoothness") >= facts.curvature * norm * norm) {
    return;
  }
  throw base::DataError("the parameters count on a flatter loss than the model's");
}

constexpr std::array<std::string_view, 1> logistic_alone{"logistic"};
constexpr std::array objective_papers{Paper{Calibration::kifer2012}};

constexpr auto objective_reads =
    bound_names<penalty_bindings, class_weight_bindings, calibration_bindings,
                feature_selection_bindings, projection_bindings>;

}  // namespace

constinit const Method objective_method{
    .name = "objective",
    .help = "a random term in the objective, for the logistic loss",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = {privacy::every_adjacency, privacy::every_adjacency, UnitProtection::drawn},
    .problems =
        {.targets = {TargetKind::two_classes},
         .losses = logistic_alone,
         .why_no_other_loss =
             "its proof changes variables by the Hessian, of a loss without kinks whose slope is "
             "bounded everywhere"},
    .sampling = full_batch,
    .options = objective_reads,
    .plan = planned_by<objective_options, plan_objective, train_objective>,
    .recorded_events = recorded_objective,
    .papers = objective_papers,
    .check_file = check_objective_file,
};

}  // namespace tacet::learn
