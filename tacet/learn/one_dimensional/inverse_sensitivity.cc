#include "tacet/learn/one_dimensional/inverse_sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/one_dimensional/line_draw.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/point/inverse_sensitivity.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/model/model_file.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/glm_loss.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr double max_proposals = 1e6;
constexpr double max_draws = 2e6;  // of points, each some milliseconds
// share of the exponents that a start near the minimiser may cost
constexpr double start_cost = 0.1;
constexpr double usual_visits = 0x1p30;   // records read by all proposals together
constexpr double draw_class_radius = 20;  // margins of classes, see learn/gradient/gradient_plan
constexpr double draw_number_radius = 4;
constexpr int norm_bits = 30;

/// The smallest penalty of the mean that keeps the expected proposals below `max`.
double min_mean_l2(double curvature, double norm_bound, std::int64_t columns, double max) {
  const double smoothness = curvature * norm_bound * norm_bound;
  return smoothness / std::expm1(std::log(max) / static_cast<double>(columns));
}

void resolve_line(InverseSensitivityPlan& plan, const data::Schema& schema,
                  const InverseOptions& options) {
  plan.on_a_line = true;
  plan.location = schema.intercept;  // the one column
  const double usual =
      model::properties(plan.loss).classification ? draw_class_radius : draw_number_radius;
  plan.radius = options.radius.value_or(usual);
  if (!options.radius) {
    plan.reasons.add("weight in [-{0:g}, {0:g}], a public guess", usual);
  }
  if (plan.public_row_count > mechanism::SlopeSum::max_records) {
    throw base::UsageError("inverse-sensitivity takes at most {} records, got {}",
                           mechanism::SlopeSum::max_records, plan.public_row_count);
  }
}

/// A penalty with a smooth loss uses the other sampler, which needs no bound of the weight.
bool on_a_line(const InverseSensitivityPlan& plan, const InverseOptions& options) {
  if (plan.columns != 1) return false;
  if (options.mean_l2.value_or(0) == 0) return true;
  if (!piecewise_linear(plan.loss)) return false;
  throw base::UsageError("one column and a piecewise linear loss take no penalty; leave `l2` out");
}

void resolve_penalised(InverseSensitivityPlan& plan, const data::Schema& schema,
                       const InverseOptions& options) {
  const double curvature = model::properties(plan.loss).curvature;
  if (!std::isfinite(curvature)) {
    throw base::GuaranteeError(
        "no sampler is proved for {} columns and the loss {}, which has a kink; use a smooth loss "
        "with a penalty, or method ladder",
        plan.columns, model::loss_name(plan.loss));
  }
  const double min = min_mean_l2(curvature, schema.norm_bound(), plan.columns, max_proposals);
  if (options.mean_l2 && *options.mean_l2 < min) {
    throw base::GuaranteeError(
        "l2 {:g} would take more than a million proposals in {} columns; at least {:.3g} is "
        "needed, or use method ladder",
        *options.mean_l2, plan.columns, min);
  }
  plan.mean_l2 = options.mean_l2.value_or(0);
  if (!options.mean_l2) {
    const double proposals =
        std::clamp(usual_visits / static_cast<double>(plan.public_row_count), 10.0, max_proposals);
    plan.mean_l2 = min_mean_l2(curvature, schema.norm_bound(), plan.columns, proposals);
    plan.reasons.add("l2 {:.4g}: few proposals in {} columns", plan.mean_l2, plan.columns);
  }
  if (options.radius) {
    throw base::UsageError("radius has no meaning here: the penalty bounds the weights");
  }
}

/// The largest distance between the score's gradients on neighbours.
double score_distance(const InverseSensitivityPlan& plan) {
  const auto adjacency = plan.guarantee.adjacency;
  if (!plan.on_a_line) return privacy::distance_factor(adjacency) * plan.clipping_norm;
  return line_distance({plan.loss, plan.radius, plan.location}, adjacency);
}

/// A start so close to the minimiser that its score reduces the exponents by at most a tenth.
double start_tolerance(const mechanism::NormGradientQuery& query, double epsilon) {
  const double weight =
      epsilon / (2 * privacy::distance_factor(query.adjacency) * query.clipping_norm);
  return start_cost / 2 / (weight * (query.smoothness + query.sum_l2));
}

