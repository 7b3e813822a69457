#include "tacet/learn/output_perturbation/phased.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/output_perturbation/sgd_problem.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sgd/sgd.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using optimize::RecordOrder;
using optimize::SgdSchedule;

double length_of(std::span<const double> vector) {
  double square = 0;
  for (const double v : vector) square += v * v;
  return std::sqrt(square);
}

// A and B of the excess bound A / step + B step.
struct Trade {
  double learn;
  double cost;
};

Trade trade_of(const PhaseFacts& facts, std::int64_t phases) {
  const auto parts = cut_into_phases(facts.records, phases, 1);
  const double g = facts.lipschitz * facts.lipschitz;
  const double z = facts.ratio;
  Trade trade{
      facts.scale * facts.scale / (2 * parts[0].step_size * static_cast<double>(parts[0].count)),
      0};
  const double squared_distance = facts.distance * facts.distance;  // 4, or 1 under zero_out
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double a = parts[i].step_size;
    trade.cost += facts.share * g * a;
    if (i == 0) continue;
    // What it costs this phase to undo the noise of the phase before.
    const double before = parts[i - 1].step_size;
    trade.cost += squared_distance * static_cast<double>(facts.dimension) * z * z * g * before *
                  before / (2 * a * static_cast<double>(parts[i].count));
  }
  trade.cost += facts.distance * z * g * parts.back().step_size *
                std::sqrt(2 * facts.outputs / std::numbers::pi);
  return trade;
}

optimize::CertifiedSgd certify(const PhasedPlan& plan, const Phase& phase, double start_norm) {
  auto problem = plan.problem;
  problem.start_norm = start_norm;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(phase.count));
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return {std::move(problem),
          SgdSchedule{.records = phase.count,
                      .batch = 1,
                      .order = std::move(order),
                      .step_sizes = {phase.step_size},
                      .mean_l2 = plan.mean_l2},
          {.kind = optimize::Averaging::uniform, .steps = phase.count},
          plan.guarantee.adjacency};
}

/// Computes, from the noise multiplier, the grid of the noise, the sensitivities of the phases, and
/// the standard deviation of the last phase's noise.
void resolve_sensitivities(PhasedPlan& plan) {
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  for (const auto& phase : plan.phases) {
    const auto sgd = certify(plan, phase, 0);
    plan.sensitivities.push_back(sgd.sensitivity());
    plan.stddev = plan.noise_multiplier * sgd.stddev_unit(plan.norm_bits);
  }
}

void project(std::vector<double>& weights, double radius, std::int64_t outputs) {
  const std::size_t columns = weights.size() / static_cast<std::size_t>(outputs);
  for (std::size_t c = 0; c < weights.size(); c += columns) {
    const auto own = std::span(weights).subspan(c, columns);
    const double length = length_of(own);
    if (length <= radius) continue;
    for (double& w : own) w *= radius / length * (1 - 0x1p-40);
  }
}

PhaseChoice choose(const PhaseFacts& facts, const PhasedOptions& options,
                   const optimize::SgdProblem& problem, Reasons& reasons) {
  if (options.phases && (facts.records >> *options.phases) < 1) {
    throw base::UsageError("{} phases are too many for {} records", *options.phases, facts.records);
  }
  auto choice = options.phases ? best_step(facts, *options.phases) : best_phases(facts);
  if (!options.phases) {
    reasons.add(
        "{} phases: least bound of the excess risk over weights of size {:g}; one phase would have "
        "{:.4g}",
        choice.phases, facts.scale, best_step(facts, 1).predicted_excess);
  }
  const auto smooth = model::smoothness(problem.loss);
  // The first phase takes a quarter of the base.
  const double longest = smooth.exponent < 1
                             ? std::numeric_limits<double>::infinity()
                             : 8 / (smooth.curvature * problem.norm_bound * problem.norm_bound);
  choice.step_size = options.step_size.value_or(std::min(choice.step_size, longest));
  choice.predicted_excess = predicted_excess(facts, choice.phases, choice.step_size);
  return choice;
}

