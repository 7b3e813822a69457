#include "tacet/learn/regularized_output/regularized_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/arora2022.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/gradient_diameter.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/model/model_file.h"
#include "tacet/numeric/special.h"
#include "tacet/optimize/solver/local_minimum.h"
#include "tacet/random/noise/vector_laplace.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using privacy::Adjacency;
using privacy::Delta;
using privacy::Epsilon;

constexpr double radius_for_classes = 20;  // margins of classes grow to about this size
constexpr double norm_for_classes = 5;     // if a penalty has a cost: 0.7% of the loss remains
constexpr double radius_for_numbers = 4;   // numbers are scaled to [-1, 1]
constexpr double descent_steps = 1000;     // of descent; with more, Newton's method is faster

optimize::GlmLoss solver_loss(const RegularizedOutputPlan& plan) {
  const auto facts = model::properties(plan.loss);
  const double clip =
      std::isfinite(facts.slope_bound) ? std::numeric_limits<double>::infinity() : plan.slope_bound;
  return optimize::GlmLoss(plan.loss, plan.smoothing_width, clip, plan.class_weights);
}

optimize::LocalProblem problem_of(const RegularizedOutputPlan& plan, std::int64_t rows) {
  return {.loss = solver_loss(plan),
          .rows = {0, rows},
          .sum_l2 = plan.sum_l2,
          .domain = optimize::Ball{plan.radius},
          .gradient_share = plan.gradient_share,
          .steps = plan.steps,
          .tolerance = plan.solver_tolerance};
}

// A record's share of the gradient: under replace_one half of the distance between two gradients.
double gradient_share(const RegularizedOutputPlan& plan, double norm_bound) {
  const double lipschitz = plan.slope_bound * norm_bound;
  if (plan.guarantee.adjacency != Adjacency::replace_one) return lipschitz;
  const double diameter = gradient_diameter(
      plan.loss, {.columns = plan.columns, .norm_bound = norm_bound, .radius = plan.radius},
      plan.guarantee.adjacency);
  return std::min(lipschitz, 0.5 * diameter * (1 + 0x1p-50));
}

// The ratio of a record's distance to the standard deviation of the noise that the guarantee
// allows. For pure privacy the standard deviation of a coordinate is scale sqrt(d + 1).
double allowed_mu(const RegularizedOutputPlan& plan) {
  const Epsilon epsilon(plan.guarantee.epsilon);
  if (plan.pure()) {
    return epsilon.value() / std::sqrt(static_cast<double>(plan.columns) + 1);
  }
  return accounting::gaussian::mu_for(epsilon, Delta(plan.guarantee.delta));
}

arora2022::Problem published_problem(const RegularizedOutputPlan& plan, double norm_bound,
                                     double radius) {
  const auto facts = model::properties(plan.loss);
  return {.curvature = facts.curvature,
          .loss_at_zero = model::largest_loss_at_zero(plan.loss),
          .slope_bound = facts.slope_bound,
          .norm_bound = norm_bound,
          .radius = radius};
}

double published_mean_l2(const RegularizedOutputPlan& plan, double norm_bound, double radius) {
  return arora2022::output_lambda(published_problem(plan, norm_bound, radius),
                                  plan.public_row_count, plan.claim->epsilon, plan.claim->delta);
}

/// The multiplier that gives the paper's standard deviation, or the proved one if the paper's noise
/// is not enough for its claim.
void resolve_published_noise(RegularizedOutputPlan& plan, const RegularizedOptions& options,
                             Delta left, double share, double norm_bound) {
  const double bound =
      arora2022::gradient_bound(published_problem(plan, norm_bound, *options.radius));
  const double published =
      arora2022::output_factor(plan.claim->epsilon, plan.claim->delta) * 2 * bound / plan.sum_l2;
  plan.noise_multiplier = published / share;
  const double proved =
      accounting::epsilon(privacy::Gaussian{plan.noise_multiplier}, options.adjacency, left);
  plan.reasons.add(
      "the paper's lambda {:.4g} and noise of standard deviation {:.4g}, for which it claims "
      "({:g}, {:g}); proved here for that noise: epsilon {:.4g}",
      plan.sum_l2 / static_cast<double>(plan.public_row_count), published, plan.claim->epsilon,
      plan.claim->delta, proved);
  if (proved <= options.epsilon) return;
  plan.reasons.emplace_back(
      "the paper's noise is not enough for what it claims; the proved noise stands in its place");
  plan.noise_multiplier = full_batch_noise(1, Epsilon(options.epsilon), left, options.adjacency);
}