privacy::Released<std::vector<double>> draw_penalised(const data::Dataset& dataset,
                                                      const InverseSensitivityPlan& plan,
                                                      const TrainingContext& context) {
  // Rows shorter than the bound use the same largest slope. So the law is that of one loss, and the
  // start is its minimiser. At any other point the score is of the order of the number of records,
  // and the sampler would not end.
  const double steepest = plan.clipping_norm / dataset.norm_bound();
  const optimize::GradientSum sums(
      {dataset, plan.loss, 1},
      {.clipping_norm = plan.clipping_norm, .norm_bits = norm_bits, .slope_bound = steepest},
      context.threads);
  const auto query = plan.query();
  const optimize::RegularizedProblem problem{.loss = optimize::GlmLoss(plan.loss, 0, steepest),
                                             .sum_l2 = query.sum_l2};
  const auto fit =
      optimize::minimise_certified(dataset, problem, start_tolerance(query, plan.spent().value()),
                                   context.threads, context.supervision);
  return mechanism::release_norm_gradient(
      [&](std::span<const double> weights) {
        if (context.supervision.cancel != nullptr) context.supervision.cancel->throw_if_cancelled();
        return sums.at(weights);
      },
      privacy::Private<std::vector<double>>(fit.weights), query, plan.spent(),
      {{}, context.source, context.reservation});
}

}  // namespace

void list_settings(SettingList& list, InverseSensitivityPlan& plan) {
  static constexpr auto yes_or_no = base::names<bool>({{true, "yes"}, {false, "no"}});
  constexpr Shown hidden{.table = false, .json = false};
  list.sampling("full_batch");
  plan.on_a_line = list.has("location", plan.on_a_line);
  list.problem({}, plan.on_a_line);
  if (plan.on_a_line) {
    list.assumed("radius", plan.radius, above_0);
    list.checked("location", plan.location, yes_or_no, hidden);
    if (piecewise_linear(plan.loss)) list.note("nearness", nearness * plan.radius);
  } else {
    list.note("l2", plan.mean_l2);
    list.checked("clipping_norm", plan.clipping_norm, above_0);
  }
  list.checked("draw_epsilon", plan.epsilon, above_0, {.table = false});
  // This draw has no noise multiplier. The factor of the score in the exponent takes its place; it
  // is the same for all adjacencies.
  list.computed("score_weight", plan.epsilon / (2 * score_distance(plan)), hidden);
}

mechanism::NormGradientQuery InverseSensitivityPlan::query() const {
  const auto n = static_cast<double>(public_row_count);
  const double smoothness = model::properties(loss).curvature;  // rows have a norm of at most 1
  mechanism::NormGradientQuery query{.columns = columns,
                                     .rows = public_row_count,
                                     .adjacency = guarantee.adjacency,
                                     .clipping_norm = clipping_norm,
                                     .smoothness = n * smoothness,
                                     .sum_l2 = n * mean_l2,
                                     .gradient_error = 0};
  // A record's slope is rounded to half a unit of its row's integers (norm at most 2048), and
  // weights to 2^-38 of their norm, which is at most twice the norm of any minimiser.
  const double weight_norm = 2 * clipping_norm / mean_l2;
  const double slope_unit =
      data::Dataset::feature_scale * std::ldexp(clipping_norm, -norm_bits - 1);
  query.gradient_error =
      n * (slope_unit +
           smoothness * weight_norm * std::sqrt(static_cast<double>(columns)) * std::ldexp(1, -37));
  return query;
}

namespace {

/// Refuses, before data are read, a plan that would accept so few proposals that its run would
/// hardly end. Rounding errors of the gradients make acceptance rarer with more records and larger
/// epsilon.
void resolve_proposals(InverseSensitivityPlan& plan, privacy::Epsilon epsilon) {
  const double proposals = mechanism::log_proposals(plan.query(), epsilon);
  if (proposals > std::log(max_proposals) + start_cost) {
    throw base::GuaranteeError(
        "an exact sampler would take 10^{:.1f} proposals on average with {} records at epsilon "
        "{:g} and l2 {:.4g}; use a smaller epsilon, a larger l2, or method ladder",
        proposals / std::log(10), plan.public_row_count, epsilon.value(), plan.mean_l2);
  }
  const double draws = mechanism::log_draws(plan.query(), epsilon) + start_cost;
  if (draws > std::log(max_draws)) {
    throw base::GuaranteeError(
        "an exact sampler would draw 10^{:.1f} points on average, most of them where no minimiser "
        "of {} can lie: too few at epsilon {:g}; use a larger epsilon, or method ladder",
        draws / std::log(10),
        plan.public_row_count == 1 ? "one sample"
                                   : fmt::format("{} records", plan.public_row_count),
        epsilon.value());
  }
  plan.reasons.add("the exact sampler takes {:.0f} proposals at most, on average",
                   std::ceil(std::exp(proposals + start_cost)));
}

}  // namespace

