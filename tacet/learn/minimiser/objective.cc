#include "tacet/learn/minimiser/objective.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/learn/plan/settled_training.h"
#include "tacet/mechanism/minimum/perturbed_minimum.h"
#include "tacet/optimize/solver/certified_solver.h"

namespace tacet::learn {
namespace {

std::string calibration_name(Calibration calibration) {
  return calibration == Calibration::paper ? "paper" : "tight";
}

std::vector<Setting> settings_of(const ObjectivePlan& plan) {
  auto settings = loss_settings(plan.loss);
  settings.push_back({"columns", plan.columns});
  settings.push_back({"public_row_count", plan.public_row_count});
  settings.push_back(
      {"calibration", calibration_name(plan.calibration), plan.calibration == Calibration::paper});
  settings.push_back({"regularization", plan.regularization});
  settings.push_back(
      {"l2", plan.regularization / static_cast<double>(plan.public_row_count), false});
  settings.push_back({"objective_noise", plan.linear_scale});
  settings.push_back({"output_noise", plan.output_scale});
  settings.push_back({"distance", plan.distance});
  return settings;
}

nlohmann::json public_parameters(const ObjectivePlan& plan) {
  nlohmann::json json;
  for (const auto& setting : settings_of(plan)) {
    std::visit([&](const auto& value) { json[setting.name] = value; }, setting.value);
  }
  return json;
}

}  // namespace

privacy::Released<std::vector<double>> release_objective(const data::Dataset& dataset,
                                                         const ObjectivePlan& plan,
                                                         const TrainingMeans& means) {
  if (means.reducer.size() > 1) {
    throw base::UsageError(
        "the method objective needs all records in one process; use the method gradient");
  }
  const mechanism::PerturbedSolver solver = [&](std::span<const double> linear) {
    // What is drawn while the solver runs, and how long that takes, is nobody's business.
    return optimize::minimise_certified(dataset, {0, dataset.rows()},
                                        {.loss = optimize::GlmLoss(plan.loss),
                                         .sum_l2 = plan.regularization,
                                         .linear = {linear.begin(), linear.end()}},
                                        plan.solver_tolerance, means.threads, means.supervision)
        .weights;
  };
  const auto columns = static_cast<std::size_t>(plan.columns);
  if (!plan.pure()) {
    return mechanism::release_perturbed_minimum(*plan.events.as<privacy::ObjectivePerturbation>(),
                                                columns, solver, {}, means.source,
                                                means.reservation);
  }
  return mechanism::release_purely_perturbed_minimum(
      {.epsilon = privacy::Epsilon(plan.events.as<privacy::PureDp>()->epsilon),
       .adjacency = plan.guarantee.adjacency,
       .scales = {.linear = plan.linear_scale,
                  .output = plan.output_scale,
                  .distance = plan.distance,
                  .regularization = plan.regularization}},
      columns, solver, {}, means.source, means.reservation);
}

TrainedModel train_objective(const data::Dataset& dataset, const data::Schema& schema,
                             const ObjectivePlan& plan, const TrainingMeans& means) {
  if (dataset.columns() != plan.columns || dataset.norm_bound() > schema.norm_bound()) {
    throw base::InternalError("the data set and the plan differ in their columns or bounds");
  }
  means.supervision.step("training", 0, 1);
  const auto released = release_objective(dataset, plan, means);
  means.supervision.step("training", 1, 1);

  TrainedModel trained{model::empty_model(schema, plan.loss),
                       blank_receipt("objective", schema, plan.guarantee)};
  trained.model.coefficients = released.value();
  trained.receipt.calibration = calibration_name(plan.calibration);
  trained.receipt.parameters = public_parameters(plan).dump();
  trained.receipt.public_row_count = plan.public_row_count;
  complete_receipt(trained.receipt, means, plan.cipher_delta);
  return trained;
}

Training objective_training(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return gradient_training(schema, options);
  auto plan = plan_objective(schema, options);
  auto settings = settings_of(plan);
  return settled_training("objective", std::move(plan), std::move(settings), train_objective);
}

}  // namespace tacet::learn