/// Refuses problems that the paper does not cover, before anything uses its numbers.
void resolve_claim(RegularizedOutputPlan& plan, const RegularizedOptions& options) {
  if (!options.paper()) return;
  if (options.adjacency != Adjacency::replace_one || !options.radius || options.mean_l2 ||
      plan.guarantee.delta == 0) {
    throw base::UsageError(
        "`calibration=arora2022` for regularized-output is about replace_one, a ball (`radius`) "
        "and a delta above 0, and determines l2 by itself; give `adjacency=replace_one` and "
        "`radius`, or use tight");
  }
  plan.calibration = Calibration::arora2022;
  plan.claim = plan.guarantee;
  if (std::isfinite(arora2022::gradient_bound(published_problem(plan, 1, *options.radius)))) return;
  throw base::UsageError(
      "`calibration=arora2022` is about smooth losses and those of bounded slope, which {} is not; "
      "use the tight calibration",
      model::loss_name(plan.loss));
}

void resolve_penalty(RegularizedOutputPlan& plan, const RegularizedOptions& options,
                     double norm_bound, bool regression) {
  const double rows = static_cast<double>(plan.public_row_count);
  const double wanted =
      options.radius.value_or(regression ? radius_for_numbers : radius_for_classes);
  const double expected =
      options.radius.value_or(regression ? radius_for_numbers : norm_for_classes);
  const auto facts = model::properties(plan.loss);
  plan.radius = wanted;
  // The first round uses the wanted radius, the second one the radius that results from the
  // regularization.
  for (int round = 0; round < 2; ++round) {
    plan.slope_bound = model::slope_bound_within(plan.loss, plan.radius * norm_bound);
    plan.sum_l2 = options.mean_l2.value_or(0) > 0
                      ? *options.mean_l2 * rows
                      : rows * optimal_mean_l2(
                                   {.rows = rows,
                                    .norm_bound = norm_bound,
                                    .slope = plan.slope_bound,
                                    .curvature = facts.curvature,
                                    .radius = expected,
                                    .distance = privacy::distance_factor(plan.guarantee.adjacency),
                                    .mu = allowed_mu(plan)});
    if (plan.claim) plan.sum_l2 = rows * published_mean_l2(plan, norm_bound, wanted);
    // The minimiser has |w|^2 <= n loss(0) / Lambda, which helps only if n is public.
    if (plan.guarantee.adjacency != Adjacency::add_remove) {
      plan.radius =
          std::min(wanted, std::sqrt(rows * model::largest_loss_at_zero(plan.loss) / plan.sum_l2));
    }
  }
  refuse_no_penalty(plan, options.mean_l2, plan.sum_l2 / rows);
  if (!options.mean_l2 && !plan.claim) {
    plan.reasons.add("l2 {:.6g}: balances the noise and the bias for weights of norm {:g}",
                     plan.sum_l2 / rows, expected);
  }
  // The penalty is that of the loss without clipping. The smaller penalty that clipped slopes would
  // allow adds more noise than it removes bias, on most of the public sets of
  // bench/utility/methods.py.
  const double reach = plan.radius * norm_bound;
  plan.slope_bound =
      model::slope_bound_within(plan.loss, plan.claim ? reach : cut_reach(plan.loss, reach));
  plan.gradient_share = gradient_share(plan, norm_bound);
}