/// A plan that was read from a receipt must have records for each of its phases.
void check_phases(std::int64_t rows, std::int64_t phases) {
  if (rows >= 1 && (phases == 1 || (rows >> phases) >= 1)) return expect_checkable(rows);
  throw base::DataError("{} phases are too many for {} records", phases, rows);
}

}  // namespace

privacy::Event releases(const PhasedPlan& plan) {
  return mechanism::BlockGaussian::event(privacy::NoiseMultiplier(plan.noise_multiplier));
}

void list_settings(SettingList& list, PhasedPlan& plan) {
  constexpr Shown hidden{.table = false, .json = false};
  list.sampling(to_string(RecordOrder::permutation));
  list.problem({}, true);
  list.assumed("outputs", plan.problem.outputs, at_least_1, {.table = plan.problem.outputs > 1});
  auto phases = std::ssize(plan.phases);
  list.checked("phases", phases, {.lowest = 1, .highest = 62});
  list.look_ahead("step_size", plan.step_size, above_0);
  if (list.reads()) {
    check_phases(plan.public_row_count, phases);
    plan.phases = cut_into_phases(plan.public_row_count, phases, plan.step_size);
  }
  std::vector<std::int64_t> counts;
  for (const auto& phase : plan.phases) counts.push_back(phase.count);
  list.follows("records_per_phase", fmt::format("{}", fmt::join(counts, " ")));
  list.note("order_seed", plan.order_seed);
  list.checked("step_size", plan.step_size, above_0);
  list.assumed("l2", plan.mean_l2, at_least_0, {.table = plan.mean_l2 > 0});
  list_descent(list, plan, plan.problem, hidden);
  list.note("weight_scale", plan.weight_scale);
  list.look_ahead("noise_multiplier", plan.noise_multiplier, above_0);
  if (list.reads()) resolve_sensitivities(plan);
  list.computed("sensitivity_per_phase", plan.sensitivities, 4);
  list.computed("last_sensitivity", plan.sensitivities.back(), hidden);
  list.checked("noise_multiplier", plan.noise_multiplier, above_0, {.table = false});
  list.computed("noise_stddev", plan.stddev);
  list.follows("norm_bits", norm_bits_for(plan.noise_multiplier), {.table = false});
  list.note("predicted_excess_risk", plan.predicted_excess, {.table = plan.mean_l2 == 0});
}

std::vector<Phase> cut_into_phases(std::int64_t n, std::int64_t k, double step_size) {
  std::vector<Phase> phases;
  std::int64_t first = 0;
  for (std::int64_t i = 1; i <= k; ++i) {
    const std::int64_t count = i < k ? n >> i : n - first;
    step_size /= 4;
    phases.push_back({first, count, step_size});
    first += count;
  }
  return phases;
}

PhaseChoice best_step(const PhaseFacts& facts, std::int64_t phases) {
  const auto [learn, cost] = trade_of(facts, phases);
  return {phases, std::sqrt(learn / cost), 2 * std::sqrt(learn * cost)};
}

PhaseChoice best_phases(const PhaseFacts& facts) {
  PhaseChoice best = best_step(facts, 1);
  const auto max = static_cast<std::int64_t>(std::floor(std::log2(facts.records))) - 3;
  for (std::int64_t k = 2; k <= max; ++k) {
    const auto choice = best_step(facts, k);
    if (choice.predicted_excess < best.predicted_excess) best = choice;
  }
  return best;
}

double predicted_excess(const PhaseFacts& facts, std::int64_t phases, double step_size) {
  const auto [learn, cost] = trade_of(facts, phases);
  return learn / step_size + cost * step_size;
}

