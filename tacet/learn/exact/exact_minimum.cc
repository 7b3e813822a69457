#include "tacet/learn/exact/exact_minimum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/optimize/solver/erm.h"
#include "tacet/privacy/decimal.h"

namespace tacet::learn {
namespace {

// How close to the minimum each output's mean loss has to be: less than the smoothing of corners
// changes.
constexpr double near_enough = 1e-6;
constexpr std::string_view certified = "certified";
// Keys in the receipt: how far the objective may be above its minimum, and among which weights.
constexpr auto gap_key = "optimality_gap";
constexpr auto radius_key = "optimality_radius";

TrainedModel train_exact_minimum(const data::Dataset& dataset, const data::Schema& schema,
                                 const ExactPlan& plan, const TrainingContext& context) {
  const auto fitted = fit_unprotected(dataset, schema, plan, context.threads, context.supervision);
  context.reservation.commit();
  return marked_model(schema, plan, fitted);
}

}  // namespace

ExactOptions exact_options(const ParameterValues& asked) {
  // Knots and a projection are resolved before.
  static constexpr auto reads =
      bound_names<penalty_bindings, class_weight_bindings, knot_bindings, projection_bindings>;
  const auto known = [](std::string_view name) {
    if (name == "delta" || name == "boost") return false;
    return std::ranges::find(common_names(), name) != common_names().end() ||
           std::ranges::find(reads, name) != reads.end();
  };
  for (const auto& [name, value] : asked.all()) {
    if (known(name) || says_default(*find_parameter(name), value)) continue;
    throw base::UsageError(
        "{} has no meaning with epsilon inf, which computes the exact minimiser; leave it out",
        base::parameter_name(name));
  }
  return read_options<ExactOptions, penalty_bindings, class_weight_bindings>(asked);
}

ExactPlan plan_exact_minimum(const data::Schema& schema, const ExactOptions& options) {
  ExactPlan plan;
  resolve_problem(plan, schema, options, {.targets = every_target, .softmax = true});
  if (std::holds_alternative<model::PoissonLoss>(plan.loss)) {
    // The search needs a bound of the curvature. A mean of e^6 times the largest count is never
    // reached.
    constexpr double reach = 6;
    plan.loss = model::ExtendedPoissonLoss{reach};
  }
  resolve_class_weights(plan, schema, options.class_weights);
  plan.method = "exact minimiser";
  plan.reasons.emplace_back("epsilon inf: the exact minimiser, without any protection");
  plan.guarantee = {std::numeric_limits<double>::infinity(), 0, options.adjacency};
  plan.mean_l2 = options.mean_l2.value_or(0);
  SettingList list(plan);
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = false, .json = false});
  return plan;
}

privacy::Unprotected<ExactFit> fit_unprotected(const data::Dataset& dataset,
                                               const data::Schema& schema, const ExactPlan& plan,
                                               base::ThreadPool& threads,
                                               const base::Supervision& supervision) {
  check_shape(dataset, schema, plan);
  if (dataset.rows() == 0) {
    throw base::DataError("the file holds no records; without noise there is nothing to train on");
  }
  auto fit = optimize::minimise_without_protection(
      dataset, plan.loss,
      {.mean_l2 = plan.mean_l2, .outputs = plan.outputs, .class_weights = plan.class_weights},
      threads, supervision);
  ExactFit fitted{model::empty_model(schema, plan.loss), fit.gap, fit.radius};
  fitted.model.coefficients = std::move(fit.weights);
  return {std::move(fitted), "trained with epsilon inf: no noise was added"};
}

TrainedModel marked_model(const data::Schema& schema, const ExactPlan& plan,
                          const privacy::Unprotected<ExactFit>& fitted) {
  const auto& fit = fitted.value();
  TrainedModel trained{fit.model, receipt_of(plan), schema};
  trained.receipt.unprotected_reason = fitted.reason();
  auto parameters = nlohmann::json::parse(trained.receipt.parameters);
  const bool joint = std::holds_alternative<model::SoftmaxLoss>(plan.loss);
  const auto losses = static_cast<double>(joint ? 1 : plan.outputs);
  parameters["optimum"] =
      fit.gap <= near_enough * losses ? certified : std::string_view("not reached");
  parameters[gap_key] = fit.gap;
  if (std::isfinite(fit.radius)) parameters[radius_key] = fit.radius;
  trained.receipt.parameters = parameters.dump();
  return trained;
}

std::optional<std::string> optimum_in_words(const privacy::Receipt& receipt) {
  const auto parameters = nlohmann::json::parse(receipt.parameters);
  if (!parameters.contains(gap_key)) return std::nullopt;
  const auto who = parameters.contains(radius_key)
                       ? fmt::format("no weights of norm up to {:.3g} have",
                                     parameters[radius_key].get<double>())
                       : std::string("no weights have");
  return fmt::format("Optimum {}: {} a mean loss (with its penalty) smaller by more than {}",
                     parameters["optimum"].get<std::string>(), who,
                     privacy::rounded_up(parameters[gap_key].get<double>(), 3));
}

Training exact_minimum_training(const data::Schema& schema, const ParameterValues& asked) {
  return resolved_training(plan_exact_minimum(schema, exact_options(asked)), train_exact_minimum);
}

}  // namespace tacet::learn
