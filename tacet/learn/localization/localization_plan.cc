#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/localization/localization_run.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/gradient_diameter.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/noise/block_laplace.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr double class_radius = 20;  // margins of classes, see learn/gradient/gradient_plan
constexpr double number_radius = 4;
constexpr double usual_growth = 2;
// Smallest width by which kinks are smoothed, if that changes a loss by half of the width. Solvers
// still converge in a few seconds, with one column and with several.
constexpr double min_line_width = 1e-6;
constexpr double min_width = 1e-4;
// of a phase's sensitivity; tolerance of the certified solver
constexpr double solver_share = 0.005;
// relative to the radius; smaller ones cannot be certified in doubles
constexpr double min_tolerance = 0x1p-45;
// of descent; beyond this the certified solver is faster
constexpr std::int64_t max_chain_steps = 12;

/// The chains, one line per method.
struct Chain {
  const Method& method;
  void (*resolve)(LocalizationPlan&, const LocalFacts&, const ChainOptions&);
};
const Chain& find_chain(std::string_view name);

/// Facts of the domain: its radius and the constants of the loss there.
LocalFacts resolve_facts(LocalizationPlan& plan, const data::Schema& schema,
                         const ChainOptions& options) {
  const auto facts = model::properties(plan.loss);
  const double usual = facts.classification ? class_radius : number_radius;
  plan.radius = options.radius.value_or(usual);
  if (!options.radius) {
    plan.reasons.add(
        "weights in the ball of radius {:g}, a public guess; give `radius` where you know better",
        plan.radius);
  }
  // The printed reasons describe the loss without clipping.
  const GradientRegion region{plan.columns, schema.norm_bound(), plan.radius, !options.paper()};
  const double lipschitz = lipschitz_constant(plan.loss, region);
  plan.slope_bound = lipschitz / schema.norm_bound();
  const double diameter = gradient_diameter(plan.loss, region, options.adjacency);
  plan.gradient_share = diameter / privacy::distance_factor(options.adjacency);
  return {.rows = plan.public_row_count,
          .columns = plan.columns,
          .lipschitz = lipschitz,
          .gradient_diameter = diameter,
          .diameter = plan.radius,  // the start is the middle
          .epsilon = options.epsilon,
          .delta = plan.guarantee.delta};
}

constexpr double no_ball = std::numeric_limits<double>::infinity();

void ladder_epochs(LocalizationPlan& plan, const LocalFacts& facts, const ChainOptions& options) {
  if (options.paper()) {
    throw base::UsageError("ladder is no algorithm of a paper; leave `calibration` out");
  }
  const LadderOptions ladder{.min_growth = options.growth.value_or(usual_growth),
                             .use = plan.use,
                             .phases = options.phases};
  plan.epochs = {{no_ball, ladder_schedule(facts, ladder)}};
}

void localized_epochs(LocalizationPlan& plan, const LocalFacts& facts,
                      const ChainOptions& options) {
  plan.use = RecordUse::disjoint;
  if (options.paper()) plan.calibration = Calibration::asi2021;
  plan.epochs = {
      {no_ball, options.paper() ? localized_paper_schedule(facts) : localized_schedule(facts)}};
}

void growth_epochs(LocalizationPlan& plan, const LocalFacts& facts, const ChainOptions& options) {
  const double growth = options.growth.value_or(usual_growth);
  if (options.paper()) plan.calibration = Calibration::asi2021;
  plan.use = options.paper() ? RecordUse::disjoint : RecordUse::reuse;
  plan.epochs =
      options.paper() ? growth_paper_schedule(facts, growth) : growth_schedule(facts, growth);
}

void phased_erm_epochs(LocalizationPlan& plan, const LocalFacts& facts,
                       const ChainOptions& options) {
  plan.use = RecordUse::disjoint;
  if (options.paper()) plan.calibration = Calibration::feldman2020;
  plan.epochs = {{no_ball, phased_erm_schedule(facts, plan.calibration)}};
}

constexpr Chain chains[]{{ladder_method, ladder_epochs},
                         {localized_method, localized_epochs},
                         {growth_method, growth_epochs},
                         {phased_erm_method, phased_erm_epochs}};

const Chain& find_chain(std::string_view name) {
  for (const auto& chain : chains) {
    if (chain.method.name == name) return chain;
  }
  throw base::InternalError("there is no chain of this name");
}

