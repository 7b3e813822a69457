#include "tacet/learn/output_perturbation/sgd_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/model/model_file.h"

namespace tacet::learn {

using optimize::SgdProblem;

namespace {

constexpr double scale_for_classes = 5;
constexpr double scale_for_numbers = 2;

/// The largest slope at a prediction within reach of the weights.
double largest_slope(const SgdProblem& problem) {
  const double reach = problem.radius ? *problem.radius * problem.norm_bound
                                      : std::numeric_limits<double>::infinity();
  return model::slope_bound_within(problem.loss, reach);
}

}  // namespace

SgdProblem resolve_sgd_problem(MethodPlan& plan, const data::Schema& schema,
                               const DescentOptions& options) {
  resolve_problem(plan, schema, options, {.targets = classes_and_numbers});
  SgdProblem problem{.loss = plan.loss,
                     .smooth = options.smoothing,
                     .norm_bound = schema.norm_bound(),
                     .columns = plan.columns,
                     .outputs = plan.outputs,
                     .clipping_norm = options.clipping_norm,
                     .radius = options.radius};
  if (!problem.clipping_norm && std::isinf(largest_slope(problem)) && !options.paper()) {
    problem.clipping_norm = model::usual_slope(problem.loss) * problem.norm_bound;
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
        "`weight_scale` {:g} is the size of the weights worth reaching, but `radius={:g}` keeps "
        "all weights below it; leave `weight_scale` out or raise the radius",
        *options.weight_scale, *problem.radius);
  }
  return options.weight_scale.value_or(*problem.radius);
}

void list_descent(SettingList& list, const MethodPlan& plan, SgdProblem& problem, Shown smoothed) {
  static constexpr auto smoothing = base::names<bool>({{true, "auto"}, {false, "off"}});
  if (list.reads()) {
    problem.loss = plan.loss;
    problem.columns = plan.columns;
  }
  list.assumed("norm_bound", problem.norm_bound, above_0, {.table = false, .json = false});
  list.assumed("clipping_norm", problem.clipping_norm, above_0);
  list.assumed("radius", problem.radius, above_0);
  list.checked("smoothed", problem.smooth, smoothing, smoothed);
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
      "of size {:g}{}, whatever the law of the records",
      excess, clips ? ", its slopes cut at the clipping norm," : "", weight_scale,
      problem.outputs > 1 ? ", summed over the classes" : "");
}

double step_share(const SgdProblem& problem) {
  // A width of step X^2 / 2 lies below the loss by step G^2 / 4 at most.
  return problem.smooth && model::can_be_smoothed(problem.loss) ? 0.75 : 0.5;
}

}  // namespace tacet::learn
