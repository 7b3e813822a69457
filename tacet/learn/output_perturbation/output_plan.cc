#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/learn/output_perturbation/output.h"
#include "tacet/learn/output_perturbation/sgd_problem.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/wang2021.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using optimize::IterateWeights;
using optimize::RecordOrder;
using optimize::SgdProblem;
using optimize::SgdSchedule;

constexpr std::int64_t max_places = std::int64_t{1} << 30;  // four bytes each

const double mean_of_absolute_normal = std::sqrt(2 / std::numbers::pi);

RecordOrder record_order_of(const OutputPerturbationOptions& options) {
  if (!options.sampling) return RecordOrder::permutation;
  if (const auto found = optimize::record_order_names.find(*options.sampling)) return *found;
  throw base::UsageError(
      "sampling of method output must be permutation, fresh_permutation, with_replacement or "
      "minibatch, got '{}'",
      *options.sampling);
}

IterateWeights weights_of(const OutputPerturbationOptions& options, std::int64_t steps) {
  IterateWeights weights{.kind = options.averaging.value_or(Averaging::uniform), .steps = steps};
  if (weights.kind == Averaging::suffix) {
    weights.suffix =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(options.average.value_or(0.5) *
                                                                     static_cast<double>(steps))),
                                 1, steps);
  }
  return weights;
}

// One pass over the records, unless the user says otherwise.
std::int64_t steps_of(const OutputPerturbationOptions& options, std::int64_t usual,
                      std::int64_t batch) {
  const auto steps = options.steps.value_or(usual);
  if (steps > max_places / batch) {
    throw base::UsageError(
        "method output reads at most 2^30 records, {} steps of {} are more; give fewer `steps`",
        steps, batch);
  }
  return steps;
}

std::vector<std::uint32_t> public_order(std::int64_t order_seed, RecordOrder sampling,
                                        const optimize::StepCounts& counts) {
  // Anybody may draw it again; the noise comes from another source.
  random::SeededSource source(static_cast<std::uint64_t>(order_seed));
  return draw_order(sampling, counts, source);
}

/// The schedule that the plan's settings describe.
SgdSchedule schedule_of(const OutputPlan& plan) {
  const auto n = plan.public_row_count;
  return {.records = n,
          .batch = plan.batch,
          .order = public_order(plan.order_seed, plan.sampling, {n, plan.batch, plan.steps}),
          .step_sizes = optimize::decaying_steps(plan.step_size, plan.step_decay, plan.steps),
          .mean_l2 = plan.mean_l2};
}

void certify_recorded(OutputPlan& plan) {
  if (plan.public_row_count < 1 || plan.steps > max_places / plan.batch) {
    throw base::DataError("numbers of the descent are out of range");
  }
  expect_checkable(std::max(plan.public_row_count, plan.batch * plan.steps));
  plan.weights.steps = plan.steps;
  plan.sgd.emplace(plan.problem, schedule_of(plan), plan.weights, plan.guarantee.adjacency);
}

// The sensitivity of a schedule whose step sizes begin at 1, if no step moves two runs further
// apart.
double sensitivity_of_unit_steps(const SgdProblem& problem, const SgdSchedule& schedule,
                                 const IterateWeights& weights, privacy::Adjacency adjacency) {
  const double distance = privacy::distance_factor(adjacency) * lipschitz_bound(problem) *
                          std::sqrt(static_cast<double>(problem.outputs));
  return sgd_sensitivity(schedule, weights,
                         {.growth = {0},
                          .distance = {distance},
                          .diameter = std::numeric_limits<double>::infinity()})
      .value;
}

// The largest step size that a smooth loss allows. With a larger one, two runs may drift apart.
double longest_step(const SgdProblem& problem) {
  const auto facts = model::smoothness(problem.loss);
  if (facts.exponent < 1) return std::numeric_limits<double>::infinity();
  return 2 / (facts.curvature * problem.norm_bound * problem.norm_bound);
}

