#include "tacet/learn/gradient/paper_course.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/plan/arora2022.h"
#include "tacet/learn/plan/wang2021.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn {

// Theorem 11.
PaperCourse wang_course(GradientPlan& plan, const data::Schema& schema,
                        const GradientOptions& options, privacy::Delta delta) {
  const auto n = plan.public_row_count;
  const auto facts = wang2021::constants(plan.loss, schema.norm_bound());
  const auto theorem = wang2021::Theorem::gradient_on_ball;
  const wang2021::Asked asked{n, plan.columns, facts.alpha, options.epsilon, delta.value()};
  plan.steps = options.steps.value_or(wang2021::schedule(theorem, asked).T);
  if (plan.steps > max_gradient_steps) {
    throw base::UsageError(
        "the paper's schedule takes {} steps for {} records, at most {} are carried out; give "
        "`steps`",
        plan.steps, n, max_gradient_steps);
  }
  plan.step_size = wang2021::step_size(theorem, asked, plan.steps);
  const double bound = wang2021::gradient_bound(facts, *plan.radius);
  const auto noise = wang2021::gradient_noise(n, plan.steps, options.epsilon, delta.value());
  if (!noise) {
    throw base::GuaranteeError(
        "PaperCalibrationInfeasible: no beta meets the conditions of the paper's Theorem 11 for {} "
        "records, {} steps, epsilon {:g} and delta {:g}; use the tight calibration",
        n, plan.steps, options.epsilon, delta.value());
  }
  return {bound, 2 * bound * noise->ratio, "Algorithm 2 with the schedule of Theorem 12",
          fmt::format("beta {:.4g}, ", noise->beta)};
}

PaperCourse arora_course(GradientPlan& plan, const data::Schema& schema,
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
  constexpr std::int64_t longest = 1000;  // whose square is the most that is carried out
  plan.steps = options.steps.value_or(n > longest ? max_gradient_steps : n * n);
  if (plan.steps > max_gradient_steps) {
    throw base::UsageError("steps of method gradient must be 1 to {}, got {}", max_gradient_steps,
                           plan.steps);
  }
  const double noise = arora2022::gradient_noise(n, plan.steps, options.epsilon, delta.value());
  plan.step_size = arora2022::gradient_step(problem, plan.columns, plan.steps, noise);
  return {bound, noise * bound, "noisy descent with replacement, n^2 steps or a million"};
}

}  // namespace tacet::learn
