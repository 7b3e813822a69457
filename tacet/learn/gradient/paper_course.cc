#include "tacet/learn/gradient/paper_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/plan/arora2022.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/wang2021.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {
namespace {

// Theorem 11.
PaperCourse wang_course(const GradientPlan& plan, const data::Schema& schema,
                        const GradientOptions& options, privacy::Delta delta) {
  PaperCourse paper{.name = "Algorithm 2 with the schedule of Theorem 12"};
  const auto n = plan.public_row_count;
  const auto facts = wang2021::constants(plan.loss, schema.norm_bound());
  const auto theorem = wang2021::Theorem::gradient_on_ball;
  const wang2021::ScheduleFacts asked{n, plan.columns, facts.alpha, options.epsilon, delta.value()};
  const auto steps = options.steps.value_or(wang2021::schedule(theorem, asked).T);
  if (steps > max_gradient_steps) {
    throw base::UsageError(
        "the paper's schedule takes {} steps for {} records, at most {} are carried out; give "
        "`steps`",
        steps, n, max_gradient_steps);
  }
  paper.course = {.steps = steps, .step_size = wang2021::step_size(theorem, asked, steps)};
  paper.gradient_bound = wang2021::gradient_bound(facts, *plan.radius);
  const auto noise = wang2021::gradient_noise(n, steps, options.epsilon, delta.value());
  if (!noise) {
    throw base::GuaranteeError(
        "PaperCalibrationInfeasible: no beta meets the conditions of the paper's Theorem 11 for {} "
        "records, {} steps, epsilon {:g} and delta {:g}; use the tight calibration",
        n, steps, options.epsilon, delta.value());
  }
  paper.noise = 2 * paper.gradient_bound * noise->ratio;
  paper.remark = fmt::format("beta {:.4g}, ", noise->beta);
  return paper;
}

PaperCourse arora_course(const GradientPlan& plan, const data::Schema& schema,
                         const GradientOptions& options, privacy::Delta delta) {
  const auto n = plan.public_row_count;
  const auto facts = model::properties(plan.loss);
  const arora2022::Problem problem{.curvature = facts.curvature,
                                   .loss_at_zero = model::largest_loss_at_zero(plan.loss),
                                   .slope_bound = facts.slope_bound,
                                   .norm_bound = schema.norm_bound(),
                                   .radius = *plan.radius};
  const double bound = arora2022::gradient_bound(problem);
  if (!std::isfinite(bound)) {
    throw base::UsageError(
        "`calibration=arora2022` is about smooth losses and those of bounded slope, which {} is "
        "not; use the tight calibration",
        model::loss_name(plan.loss));
  }
  constexpr std::int64_t longest = 1000;  // its square is the largest number of steps
  const auto steps = options.steps.value_or(n > longest ? max_gradient_steps : n * n);
  if (steps > max_gradient_steps) {
    throw base::UsageError("steps of method gradient must be 1 to {}, got {}", max_gradient_steps,
                           steps);
  }
  const double noise = arora2022::gradient_noise(n, steps, options.epsilon, delta.value());
  return {.course = {.steps = steps,
                     .step_size = arora2022::gradient_step(problem, plan.columns, steps, noise)},
          .gradient_bound = bound,
          .noise = noise * bound,
          .name = "noisy descent with replacement, n^2 steps or a million"};
}

}  // namespace

void expect_paper_problem(const data::Schema& schema, const GradientOptions& options) {
  // order-seed is read only in order to refuse it with the reason.
  const bool arora = options.calibration == Calibration::arora2022;
  auto beyond = given_beyond<gradient_bindings, step_bindings, penalty_bindings, ball_bindings,
                             class_weight_bindings, feature_selection_bindings>(
      options, {"steps", "radius", "order-seed"});
  if (!beyond && schema.projection && !arora) beyond = "projection";
  if (beyond) {
    throw base::UsageError(
        "{} is set by `calibration=paper`; leave it out, or use the tight calibration",
        base::parameter_name(*beyond));
  }
  const auto& target = target_of(schema);
  if (options.adjacency != privacy::Adjacency::replace_one || !one_output.has(kind_of(target)) ||
      !options.radius) {
    throw base::UsageError(
        "`calibration={}` for gradient is about replace_one, a ball (`radius`) and two classes or "
        "numbers; give `adjacency=replace_one` and `radius`, or use tight",
        to_string(options.calibration));
  }
  if (schema.unit) {
    throw base::UsageError(
        "`calibration=paper` samples single records, but the schema's unit column protects all "
        "records of a unit together; leave `calibration` out to use all records in each step");
  }
  if (!target_of(schema).class_weights.empty()) {
    throw base::UsageError(
        "class weights have no proof for the paper's calibration of gradient; leave `calibration` "
        "out");
  }
}

PaperCourse paper_course(const GradientPlan& plan, const data::Schema& schema,
                         const GradientOptions& options, privacy::Delta delta) {
  auto paper = plan.calibration == Calibration::arora2022
                   ? arora_course(plan, schema, options, delta)
                   : wang_course(plan, schema, options, delta);
  paper.course.clipping_norm =
      std::min(paper.gradient_bound,
               schema.norm_bound() *
                   model::slope_bound_within(plan.loss, *plan.radius * schema.norm_bound()));
  return paper;
}

void explain_paper(GradientPlan& plan, const PaperCourse& paper) {
  plan.reasons.add("{}: {} steps of size {:.4g} on single records", paper.name, plan.steps,
                   plan.step_size);
  plan.reasons.add(
      "the paper claims ({:g}, {:g}) for noise of standard deviation {:.4g} a gradient ({}gradient "
      "bound {:.4g}); proved here for that noise: ({:.4g}, {:g}), gradients are at most {:.4g}",
      plan.claim->epsilon, plan.claim->delta, paper.noise, paper.remark, paper.gradient_bound,
      plan.guarantee.epsilon, plan.guarantee.delta, plan.clipping_norm);
}

}  // namespace tacet::learn