struct Budget {
  double multiplier;  // noise multiplier z, in units of one record's bound
  double ratio;       // standard deviation over sensitivity
};

// What the PRG slack leaves.
Budget budget_of(OutputPlan& plan, const SgdProblem& problem,
                 const OutputPerturbationOptions& options, privacy::Delta delta) {
  plan.prg_slack = random::prg_slack_of(1, problem.columns * problem.outputs);
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  const double z = full_batch_noise(1, privacy::Epsilon(options.epsilon), left, options.adjacency);
  return {z, z / privacy::distance_factor(options.adjacency)};
}

void resolve_step_size(OutputPlan& plan, const OutputPerturbationOptions& options,
                       const SgdSchedule& schedule, const Budget& budget) {
  const auto& problem = plan.problem;
  const double unit = sensitivity_of_unit_steps(problem, schedule, plan.weights, options.adjacency);
  const double lipschitz = lipschitz_bound(problem);
  const ExcessBound bound{.scale = plan.weight_scale,
                          .lipschitz = lipschitz,
                          .steps = static_cast<double>(plan.steps),
                          .share = step_share(problem),
                          .noise_slope = lipschitz * budget.ratio * mean_of_absolute_normal * unit};
  const double longest = longest_step(problem);
  const double chosen = std::min(bound.best_step(), longest);
  plan.step_size = options.step_size.value_or(chosen);
  if (options.step_size) return;
  plan.reasons.add("step size {:.4g}{}: least bound of the excess risk over weights of size {:g}",
                   plan.step_size, plan.step_size == longest ? ", the longest for this loss" : "",
                   plan.weight_scale);
}

// The bound is proved for one pass of single steps on fresh records, the plain mean of iterates,
// and steps of one size. It uses the actual noise.
void predict(OutputPlan& plan, const OutputPerturbationOptions& options, const Budget& budget) {
  const auto& sgd = *plan.sgd;
  const auto& schedule = sgd.schedule();
  const bool fresh =
      schedule.steps() <= schedule.records && (plan.sampling == RecordOrder::permutation ||
                                               plan.sampling == RecordOrder::fresh_permutation);
  if (!fresh || schedule.batch != 1 || plan.weights.kind != Averaging::uniform ||
      options.step_decay != 0 || options.mean_l2.value_or(0) != 0) {
    plan.reasons.emplace_back(
        "predicted excess risk: none is proved for this schedule (one pass of single records in "
        "steps of one size, the plain mean and no penalty have one)");
    return;
  }
  const auto outputs = static_cast<double>(sgd.problem().outputs);
  const double lipschitz = lipschitz_bound(sgd.problem());
  const double noise = lipschitz * budget.ratio * mean_of_absolute_normal * sgd.sensitivity();
  const ExcessBound bound{.scale = plan.weight_scale,
                          .lipschitz = lipschitz,
                          .steps = static_cast<double>(schedule.steps()),
                          .share = step_share(sgd.problem()),
                          .noise_slope = 0};
  plan.predicted_excess = outputs * (bound.at(schedule.step_size(1)) + noise);
  plan.reasons.push_back(excess_reason(sgd.problem(), *plan.predicted_excess, plan.weight_scale));
}

void resolve_release(OutputPlan& plan, const OutputPerturbationOptions& options,
                     privacy::Delta delta) {
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  plan.stddev = plan.noise_multiplier * plan.sgd->stddev_unit(plan.norm_bits);
}

void refuse_beyond_paper(const OutputPerturbationOptions& options, const SgdProblem& problem) {
  // The paper's algorithm has no smoothing, so with its calibration smoothing may be switched off.
  if (const auto name =
          given_beyond<output_bindings, descent_bindings, penalty_bindings, ball_bindings>(
              options, {"steps", "order-seed", "radius"})) {
    throw base::UsageError(
        "{} is set by `calibration=paper` (a penalty or clipping its theorems do not have); "
        "leave it out, or use the tight calibration",
        base::parameter_name(*name));
  }
  if (options.adjacency != privacy::Adjacency::replace_one || problem.outputs > 1) {
    throw base::UsageError(
        "`calibration=paper` is about replace_one and two classes or numbers; use tight");
  }
}