InverseSensitivityPlan plan_inverse_sensitivity(const data::Schema& schema,
                                                const InverseOptions& options,
                                                const PlanContext& context) {
  InverseSensitivityPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, {.targets = one_output});
  plan.public_row_count = resolve_row_count(schema, options);
  plan.guarantee = {options.epsilon, 0, options.adjacency};
  if (options.delta.value_or(0) > 0) {
    plan.reasons.emplace_back("delta is not needed: the method is purely private");
  }
  const auto facts = model::properties(plan.loss);
  plan.clipping_norm =
      (std::isinf(facts.slope_bound) ? clipped_residual : facts.slope_bound) * schema.norm_bound();
  const auto epsilon = resolve_pure_epsilon(options);
  if (on_a_line(plan, options)) {
    resolve_line(plan, schema, options);
    // throws what the sampler would throw, before anything is booked
    (void)mechanism::round_down(epsilon);
    plan.events = mechanism::minimiser_event(
        {mechanism::Grid(-plan.radius, plan.radius), options.adjacency}, epsilon);
  } else {
    resolve_penalised(plan, schema, options);
    resolve_proposals(plan, epsilon);
    plan.events = mechanism::norm_gradient_event(plan.query(), epsilon);
  }
  plan.prg_slack = random::prg_slack_of(1, random::max_block_words);
  static_cast<void>(resolve_delta_left(plan, options, 0, plan.prg_slack));
  plan.epsilon = plan.events.as<privacy::BoundedRange>()->epsilon;
  write_settings(plan);
  return plan;
}

TrainedModel train_inverse_sensitivity(const data::Dataset& dataset, const data::Schema& schema,
                                       const InverseSensitivityPlan& plan,
                                       const TrainingContext& context) {
  check_row_count(dataset, plan.public_row_count, context);
  const LineProblem line{plan.loss, plan.radius, plan.location};
  const auto released =
      plan.on_a_line ? draw_on_line(dataset, line, plan.spent(), plan.guarantee.adjacency, context)
                     : draw_penalised(dataset, plan, context);
  return finish(plan, schema, context, {released.value()});
}

namespace {

privacy::Event recorded_draw(const privacy::Receipt& receipt, RecordedParameters& parameters,
                             const privacy::Event& own) {
  const auto plan = read_plan<InverseSensitivityPlan>(receipt, parameters);
  return pure_release<privacy::BoundedRange>(plan.guarantee.adjacency, plan.epsilon, own);
}

/// Which bounds the draw was made with: of rows, and of a column of ones.
void check_draw_file(const privacy::Receipt& /*receipt*/, const model::ModelFile& file,
                     RecordedParameters& parameters) {
  parameters.expect("location", file.schema.intercept ? "yes" : "no", "by the schema it is");
  if (parameters.has("location")) return;
  const double slope = model::properties(file.model.loss).slope_bound;
  const double norm = (std::isinf(slope) ? clipped_residual : slope) * file.schema.norm_bound();
  if (nearly_equal(parameters.real("clipping_norm"), norm)) return;
  throw base::DataError("gradients are up to {:.6g}, the receipt says {:.6g}", norm,
                        parameters.real("clipping_norm"));
}

constexpr Proved proved_draw{
    privacy::public_count, privacy::public_count, UnitProtection::refused,
    "it is proved for a public number of records; use replace_one or zero_out, or method gradient"};
constexpr auto inverse_reads = bound_names<penalty_bindings, ball_bindings>;

}  // namespace

constinit const Method inverse_sensitivity_method{
    .name = "inverse-sensitivity",
    .help = "one draw scored by the gradient: pure, few columns",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = proved_draw,
    .problems = {.targets = one_output},
    .sampling = full_batch,
    .options = inverse_reads,
    .plan = planned_by<inverse_options, plan_inverse_sensitivity, train_inverse_sensitivity>,
    .recorded_events = recorded_draw,
    .takes_infinite_epsilon = false,
    .check_file = check_draw_file,
    .named_only = true,
};

}  // namespace tacet::learn