void resolve_solver(RegularizedOutputPlan& plan, double norm_bound) {
  const double rows = static_cast<double>(plan.public_row_count);
  const double distance = privacy::distance_factor(plan.guarantee.adjacency);
  const double share = plan.gradient_share / plan.sum_l2;
  const double stddev = distance * share / allowed_mu(plan);  // of one coordinate, approximately
  if (model::can_be_smoothed(plan.loss)) {
    // Smoothing a kink on this width costs at most a twentieth of the cost of the noise.
    plan.smoothing_width =
        std::max(1e-3, 0.1 * norm_bound * stddev * numeric::mean_absolute_normal);
    plan.reasons.add("loss smoothed on a width of {:.4g}, small beside the noise on predictions",
                     plan.smoothing_width);
  }
  const double curvature = solver_loss(plan).curvature_bound();
  const double kappa = 1 + rows * curvature * norm_bound * norm_bound / plan.sum_l2;
  const double start = std::min(plan.radius, rows * share);
  const double noise = stddev * std::sqrt(static_cast<double>(plan.columns));
  const double wanted =
      std::ceil(0.5 * (kappa + 1) * std::log(std::max(std::exp(1.0), 20 * start / noise)));
  if (plan.guarantee.adjacency != Adjacency::add_remove && wanted <= descent_steps) {
    plan.steps = static_cast<std::int64_t>(std::max(1.0, wanted));
    plan.reasons.add("{} steps of descent: the minimum to a twentieth of the noise", plan.steps);
    return;
  }
  constexpr double part = 1e-4;  // of a record's share
  // relative to the radius; smaller ones cannot be certified in doubles
  constexpr double min = 0x1p-45;
  plan.solver_tolerance = std::max(part * share, min * plan.radius);
  optimize::check_fallback_work({.rows = plan.public_row_count,
                                 .norm_bound = norm_bound,
                                 .curvature = curvature,
                                 .sum_l2 = plan.sum_l2,
                                 .distance = 2 * plan.radius,
                                 .tolerance = plan.solver_tolerance});
}

// The Poisson loss is smooth on balls only. Beyond the predictions that the ball allows, its
// extension keeps the curvature from there, since solvers may leave the ball on their way.
void extend_poisson(RegularizedOutputPlan& plan, const data::Schema& schema,
                    const RegularizedOptions& options) {
  if (!options.radius) {
    throw base::UsageError(
        "the slopes of loss poisson are bounded on a ball only; give its `radius` (with rows of "
        "norm 1, radius 2 lets a mean be e^2 times the largest count), or use `method=gradient`");
  }
  const double reach = *options.radius * schema.norm_bound();
  if (!(reach < model::ExtendedPoissonLoss::parameter.upper)) {
    throw base::UsageError(
        "radius {:g} lets the slopes of loss poisson be e^{:g} long; a radius of 2 or 3 is usual",
        *options.radius, reach);
  }
  plan.loss = model::ExtendedPoissonLoss{reach};
  plan.reasons.add(
      "loss poisson, beyond predictions of {:g}, which no weights of the ball reach, by a "
      "parabola: slopes up to {:.4g}",
      reach, std::exp(reach));
}

}  // namespace

void list_settings(SettingList& list, RegularizedOutputPlan& plan) {
  list.sampling("full_batch");
  list.problem();
  list.look_ahead("regularization", plan.sum_l2, above_0);
  list.follows("l2", plan.sum_l2 / static_cast<double>(plan.public_row_count));
  list.checked("regularization", plan.sum_l2, above_0, {.table = false});
  list.of_model("radius", plan.radius, above_0);
  list.of_model("slope_bound", plan.slope_bound, at_least_0);
  list.of_model("gradient_share", plan.gradient_share, at_least_0, {.table = false});
  list.of_model("smoothing_width", plan.smoothing_width, at_least_0,
                {.table = plan.smoothing_width > 0});
  const bool pure = list.reads() ? false : plan.pure();
  list.checked("noise_multiplier", plan.noise_multiplier, at_least_0, {.table = !pure});
  list.checked("record_share", plan.record_share, above_0, {.table = false, .json = false});
  if (plan.noise_multiplier == 0) {
    list.checked("noise", plan.noise, above_0);
  } else {
    // The noise is the one that was drawn. Its cost follows from the sensitivity of the result.
    list.computed("noise", plan.noise_multiplier * plan.record_share);
  }
  const Shown descent{.table = plan.steps > 0};
  if (plan.guarantee.adjacency == Adjacency::add_remove) {
    // Descent of a fixed length has no proof there.
    list.checked("steps", plan.steps, {.lowest = 0, .highest = 0}, descent);
  } else {
    list.of_model("steps", plan.steps, at_least_0, descent);
  }
  list.of_model("solver_tolerance", plan.solver_tolerance, at_least_0, {.table = plan.steps == 0});
  list.claim();
  list.one_record_per_unit();
}