void resolve_epochs(LocalizationPlan& plan, const LocalFacts& facts, const ChainOptions& options) {
  find_chain(options.method).resolve(plan, facts, options);
  double reach = 0;
  std::int64_t count = 0;
  for (const auto& epoch : plan.epochs) {
    reach += travel(facts, epoch.phases);
    count += std::ssize(epoch.phases);
  }
  plan.phases = count;
  plan.solvers.resize(static_cast<std::size_t>(count));
  const auto& first = plan.epochs[0].phases[0];
  plan.reasons.add("{} phases, regularised by {:.4g} and more", count, first.mean_l2);
  if (std::holds_alternative<model::LogisticLoss>(plan.loss)) {
    plan.reasons.emplace_back(
        "for the logistic loss method objective had smaller errors on public data");
  }
  if (reach < 1) {
    plan.reasons.add(
        "the phases can move {:.2g} of the radius together: with {} records this schedule hardly "
        "leaves its start{}",
        reach, facts.rows, options.method == "ladder" ? "" : "; method ladder travels further");
  }
  const double level = facts.gradient_diameter * facts.noise_unit() /
                       static_cast<double>(facts.rows) / facts.lipschitz;
  if (level > 0.25) {
    plan.reasons.add(
        "the noise of one release is {:.2g} of the largest gradient: expect little more than the "
        "start",
        level);
  }
}

/// The parts of the budget that phases pay, in order.
std::vector<double> budgets_of(const LocalizationPlan& plan) {
  std::vector<double> budgets;
  for (const auto& epoch : plan.epochs) {
    for (const auto& phase : epoch.phases) budgets.push_back(phase.budget);
  }
  return budgets;
}

/// The event of one phase, or of all phases together if each reads its own records.
privacy::Event release_event(const LocalizationPlan& plan, double level) {
  const bool blocks = plan.use == RecordUse::disjoint;
  const auto adjacency = plan.guarantee.adjacency;
  if (plan.noise == LocalNoise::euclidean_laplace) {
    const privacy::Epsilon epsilon(level);
    return blocks ? mechanism::BlockL2Laplace::event(epsilon, adjacency)
                  : mechanism::l2_laplace_event(epsilon, adjacency);
  }
  const privacy::NoiseMultiplier multiplier(level);
  if (plan.noise == LocalNoise::gaussian) {
    return blocks ? mechanism::BlockGaussian::event(multiplier) : privacy::Gaussian{level};
  }
  return blocks ? mechanism::BlockLaplace::event(multiplier) : privacy::Laplace{level};
}

bool is_one_level(const LocalizationPlan& plan) {
  return std::ranges::all_of(plan.noise_levels,
                             [&](double level) { return level == plan.noise_levels[0]; });
}

/// Calibrates the noise at `delta`, which is what the cipher leaves.
void resolve_noise(LocalizationPlan& plan, const ChainOptions& options, privacy::Delta delta) {
  const privacy::Epsilon epsilon(options.epsilon);
  const bool pure = delta.value() == 0;
  plan.noise = pure ? LocalNoise::euclidean_laplace : LocalNoise::gaussian;
  const auto max = pure ? resolve_pure_epsilon(options) : epsilon;
  const double whole = pure ? max.value() : full_batch_noise(1, epsilon, delta, options.adjacency);
  if (plan.use == RecordUse::disjoint) {
    plan.noise_levels.assign(plan.solvers.size(), whole);
    plan.events = releases(plan);
    return;
  }
  plan.noise_levels.clear();
  for (const double budget : budgets_of(plan)) {
    plan.noise_levels.push_back(pure ? whole * budget : whole / std::sqrt(budget));
  }
  // The parts are rounded, so their sum may exceed the budget by a few units in the last place.
  const double step = (pure ? -1 : 1) * 0x1p-50;
  plan.events = releases(plan);
  while (accounting::epsilon(plan.events, options.adjacency, delta) > max.value()) {
    for (double& level : plan.noise_levels) level *= 1 + step;
    plan.events = releases(plan);
  }
}

