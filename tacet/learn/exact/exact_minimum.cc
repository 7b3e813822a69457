#include "tacet/learn/exact/exact_minimum.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/optimize/solver/erm.h"

namespace tacet::learn {
namespace {

TrainedModel train_exact_minimum(const data::Dataset& dataset, const data::Schema& schema,
                                 const ExactPlan& plan, const TrainingMeans& means) {
  const auto fitted = fit_unprotected(dataset, schema, plan, means.threads, means.supervision);
  means.reservation.commit();
  return marked_model(schema, plan, fitted);
}

}  // namespace

ExactPlan plan_exact_minimum(const data::Schema& schema, const LinearOptions& options) {
  constexpr std::array<std::string_view, 1> reads{"l2"};
  if (const auto name = given_beyond(options, reads)) {
    throw base::UsageError(fmt::format(
        "{} has no meaning with epsilon inf, which computes the exact minimiser; leave it out",
        *name));
  }
  ExactPlan plan;
  settle_problem(plan, schema, options);
  plan.method = "exact minimiser";
  plan.reasons.emplace_back("epsilon inf: the exact minimiser, without any protection");
  plan.guarantee = {std::numeric_limits<double>::infinity(), 0, options.adjacency};
  plan.mean_l2 = options.mean_l2;
  plan.settings = first_settings(plan, {.receipt = false});
  plan.settings.push_back({"outputs", plan.outputs, {.table = false, .json = false}});
  return plan;
}

privacy::Unprotected<model::LinearModel> fit_unprotected(const data::Dataset& dataset,
                                                         const data::Schema& schema,
                                                         const ExactPlan& plan,
                                                         base::ThreadPool& threads,
                                                         const base::Supervision& supervision) {
  check_shape(dataset, schema, plan);
  if (dataset.rows() == 0) {
    throw base::DataError("the file holds no records; without noise there is nothing to train on");
  }
  const auto fit = optimize::minimise_without_protection(
      dataset, plan.loss, {.mean_l2 = plan.mean_l2, .outputs = plan.outputs}, threads, supervision);
  auto model = model::empty_model(schema, plan.loss);
  model.coefficients = fit.weights;
  return {std::move(model), "trained with epsilon inf: no noise was added"};
}

TrainedModel marked_model(const data::Schema& schema, const ExactPlan& plan,
                          const privacy::Unprotected<model::LinearModel>& fitted) {
  TrainedModel trained{fitted.value(), receipt_of(plan, schema)};
  trained.receipt.unprotected_reason = fitted.reason();
  return trained;
}

Training exact_minimum_training(const data::Schema& schema, const LinearOptions& options) {
  return settled_training(plan_exact_minimum(schema, options), train_exact_minimum);
}

}  // namespace tacet::learn
