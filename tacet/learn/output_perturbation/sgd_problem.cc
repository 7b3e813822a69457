#include "tacet/learn/output_perturbation/sgd_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/model/model_file.h"

namespace tacet::learn {

using optimize::SgdProblem;

namespace {

constexpr double scale_for_classes = 5;
constexpr double scale_for_numbers = 2;
constexpr const char* smooth_name = "auto";

/// Of predictions within reach of the weights.
double largest_slope(const SgdProblem& problem) {
  const double reach = problem.radius ? *problem.radius * problem.norm_bound
                                      : std::numeric_limits<double>::infinity();
  return model::slope_bound_within(problem.loss, reach);
}

}  // namespace

SgdProblem resolve_sgd_problem(MethodPlan& plan, const data::Schema& schema,
                               const DescentOptions& options) {
  refuse_class_weights(schema, options);
  resolve_problem(plan, schema, options);
  SgdProblem problem{.loss = plan.loss,
                     .smooth = options.smoothing,
                     .norm_bound = schema.norm_bound(),
                     .columns = plan.columns,
                     .outputs = plan.outputs,
                     .clipping_norm = options.clipping_norm,
                     .radius = options.radius};
  if (!problem.clipping_norm && std::isinf(largest_slope(problem)) && !options.paper()) {
    problem.clipping_norm = usual_slope(problem.loss) * problem.norm_bound;
    plan.reasons.add("clipping norm {:g}: slopes of this loss have no bound",
                     *problem.clipping_norm);
  }
  return problem;
}

double lipschitz_bound(const SgdProblem& problem) {
  const double slope = largest_slope(problem) * problem.norm_bound;
  return problem.clipping_norm ? std::min(slope, *problem.clipping_norm) : slope;
}

double weight_scale(const SgdProblem& problem, const DescentOptions& options) {
  const bool classes = model::properties(problem.loss).classification;
  const double usual = (classes ? scale_for_classes : scale_for_numbers) / problem.norm_bound;
  if (!problem.radius) return options.weight_scale.value_or(usual);
  // Weights outside the ball are out of reach, so nothing can be said against them.
  if (options.weight_scale && *options.weight_scale > *problem.radius) {
    throw base::UsageError(
        "weight-scale {:g} is the size of the weights worth reaching, but --radius {:g} keeps all "
        "weights below it; leave weight-scale out or raise the radius",
        *options.weight_scale, *problem.radius);
  }
  return options.weight_scale.value_or(*problem.radius);
}

Setting norm_bound_setting(const SgdProblem& problem) {
  return {"norm_bound", problem.norm_bound, {.table = false, .json = false}};
}

Setting smoothed_setting(const SgdProblem& problem, Shown shown) {
  return {"smoothed", std::string(problem.smooth ? smooth_name : "off"), shown};
}

SgdProblem recorded_sgd_problem(const privacy::Receipt& receipt, RecordedParameters& parameters) {
  RecordedParameters recorded(receipt.parameters);
  SgdProblem problem{.loss = recorded_loss(receipt),
                     .norm_bound = recorded.real("norm_bound"),
                     .columns = recorded.count("columns"),
                     .outputs = recorded.count("outputs")};
  problem.smooth = parameters.text("smoothed") == smooth_name;
  if (!problem.smooth) parameters.expect("smoothed", "off", "losses are smoothed by auto or");
  if (recorded.has("clipping_norm")) problem.clipping_norm = recorded.real("clipping_norm");
  if (recorded.has("radius")) problem.radius = recorded.real("radius");
  const bool sizes = problem.norm_bound > 0 && problem.columns > 0 && problem.outputs > 0;
  if (sizes && problem.clipping_norm.value_or(1) > 0 && problem.radius.value_or(1) > 0) {
    return problem;
  }
  throw base::DataError("numbers of the descent are out of range");
}

void expect_planned(RecordedParameters& parameters, const std::string& name, double planned) {
  const double stated = parameters.real(name);
  if (nearly_equal(stated, planned)) return;
  throw base::DataError("the parameter {} is {:.6g}, but the other parameters lead to {:.6g}", name,
                        stated, planned);
}

void check_descent_file(const privacy::Receipt& /*receipt*/, const model::ModelFile& file,
                        RecordedParameters& parameters) {
  parameters.expect("norm_bound", file.schema.norm_bound(), "by the schema rows are bounded by");
}

std::string excess_reason(const SgdProblem& problem, double excess, double weight_scale) {
  const bool clips =
      problem.clipping_norm && *problem.clipping_norm < problem.norm_bound * largest_slope(problem);
  return fmt::format(
      "predicted excess risk {:.4g}: bound of the expected loss{} above that of the best weights "
      "of "
      "size {:g}{}, whatever the law of the records",
      excess, clips ? ", its slopes cut at the clipping norm," : "", weight_scale,
      problem.outputs > 1 ? ", summed over the classes" : "");
}

double step_share(const SgdProblem& problem) {
  // A width of step X^2 / 2 lies below the loss by step G^2 / 4 at most.
  return problem.smooth && model::can_be_smoothed(problem.loss) ? 0.75 : 0.5;
}

}  // namespace tacet::learn