// Algorithm 1 of the paper: its schedule, its noise, and what is proved about both.
void plan_paper(OutputPlan& plan, const OutputPerturbationOptions& options, privacy::Delta delta) {
  auto& problem = plan.problem;
  refuse_beyond_paper(options, problem);
  plan.calibration = Calibration::wang2021;
  problem.smooth = false;
  problem.clipping_norm.reset();
  const auto facts = wang2021::constants(problem.loss, problem.norm_bound);
  const auto theorem =
      problem.radius ? wang2021::Theorem::output_on_ball : wang2021::Theorem::output_on_space;
  const auto n = plan.public_row_count;
  const wang2021::ScheduleFacts asked{n, problem.columns, facts.alpha, options.epsilon,
                                      delta.value()};
  const auto steps = steps_of(options, wang2021::schedule(theorem, asked).T, 1);
  double eta = wang2021::step_size(theorem, asked, steps);
  wang2021::Run run{n, steps, eta, problem.radius};
  if (const double longest = wang2021::longest_step(facts, run); eta > longest) {
    plan.reasons.add(
        "step size {:.4g}: the paper's {:.4g} is beyond what its sensitivity bound allows", longest,
        eta);
    run.eta = eta = longest;
  }
  plan.sampling = RecordOrder::with_replacement;
  plan.weights = {.kind = Averaging::uniform, .steps = steps};
  plan.steps = steps;
  plan.step_size = eta;
  plan.sgd.emplace(problem, schedule_of(plan), plan.weights, options.adjacency);
  const auto noise = wang2021::output_noise(facts, run, options.epsilon, delta.value());
  const auto needed = budget_of(plan, problem, options, delta).multiplier;
  // The multiplier at which the release has the paper's standard deviation.
  const double unit = plan.sgd->stddev_unit(norm_bits_for(needed));
  plan.noise_multiplier = std::max(noise.sigma / unit, needed);
  plan.claim = privacy::Guarantee{options.epsilon, delta.value(), options.adjacency};
  plan.reasons.add("Algorithm 1 with the schedule of Theorem {}: {} steps of size {:.4g}",
                   static_cast<int>(theorem), steps, eta);
  if (noise.repaired) {
    plan.reasons.emplace_back(
        "the paper's Gaussian factor is proved up to epsilon 1 only; the exact one stands in its "
        "place");
  }
  resolve_release(plan, options, delta);
  plan.reasons.add(
      "the paper claims ({:g}, {:g}) for noise of standard deviation {:.4g}, from a sensitivity "
      "bound of {:.4g}; proved here for that noise: ({:.4g}, {:g}), the sensitivity is {:.4g}",
      options.epsilon, delta.value(), noise.sigma,
      wang2021::sensitivity(facts, run, delta.value() / 2), plan.guarantee.epsilon,
      plan.guarantee.delta, plan.sgd->sensitivity());
}

void plan_tight(OutputPlan& plan, const OutputPerturbationOptions& options, privacy::Delta delta) {
  const auto& problem = plan.problem;
  plan.sampling = record_order_of(options);
  plan.step_decay = options.step_decay;
  plan.mean_l2 = options.mean_l2.value_or(0);
  plan.batch = options.batch_size.value_or(1);
  if (plan.batch > plan.public_row_count) {
    throw base::UsageError("`batch_size` must be at most public_row_count = {}, got {}",
                           plan.public_row_count, plan.batch);
  }
  plan.steps = steps_of(options, plan.public_row_count / plan.batch, plan.batch);
  plan.weights = weights_of(options, plan.steps);
  auto schedule = schedule_of(plan);  // at this point its steps have size 1
  const auto budget = budget_of(plan, problem, options, delta);
  resolve_step_size(plan, options, schedule, budget);
  schedule.step_sizes = optimize::decaying_steps(plan.step_size, plan.step_decay, plan.steps);
  if (step_share(problem) == 0.75) {
    plan.reasons.add(
        "the loss is smoothed on a width of {:.3g}, tied to the step: no step drives two runs "
        "apart",
        model::width_for_step(problem.loss,
                              schedule.step_size(1) * problem.norm_bound * problem.norm_bound));
  }
  plan.sgd.emplace(problem, std::move(schedule), plan.weights, options.adjacency);
  plan.noise_multiplier = budget.multiplier;
  resolve_release(plan, options, delta);
  predict(plan, options, budget);
}

}  // namespace