/// Takes the paper's noise if it is proved to be enough. For usual budgets it is, by far.
void resolve_paper_noise(LocalizationPlan& plan, const ChainOptions& options,
                         privacy::Delta delta) {
  const auto& phase = plan.epochs[0].phases[0];
  const double share = plan.gradient_share / (phase.mean_l2 * static_cast<double>(phase.records()));
  const bool pure = delta.value() == 0;
  const auto d = static_cast<double>(plan.columns);
  // In every phase the noise is the same multiple of the phase's sensitivity.
  const double multiplier = phase.noise / (pure ? share * std::sqrt(d) : share);
  plan.noise = pure ? LocalNoise::coordinate_laplace : LocalNoise::gaussian;
  plan.noise_levels.assign(plan.solvers.size(), multiplier);
  plan.events = releases(plan);
  const double proved = accounting::epsilon(plan.events, options.adjacency, delta);
  if (proved > (pure ? resolve_pure_epsilon(options).value() : options.epsilon)) {
    plan.reasons.add(
        "the paper's noise is claimed to give epsilon {:g}; what is proved is {:.4g}, so the "
        "proved noise is used",
        options.epsilon, proved);
    resolve_noise(plan, options, delta);
    return;
  }
  plan.reasons.add("the paper's noise; it claims epsilon {:g}, proved is {:.4g}", options.epsilon,
                   proved);
}

/// Expected norm of the noise of a phase with this level.
double noise_norm(const LocalizationPlan& plan, const LocalPhase& phase, double level) {
  const auto d = static_cast<double>(plan.columns);
  const double share = plan.gradient_share / (phase.mean_l2 * static_cast<double>(phase.records()));
  switch (plan.noise) {
    case LocalNoise::gaussian:
      return std::sqrt(d) * level * share;
    case LocalNoise::euclidean_laplace:
      return d * privacy::distance_factor(plan.guarantee.adjacency) * share / level;
    case LocalNoise::coordinate_laplace:
      return std::sqrt(2 * d) * level * share * std::sqrt(d);
  }
  throw base::InternalError("unknown kind of noise");
}

/// Checked before anything is booked: the samplers refuse wider noise.
void refuse_wide_noise(const LocalizationPlan& plan) {
  const double factor = privacy::distance_factor(plan.guarantee.adjacency);
  const double d = std::sqrt(static_cast<double>(plan.columns)) + 1;
  const auto [min, largest] = std::ranges::minmax(plan.noise_levels);
  switch (plan.noise) {
    case LocalNoise::gaussian:
      return check_share_noise(ShareNoise::gaussian, largest, plan.columns);
    case LocalNoise::euclidean_laplace:
      return check_share_noise(ShareNoise::laplace, factor / min, plan.columns);
    case LocalNoise::coordinate_laplace:
      return check_share_noise(ShareNoise::laplace, largest * d, plan.columns);
  }
}

void resolve_solvers(LocalizationPlan& plan, double norm_bound) {
  std::size_t at = 0;
  for (const auto& epoch : plan.epochs) {
    for (const auto& phase : epoch.phases) {
      auto& solver = plan.solvers[at];
      const double noise = noise_norm(plan, phase, plan.noise_levels[at]);
      ++at;
      if (model::can_be_smoothed(plan.loss)) {
        // Smoothing a kink adds at most half its width to a loss: a twentieth of the cost of the
        // noise.
        const double min = plan.columns == 1 ? min_line_width : min_width;
        solver.smoothing_width = std::clamp(0.1 * norm_bound * noise, min, 1.0);
      }
      const double beta = local_loss(plan, solver).curvature_bound() * norm_bound * norm_bound;
      const double kappa = 1 + beta / phase.mean_l2;
      const double start = std::min(2 * plan.radius, plan.slope_bound * norm_bound / phase.mean_l2);
      // Each step leaves (kappa - 1) / (kappa + 1) of the distance; stop at a twentieth of the
      // noise.
      const double wanted = std::ceil(std::log(std::max(std::exp(1.0), 20 * start / noise)) /
                                      std::log((kappa + 1) / (kappa - 1)));
      if (wanted <= static_cast<double>(max_chain_steps)) {
        solver.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
        continue;
      }
      solver.tolerance = std::max(solver_share * plan.gradient_share /
                                      (phase.mean_l2 * static_cast<double>(phase.records())),
                                  min_tolerance * plan.radius);
      check_local_work(plan, phase, solver, norm_bound);
    }
  }
}

constexpr auto noise_names =
    base::names<LocalNoise>({{LocalNoise::gaussian, "gaussian"},
                             {LocalNoise::euclidean_laplace, "euclidean laplace"},
                             {LocalNoise::coordinate_laplace, "coordinate laplace"}});
constexpr auto use_names =
    base::names<RecordUse>({{RecordUse::reuse, "reuse"}, {RecordUse::disjoint, "disjoint"}});

