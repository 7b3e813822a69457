#include "tacet/local/local_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/local/local_shuffle.h"
#include "tacet/local/round_noise.h"
#include "tacet/mechanism/local/release_report.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/random/source/source.h"

namespace tacet::local {
namespace {

namespace gaussian = accounting::gaussian;
using mechanism::LocalMechanism;
using mechanism::LocalRandomizer;
using mechanism::LocalSpec;

constexpr std::int64_t max_devices = std::int64_t{1} << 32;
constexpr std::int64_t wanted_rounds = 4000;
constexpr double usual_domain = 100;  // weights worth reaching, times so much, are never passed

// ---- what is asked for and cannot be

void refuse_problem(const data::Schema& schema, const LocalOptions& options) {
  if (std::isinf(options.epsilon)) {
    throw base::UsageError(
        "epsilon must be finite: a device that sends its gradient as it is has no privacy at all; "
        "only a training on the records themselves can be without protection");
  }
  if (schema.unit) {
    throw base::UsageError(
        "the schema's unit column {} says that a person has several records, but one device is one "
        "unit and sends one report: k records of a person are k contributions, which cost k "
        "epsilon; keep one record of each and leave the unit out",
        *schema.unit);
  }
  const auto classes = learn::target_of(schema).class_count();
  if (classes > 2) {
    throw base::UsageError(
        "the target has {} classes, but a report is the gradient of one output; one class against "
        "the rest is {} runs in which each device contributes {} reports and pays {} epsilon: make "
        "a target of two classes for each",
        classes, classes, classes, classes);
  }
}

void refuse_for_mechanism(const LocalOptions& options, LocalMechanism mechanism) {
  const auto& delta = options.delta;
  const auto* name = mechanism::local_mechanism_names.of(mechanism);
  if (mechanism == LocalMechanism::gaussian) {
    if (delta == 0.0) {
      throw base::GuaranteeError(
          "mechanism gaussian has a delta above 0; leave `delta` out, or use privunit, which is "
          "pure");
    }
  } else if (delta && *delta > 0) {
    throw base::UsageError(
        "mechanism {} is pure: its delta is 0, and {} would buy nothing; leave `delta` out", name,
        *delta);
  }
  if (options.shuffled) refuse_shuffling(mechanism, options.passes);
}

void refuse_for_learner(const LocalOptions& options) {
  const bool sgd = options.method == "local-sgd";
  const auto refuse = [&](bool given, std::string_view what) {
    if (!given) return;
    throw base::UsageError("{} has no meaning for {}; leave it out", what, options.method);
  };
  if (!sgd) {
    refuse(options.step_size.has_value(), "`step_size`");
    refuse(options.radius.has_value(), "`radius`");
    refuse(options.averaging == "suffix" || options.averaging == "last",
           fmt::format("`averaging={}`", options.averaging.value_or("")));
    return;
  }
  refuse(options.averaging == "anytime", "`averaging=anytime`");
  refuse(options.certificate.has_value(), "`certificate`");
  refuse(options.initial_wealth.has_value(), "`initial_wealth`");
  refuse(options.direction_step != 1, "`direction_step`");
  refuse(options.weight_power != 0, "`weight_power`");
  if (!options.step_size) {
    throw base::UsageError(
        "local-sgd needs a `step_size`, chosen from public knowledge: trying several on the same "
        "people costs an epsilon each; banco needs none");
  }
}

void refuse_for_paper(const LocalOptions& options) {
  const auto calibration = options.calibration;
  if (calibration != learn::Calibration::paper && calibration != learn::Calibration::jun2019) {
    throw base::UsageError("banco has no calibration {}; it has tight, jun2019",
                           to_string(calibration));
  }
  const bool other =
      options.method != "banco" ||
      options.mechanism.value_or(LocalMechanism::l2_laplace) != LocalMechanism::l2_laplace ||
      options.averaging.value_or("uniform") != "uniform" || options.initial_wealth ||
      options.direction_step != 1 || options.weight_power != 0 || options.passes != 1 ||
      options.batch_size.value_or(1) != 1 || options.weight_scale ||
      options.certificate.value_or(CertificateKind::known_noise) != CertificateKind::known_noise;
  if (!other) return;
  throw base::UsageError(
      "`calibration=paper` is banco on l2_laplace reports, one a round, with uniform averaging, "
      "known noise and an initial wealth of 1; leave the other settings out, or use tight");
}

// ---- the randomiser

double resolve_gradient_bound(LocalPlan& plan, const data::Schema& schema,
                              const LocalOptions& options) {
  const auto facts = model::properties(plan.loss);
  const bool squared = model::loss_name(plan.loss) == "squared";
  const bool bounded = !std::isinf(facts.slope_bound);
  const bool count = !bounded && facts.labels == model::Labels::shares;
  double bound = 0;
  if (options.clipping_norm) {
    bound = *options.clipping_norm;
  } else if (bounded || squared || count) {
    bound = model::usual_slope(plan.loss) * schema.norm_bound();
  } else {
    throw base::UsageError(
        "loss {} has slopes without a bound, and a report must have one; give `clipping_norm`, or "
        "a loss with bounded slopes such as huber",
        model::loss_name(plan.loss));
  }
  if (squared) {
    plan.reasons.push_back(fmt::format(
        "gradients are clipped at {:.4g}: what is minimised is the squared loss with its slope cut "
        "there, a Huber loss",
        bound));
  } else if (count) {
    plan.reasons.push_back(fmt::format(
        "gradients are clipped at {:.4g}: what is minimised is the Poisson loss of count / largest "
        "count with its slope cut there",
        bound));
  }
  return optimize::checked_clipping_norm({.clipping_norm = bound});
}

// Leaves of all reports, and the secret order of each pass.
double prg_slack_of(const LocalPlan& plan, const LocalRandomizer& randomizer) {
  return random::prg_slack_of(plan.passes * plan.public_row_count, randomizer.claim_words()) +
         random::prg_slack_of(plan.passes, random::max_block_words);
}

void resolve_cost(LocalPlan& plan, const LocalOptions& options, const LocalRandomizer& randomizer,
                  double delta) {
  plan.prg_slack = prg_slack_of(plan, randomizer);
  plan.events = mechanism::DeviceReports::event(randomizer, plan.passes);
  const auto& spec = randomizer.spec();
  plan.mechanism = spec.mechanism;
  const auto* gaussian = randomizer.event().as<privacy::Gaussian>();
  plan.report_noise = gaussian != nullptr ? gaussian->noise_multiplier : spec.epsilon;
  learn::resolve_guarantee(plan, options, delta);
}

void resolve_pure(LocalPlan& plan, const LocalOptions& options, LocalSpec spec) {
  const double asked = learn::resolve_pure_epsilon(options).value();
  spec.epsilon = asked / base::to_double(plan.passes);
  auto randomizer = LocalRandomizer::calibrate(spec);
  resolve_cost(plan, options, randomizer, 0);
  while (plan.guarantee.epsilon > asked && plan.passes > 1) {  // rounding of the quotient
    spec.epsilon = std::nextafter(spec.epsilon, 0.0);
    randomizer = LocalRandomizer::calibrate(spec);
    resolve_cost(plan, options, randomizer, 0);
  }
  plan.randomizer = std::move(randomizer);
}

/// Of one report, so that all of a device compose to what was asked for: k Gaussian ones at mu /
/// sqrt(k) each cost mu (Dong, Roth, Su 2019), less than k times the epsilon of one.
double gaussian_report_epsilon(double epsilon, double delta, std::int64_t passes) {
  if (passes == 1) return epsilon;
  const auto count = base::to_double(passes);
  const double mu = gaussian::mu_for(privacy::Epsilon(epsilon), privacy::Delta(delta));
  return std::max(epsilon / count,
                  gaussian::epsilon(mu / std::sqrt(count), privacy::Delta(delta / count)));
}

void resolve_gaussian(LocalPlan& plan, const LocalOptions& options, LocalSpec spec) {
  const double delta = learn::resolve_delta(options, plan.public_row_count, plan.reasons).value();
  spec.epsilon = options.epsilon;
  spec.delta = delta;
  const double term = prg_slack_of(plan, LocalRandomizer::calibrate(spec));
  const double left = learn::resolve_delta_left(plan, options, delta, term).value();
  const double each = gaussian_report_epsilon(options.epsilon, left, plan.passes);
  spec.epsilon = each;
  spec.delta = left / base::to_double(plan.passes);
  // The accountant rounds up for itself: a little more noise, until it states no more than was
  // asked for.
  for (double less = 0x1p-52; less < 0x1p-20; less *= 2) {
    plan.randomizer = LocalRandomizer::calibrate(spec);
    resolve_cost(plan, options, *plan.randomizer, delta);
    if (plan.guarantee.epsilon <= options.epsilon) return;
    spec.epsilon = each * (1 - less);
  }
}

void resolve_randomizer(LocalPlan& plan, const data::Schema& schema, const LocalOptions& options) {
  const bool paper = options.paper();
  const auto mechanism =
      options.mechanism.value_or(paper ? LocalMechanism::l2_laplace : LocalMechanism::privunit);
  refuse_for_mechanism(options, mechanism);
  const LocalSpec spec{.mechanism = mechanism,
                       .dimension = plan.columns,
                       .clipping_norm = resolve_gradient_bound(plan, schema, options),
                       .embedding = options.embedding};
  if (mechanism == LocalMechanism::gaussian) {
    resolve_gaussian(plan, options, spec);
  } else {
    resolve_pure(plan, options, spec);
  }
}

// ---- the learner

void resolve_rounds(LocalPlan& plan, const LocalOptions& options) {
  const auto devices = plan.public_row_count;
  plan.batch = options.batch_size.value_or(options.paper() ? 1 : usual_batch(devices));
  if (plan.batch > devices) {
    throw base::UsageError("`batch_size` must be 1 to the {} devices, got {}", devices, plan.batch);
  }
  if (!options.batch_size && !options.paper()) {
    plan.reasons.push_back(
        fmt::format("{} devices a round: the largest power of two that leaves {} rounds",
                    plan.batch, wanted_rounds));
  }
  plan.rounds = plan.passes * plan.rounds_per_pass();
  if (const auto rest = devices % plan.batch; rest > 0) {
    plan.reasons.push_back(fmt::format(
        "{} of {} devices, drawn at random, fill no round and are not asked", rest, devices));
  }
  if (devices < 10000 || options.epsilon < 1) {
    plan.reasons.emplace_back(
        "fewer than some 10,000 devices or an epsilon below 1 teach next to nothing: expect what "
        "a constant scores (docs/methods/banco.md)");
  }
}

/// The poster's learner has no domain.
LearnerBounds learner_bounds(const LocalPlan& plan, const LocalOptions& options) {
  LearnerBounds bounds{.report = report_bound(plan.randomizer->noise(), plan.batch)};
  if (!options.paper()) bounds.domain = usual_domain * options.weight_scale.value_or(1);
  return bounds;
}

void resolve_banco(LocalPlan& plan, const LocalOptions& options) {
  const auto& noise = plan.randomizer->noise();
  const double bound = noise.clipping_norm;
  const double round_variance = noise.variance / base::to_double(plan.batch);
  const double scale = options.weight_scale.value_or(1);
  BancoSettings settings{.dimension = plan.columns,
                         .direction_step = options.direction_step,
                         .weight_power = options.weight_power,
                         .rounds = plan.rounds,
                         .bounds = learner_bounds(plan, options)};
  if (options.paper()) {
    settings.certificate = paper_certificate({.dimension = plan.columns,
                                              .epsilon = plan.randomizer->spec().epsilon,
                                              .gradient_bound = bound});
    settings.initial_wealth = 1;
    settings.average = PointAverage::uniform;
  } else {
    settings.certificate = resolve_certificate(noise, plan.batch, options.certificate);
    settings.initial_wealth = options.initial_wealth.value_or(
        usual_initial_wealth(scale, plan.rounds, round_variance, bound));
    settings.average =
        options.averaging == "uniform" ? PointAverage::uniform : PointAverage::anytime;
  }
  const double square = bound * bound;
  const double outcome = std::sqrt(round_variance + square);
  plan.predicted_excess = excess_loss_bound(
      settings, plan.rounds, base::to_double(plan.rounds) * settings.certificate.of(outcome, 1),
      (noise.second_moment(bound) - square) / base::to_double(plan.batch) + square, scale);
  plan.learner = settings;
}

void resolve_sgd(LocalPlan& plan, const LocalOptions& options) {
  const auto& noise = plan.randomizer->noise();
  const double square = noise.clipping_norm * noise.clipping_norm;
  const auto average = options.averaging == "suffix" ? SgdAverage::suffix
                       : options.averaging == "last" ? SgdAverage::last
                                                     : SgdAverage::uniform;
  plan.learner = LocalSgdSettings{.dimension = plan.columns,
                                  .step_size = *options.step_size,
                                  .average = average,
                                  .radius = options.radius.value_or(0),
                                  .rounds = plan.rounds,
                                  .bounds = learner_bounds(plan, options)};
  plan.predicted_excess = sgd_excess_loss_bound(
      *options.step_size, plan.rounds,
      (noise.second_moment(noise.clipping_norm) - square) / base::to_double(plan.batch) + square,
      options.weight_scale.value_or(1));
  plan.reasons.push_back(
      fmt::format("this step alone costs epsilon {:.6g}; five tried on the same people cost {:.6g}",
                  plan.guarantee.epsilon, 5 * plan.guarantee.epsilon));
}

// ---- what is written down

void list_banco(learn::SettingList& list, const BancoSettings& banco) {
  list.note("certificate", name_of(banco.certificate.kind));
  list.note("range", banco.certificate.range);
  list.note("certificate_constant", banco.certificate.constant);
  list.mark("initial_wealth", banco.initial_wealth);
  list.note("direction_step", banco.direction_step, {.table = false});
  list.note("averaging", banco.average == PointAverage::anytime ? "anytime" : "uniform");
  const bool weighted = banco.weight_power > 0;
  list.note("weight_power", banco.weight_power, {.table = weighted, .receipt = weighted});
}

void list_sgd(learn::SettingList& list, const LocalSgdSettings& sgd) {
  constexpr std::array names{"uniform", "suffix", "last"};
  list.mark("step_size", sgd.step_size);
  list.note("averaging", names[static_cast<std::size_t>(sgd.average)]);
  if (sgd.radius > 0) list.note("radius", sgd.radius);
}

/// What is known of the reports and their noise before any is made.
void list_reports(learn::SettingList& list, const mechanism::LocalRandomizer& randomizer) {
  constexpr learn::Shown not_in_receipts{.receipt = false};
  list.note("clipping_norm", randomizer.spec().clipping_norm);
  list.note("variance", randomizer.noise().variance);
  if (randomizer.noise().norm) list.note("report_norm", *randomizer.noise().norm);
  list.note("report_bytes", randomizer.report_bytes(), not_in_receipts);
  list.note("expected_candidates", randomizer.expected_candidates(), not_in_receipts);
}

}  // namespace

privacy::Event releases(const LocalPlan& plan) {
  privacy::Event report = plan.mechanism == mechanism::LocalMechanism::gaussian
                              ? privacy::Event(privacy::Gaussian{plan.report_noise})
                              : privacy::PureDp{plan.report_noise, plan.guarantee.adjacency};
  if (plan.passes == 1) return report;
  return privacy::Repeated{plan.passes, std::move(report)};
}

void list_settings(learn::SettingList& list, LocalPlan& plan) {
  list.sampling("local");
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = false});
  list.checked("mechanism", plan.mechanism, mechanism::local_mechanism_names);
  if (!list.reads() && mechanism::reports_direction(plan.mechanism)) {
    list.note("embedding", mechanism::embedding_names.of(plan.randomizer->spec().embedding));
  }
  const bool gaussian = plan.mechanism == mechanism::LocalMechanism::gaussian;
  list.checked(gaussian ? "noise_multiplier" : "report_epsilon", plan.report_noise, learn::above_0);
  list.checked("contributions", plan.passes, {.lowest = 1, .highest = 255});
  if (!list.reads()) list_reports(list, *plan.randomizer);
  list.checked("batch_size", plan.batch,
               {.lowest = 1, .highest = static_cast<double>(plan.public_row_count)});
  list.follows("rounds", plan.passes * plan.rounds_per_pass());
  if (plan.method == "banco") {
    list_banco(list, list.reads() ? BancoSettings{} : std::get<BancoSettings>(plan.learner));
  } else {
    list_sgd(list, list.reads() ? LocalSgdSettings{} : std::get<LocalSgdSettings>(plan.learner));
  }
  list.note("predicted_excess_loss", plan.predicted_excess, {.receipt = false});
  list.claim();
}