double optimal_mean_l2(const OutputNoiseFacts& facts) {
  const double sensitivity =  // lambda times the standard deviation of the noise
      facts.distance * facts.slope * facts.norm_bound / (facts.rows * facts.mu);
  const double square = facts.radius * facts.radius;
  const double lipschitz = std::sqrt(2 * numeric::mean_absolute_normal * facts.slope *
                                     facts.norm_bound * sensitivity / square);
  if (std::isinf(facts.curvature)) return lipschitz;
  const double smooth = std::cbrt(2 * facts.curvature * facts.norm_bound * facts.norm_bound *
                                  sensitivity * sensitivity / square);
  // Predicted costs at their optima: 3/4 smooth R^2 and lipschitz R^2.
  return 0.75 * smooth <= lipschitz ? smooth : lipschitz;
}

RegularizedOutputPlan plan_regularized_output(const data::Schema& schema,
                                              const RegularizedOptions& options,
                                              const PlanContext& context) {
  RegularizedOutputPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, regularized_output_method.problems);
  if (std::holds_alternative<model::PoissonLoss>(plan.loss)) extend_poisson(plan, schema, options);
  resolve_class_weights(plan, schema, options.class_weights);
  plan.public_row_count = resolve_row_count(schema, options);
  const double delta = resolve_delta_or_pure(options, plan.public_row_count, plan.reasons);
  const bool pure = delta == 0;
  plan.guarantee = {options.epsilon, delta, options.adjacency};
  resolve_claim(plan, options);
  plan.prg_slack =
      random::prg_slack_of(1, pure ? random::l2_laplace_words * plan.columns : plan.columns);
  resolve_unit_draw(plan, schema);
  const Delta left = resolve_delta_left(plan, options, delta, plan.prg_slack);

  const double norm_bound = schema.norm_bound();
  resolve_penalty(plan, options, norm_bound,
                  model::properties(plan.loss).labels == model::Labels::numbers);
  resolve_solver(plan, norm_bound);
  const double share = plan.record_share =
      optimize::local_share(problem_of(plan, plan.public_row_count), norm_bound, plan.columns);
  if (pure) {
    const auto epsilon = resolve_pure_epsilon(options);
    const double multiplier = privacy::distance_factor(options.adjacency) / epsilon.value();
    check_share_noise(ShareNoise::laplace, multiplier, plan.columns);
    plan.noise = privacy::distance_factor(options.adjacency) * share / epsilon.value();
    plan.events = mechanism::l2_laplace_event(epsilon, options.adjacency);
  } else {
    if (plan.claim) {
      resolve_published_noise(plan, options, left, share, norm_bound);
    } else {
      plan.noise_multiplier =
          full_batch_noise(1, Epsilon(options.epsilon), left, options.adjacency);
    }
    plan.noise = plan.noise_multiplier * share;
    check_share_noise(ShareNoise::gaussian, plan.noise_multiplier, plan.columns);
    plan.events = privacy::Gaussian{plan.noise_multiplier};
  }
  resolve_guarantee(plan, options, delta);
  write_settings(plan);
  return plan;
}