/// The noise of the phases: one level, or the first and the last one for people, and all of them to
/// read the receipt back.
void list_levels(SettingList& list, LocalizationPlan& plan) {
  constexpr Shown hidden{.table = false, .json = false};
  constexpr auto levels_name = "noise_levels";
  const bool euclidean = plan.noise == LocalNoise::euclidean_laplace;
  const std::string name = euclidean ? "phase_epsilon" : "noise_multiplier";
  auto& levels = plan.noise_levels;
  const bool several =
      plan.use == RecordUse::reuse && list.has(levels_name, !list.reads() && !is_one_level(plan));
  if (several) {
    if (list.reads()) list.checked(levels_name, levels, above_0);
    if (levels.size() < 2) {
      throw base::DataError("{} has a single level, which is written as {}", levels_name, name);
    }
    const bool ends_alike = levels.front() == levels.back();
    list.follows(ends_alike ? name : "first_" + name, levels.front());
    if (!ends_alike) list.follows("last_" + name, levels.back());
  } else {
    if (list.reads()) levels = {0};
    list.checked(name, levels.front(), above_0);
  }
  if (euclidean) {
    // The scale of the noise in units of one record's sensitivity. An epsilon alone would not say
    // for which neighbours it was drawn.
    std::vector<double> scales(several ? levels : std::vector<double>{levels.front()});
    for (double& one : scales) one = privacy::distance_factor(plan.guarantee.adjacency) / one;
    list.computed("noise_scales", scales, 17, hidden);
  }
  if (several) list.checked(levels_name, levels, above_0, hidden);
}

}  // namespace

privacy::Event releases(const LocalizationPlan& plan) {
  const auto& levels = plan.noise_levels;
  if (plan.use == RecordUse::disjoint) return release_event(plan, levels.front());
  if (is_one_level(plan)) {
    return privacy::Repeated{plan.phases, release_event(plan, levels.front())};
  }
  std::vector<privacy::Event> events;
  for (const double level : levels) events.push_back(release_event(plan, level));
  return privacy::Composed{std::move(events)};
}

void list_settings(SettingList& list, LocalizationPlan& plan) {
  list.sampling("full_batch");
  list.problem();
  list.of_model("radius", plan.radius, above_0);
  list.checked("record_use", plan.use, use_names);
  const auto epochs = std::ssize(plan.epochs);
  list.note("epochs", epochs, {.table = epochs > 1});
  // On disjoint blocks a record is in one phase, of however many.
  list.read_as(plan.use == RecordUse::reuse ? Looking::confirms : Looking::assumes, "phases",
               plan.phases, at_least_1);
  if (!list.reads()) {
    list.note("first_l2", plan.epochs.front().phases.front().mean_l2);
    list.note("last_l2", plan.epochs.back().phases.back().mean_l2);
  }
  list.mark("gradient_share", plan.gradient_share, {.table = false});
  list.checked("noise", plan.noise, noise_names);
  list_levels(list, plan);
  list.follows("schedule", plan.method, {.table = false, .json = false});
  list.claim();
}

LocalizationPlan plan_localization(const data::Schema& schema, const ChainOptions& options,
                                   const PlanContext& context) {
  LocalizationPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, {.targets = one_output});
  resolve_class_weights(plan, schema, options.class_weights);
  plan.use = options.reuse ? RecordUse::reuse : RecordUse::disjoint;
  plan.public_row_count = resolve_row_count(schema, options);
  const double delta = resolve_delta_or_pure(options, plan.public_row_count, plan.reasons);
  plan.guarantee = {options.epsilon, delta, options.adjacency};
  const auto facts = resolve_facts(plan, schema, options);
  resolve_epochs(plan, facts, options);
  plan.prg_slack = delta == 0 ? random::prg_slack_of(plan.phases, random::max_block_words)
                              : random::prg_slack_of(plan.phases, plan.columns);
  const auto left = resolve_delta_left(plan, options, delta, plan.prg_slack);
  if (plan.calibration != Calibration::tight) {
    resolve_paper_noise(plan, options, left);
  } else {
    resolve_noise(plan, options, left);
  }
  resolve_guarantee(plan, options, delta);
  if (plan.calibration != Calibration::tight) {
    plan.claim = privacy::Guarantee{options.epsilon, plan.guarantee.delta, options.adjacency};
  }
  refuse_wide_noise(plan);
  resolve_solvers(plan, schema.norm_bound());
  write_settings(plan);
  return plan;
}

}  // namespace tacet::learn