PhasedPlan plan_phased(const data::Schema& schema, const PhasedOptions& options,
                       const PlanContext& context) {
  PhasedPlan plan;
  plan.first = context.first_release;
  plan.problem = resolve_sgd_problem(plan, schema, options);
  plan.public_row_count = resolve_row_count(schema, options);
  const auto delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  plan.order_seed = options.order_seed.value_or(0);
  plan.mean_l2 = options.mean_l2.value_or(0);
  plan.weight_scale = weight_scale(plan.problem, options);
  const privacy::Epsilon epsilon(options.epsilon);
  const double distance = privacy::distance_factor(options.adjacency);
  const auto outputs = static_cast<double>(plan.problem.outputs);
  // Several outputs side by side are one predictor of sqrt(outputs) times the size and slope.
  const PhaseFacts facts{.records = plan.public_row_count,
                         .dimension = plan.problem.columns * plan.problem.outputs,
                         .scale = plan.weight_scale * std::sqrt(outputs),
                         .lipschitz = lipschitz_bound(plan.problem) * std::sqrt(outputs),
                         .share = step_share(plan.problem),
                         // before the number of phases, and its share of delta, are known
                         .ratio = full_batch_noise(1, epsilon, delta, options.adjacency) / distance,
                         .distance = distance,
                         .outputs = outputs};
  const auto choice = choose(facts, options, plan.problem, plan.reasons);
  plan.step_size = choice.step_size;
  plan.predicted_excess = choice.predicted_excess;
  plan.phases = cut_into_phases(plan.public_row_count, choice.phases, choice.step_size);
  plan.prg_slack = random::prg_slack_of(static_cast<std::int64_t>(plan.phases.size()),
                                        plan.problem.columns * plan.problem.outputs);
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  plan.noise_multiplier = full_batch_noise(1, epsilon, left, options.adjacency);
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
  resolve_sensitivities(plan);
  plan.reasons.push_back(
      plan.mean_l2 > 0 ? "predicted excess risk: none is proved with a penalty"
                       : excess_reason(plan.problem, plan.predicted_excess, plan.weight_scale));
  write_settings(plan);
  return plan;
}

TrainedModel train_phased(const data::Dataset& dataset, const data::Schema& schema,
                          const PhasedPlan& plan, const TrainingContext& context) {
  check_row_count(dataset, plan.public_row_count, context);
  random::SeededSource public_source(static_cast<std::uint64_t>(plan.order_seed));
  const auto order = optimize::draw_order(
      RecordOrder::permutation, {plan.public_row_count, 1, plan.public_row_count}, public_source);
  mechanism::BlockGaussian noise(privacy::NoiseMultiplier(plan.noise_multiplier),
                                 context.reservation);
  std::vector<double> weights(static_cast<std::size_t>(plan.problem.columns * plan.problem.outputs),
                              0.0);
  double stddev = 0;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const auto& phase = plan.phases[i];
    // The start was released, so the certificate may depend on it.
    const auto sgd = certify(plan, phase, length_of(weights) * (1 + 0x1p-40));
    const auto part = std::span(order).subspan(static_cast<std::size_t>(phase.first),
                                               static_cast<std::size_t>(phase.count));
    auto mean = sgd.run({dataset, part, weights, context.threads, context.supervision},
                        plan.norm_bits, {.block = static_cast<std::int64_t>(i)});
    weights = noise.release(std::move(mean), {.step = i}, context.source).value();
    stddev = plan.noise_multiplier * sgd.stddev_unit(plan.norm_bits);
    // The next phase's slopes are bounded in the ball only.
    if (plan.problem.radius && i + 1 < plan.phases.size()) {
      project(weights, *plan.problem.radius, plan.problem.outputs);
    }
  }
  const std::vector<double> stddevs(weights.size(), stddev);
  return finish(plan, schema, context, {weights, stddevs});
}

namespace {

constexpr std::array<std::string_view, 1> phased_sampling{"permutation"};
constexpr auto phased_reads = bound_names<descent_bindings, penalty_bindings, ball_bindings,
                                          phased_bindings, feature_selection_bindings>;
}  // namespace

constinit const Method phased_method{
    .name = "phased",
    .help = "output perturbation on ever smaller disjoint parts of the records",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = proved_for_descent,
    .problems = {.targets = classes_and_numbers},
    .sampling = phased_sampling,
    .options = phased_reads,
    .plan = planned_by<phased_options, plan_phased, train_phased>,
    .recorded_events = recorded_releases_of<PhasedPlan>,
    .check_file = check_descent_file,
};

}  // namespace tacet::learn