TrainedModel train_regularized_output(const data::Dataset& dataset, const data::Schema& schema,
                                      const RegularizedOutputPlan& plan,
                                      const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  const auto drawn = drawn_records(dataset, schema, context);
  const auto& records = drawn ? *drawn : dataset;
  check_public_count(records, plan, context, drawn ? "units" : "records");
  auto minimum = optimize::local_minimum(records, problem_of(plan, records.rows()), context.threads,
                                         context.supervision);
  const auto released =
      plan.pure() ? mechanism::release_l2_laplace(
                        std::move(minimum), Epsilon(plan.events.as<privacy::PureDp>()->epsilon),
                        plan.guarantee.adjacency, {{}, context.source, context.reservation})
                  : mechanism::release_gaussian(std::move(minimum),
                                                privacy::NoiseMultiplier(plan.noise_multiplier),
                                                {{}, context.source, context.reservation});
  Coefficients coefficients{released.value()};
  if (!plan.pure()) coefficients.noise_stddevs.assign(released.value().size(), plan.noise);
  return finish(plan, schema, context, std::move(coefficients));
}

namespace {

privacy::Event recorded_minimiser(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                  const privacy::Event& own) {
  const auto plan = read_plan<RegularizedOutputPlan>(receipt, parameters);
  if (plan.noise_multiplier > 0) return privacy::Gaussian{plan.noise_multiplier};
  const auto adjacency = plan.guarantee.adjacency;
  return pure_release<privacy::PureDp>(
      adjacency, privacy::distance_factor(adjacency) * plan.record_share / plan.noise, own);
}

/// How far a record moves the result, computed again for the stated neighbours.
void check_minimiser_file(const privacy::Receipt& receipt, const model::ModelFile& file,
                          RecordedParameters& parameters) {
  auto plan = read_plan<RegularizedOutputPlan>(receipt, parameters, true);
  plan.loss = file.model.loss;
  plan.columns = file.schema.encoded_column_count();
  const auto rows = plan.public_row_count;
  if (rows < 1) throw base::DataError("the minimiser is that of no record");
  if (parameters.has("class_weights") && file.schema.target) {
    plan.class_weights = parse_class_weights(parameters.text("class_weights"), *file.schema.target);
  }
  const double norm_bound = file.schema.norm_bound();
  const double reach = plan.radius * norm_bound;
  const bool tight = plan.calibration == Calibration::tight;
  const double steepest =
      model::slope_bound_within(plan.loss, tight ? cut_reach(plan.loss, reach) : reach);
  if (!nearly_equal(plan.slope_bound, steepest)) {
    throw base::DataError("slopes within the radius are up to {:.6g}, the receipt says {:.6g}",
                          steepest, plan.slope_bound);
  }
  const double stated = plan.gradient_share;
  plan.gradient_share = gradient_share(plan, norm_bound);
  if (!nearly_equal(stated, plan.gradient_share)) {
    throw base::DataError("a record moves the gradient by {:.6g}, the receipt says {:.6g}",
                          plan.gradient_share, stated);
  }
  const double share = optimize::local_share(problem_of(plan, rows), norm_bound, plan.columns);
  if (!nearly_equal(plan.record_share, share)) {
    throw base::DataError("a record moves the result by {:.6g}, the receipt says {:.6g}", share,
                          plan.record_share);
  }
}

constexpr std::array regularized_papers{Paper{Calibration::arora2022, {Adjacency::replace_one}}};
constexpr auto regularized_reads =
    bound_names<penalty_bindings, ball_bindings, class_weight_bindings, calibration_bindings,
                feature_selection_bindings, projection_bindings>;

}  // namespace

constinit const Method regularized_output_method{
    .name = "regularized-output",
    .help = "noise on the minimiser of a regularized loss",
    .usual_adjacency = privacy::Adjacency::replace_one,
    .proved = {privacy::every_adjacency, privacy::every_adjacency, UnitProtection::drawn},
    .problems = {.targets = {TargetKind::two_classes, TargetKind::number, TargetKind::probability,
                             TargetKind::count}},
    .sampling = full_batch,
    .options = regularized_reads,
    .plan = planned_by<regularized_options, plan_regularized_output, train_regularized_output>,
    .recorded_events = recorded_minimiser,
    .papers = regularized_papers,
    .check_file = check_minimiser_file,
};

}  // namespace tacet::learn