double ExcessBound::best_step() const {
  return scale / std::sqrt(2 * steps * (lipschitz * lipschitz * share + noise_slope));
}

double ExcessBound::at(double step) const {
  return scale * scale / (2 * step * steps) + step * (lipschitz * lipschitz * share + noise_slope);
}

privacy::Event releases(const OutputPlan& plan) {
  return mechanism::BlockGaussian::event(privacy::NoiseMultiplier(plan.noise_multiplier));
}

void list_settings(SettingList& list, OutputPlan& plan) {
  const double rows = static_cast<double>(plan.public_row_count);
  list.sampling(plan.sampling, optimize::record_order_names);
  list.problem({}, true);
  list.assumed("outputs", plan.problem.outputs, at_least_1, {.table = plan.problem.outputs > 1});
  list.checked("steps", plan.steps, at_least_1);
  list.assumed("batch_size", plan.batch, {.lowest = 1, .highest = rows}, {.table = plan.batch > 1});
  list.follows("sampling", to_string(plan.sampling));
  list.assumed("order_seed", plan.order_seed, any_number);
  list.checked("step_size", plan.step_size, above_0);
  list.assumed("step_decay", plan.step_decay, at_least_0, {.table = plan.step_decay > 0});
  auto& weights = plan.weights;
  list.assumed("averaging", weights.kind, optimize::averaging_names);
  list.assumed("averaged", weights.suffix,
               {.lowest = 1, .highest = static_cast<double>(plan.steps)},
               {.table = weights.kind == Averaging::suffix});
  list.assumed("l2", plan.mean_l2, at_least_0, {.table = plan.mean_l2 > 0});
  list_descent(list, plan, plan.problem, {.table = !plan.problem.smooth});
  if (!plan.claim) list.note("weight_scale", plan.weight_scale);
  if (list.reads()) certify_recorded(plan);
  const auto& sgd = *plan.sgd;
  list.computed("sensitivity", sgd.sensitivity());
  list.note("sensitivity_exact", sgd.exact().exact ? "yes" : "no", {.table = false});
  list.note("max_visits", sgd.exact().max_visits, {.table = false});
  list.checked("noise_multiplier", plan.noise_multiplier, above_0, {.table = false});
  const int norm_bits = norm_bits_for(plan.noise_multiplier);
  list.computed("noise_stddev", plan.noise_multiplier * sgd.stddev_unit(norm_bits));
  list.follows("norm_bits", norm_bits, {.table = false});
  if (plan.predicted_excess) list.note("predicted_excess_risk", *plan.predicted_excess);
  list.claim();
}

OutputPlan plan_output(const data::Schema& schema, const OutputPerturbationOptions& options,
                       const PlanContext& context) {
  OutputPlan plan;
  plan.first = context.first_release;
  plan.problem = resolve_sgd_problem(plan, schema, options);
  plan.public_row_count = resolve_row_count(schema, options);
  const privacy::Delta delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  plan.order_seed = options.order_seed.value_or(0);
  plan.weight_scale = weight_scale(plan.problem, options);
  if (options.paper()) {
    plan_paper(plan, options, delta);
  } else {
    plan_tight(plan, options, delta);
  }
  write_settings(plan);
  return plan;
}

}  // namespace tacet::learn