std::int64_t usual_batch(std::int64_t devices) {
  const auto max = static_cast<std::uint64_t>(std::max<std::int64_t>(1, devices / wanted_rounds));
  return static_cast<std::int64_t>(std::bit_floor(max));
}

LocalPlan plan_local(const data::Schema& schema, const LocalOptions& options) {
  learn::refuse_released_standards(schema);
  refuse_problem(schema, options);
  refuse_for_learner(options);
  if (options.paper()) refuse_for_paper(options);
  LocalPlan plan;
  learn::resolve_problem(plan, schema, options, reported_problems);
  plan.passes = options.passes;
  plan.keep = options.keep;
  if (options.paper()) plan.calibration = learn::Calibration::jun2019;
  plan.public_row_count = learn::resolve_row_count(schema, options);
  if (plan.public_row_count > max_devices) {
    throw base::UsageError("at most 2^32 devices take part in one run");
  }
  resolve_rounds(plan, options);
  resolve_randomizer(plan, schema, options);
  learn::resolve_class_weights(plan, schema, options.class_weights);
  if (options.method == "banco") {
    resolve_banco(plan, options);
  } else {
    resolve_sgd(plan, options);
  }
  if (options.paper()) plan.claim = plan.guarantee;
  write_settings(plan);
  return plan;
}

}  // namespace tacet::local
