#include "tacet/learn/localization/localization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/learn/localization/localization_run.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/gradient_diameter.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/mechanism/noise/block_laplace.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/model/model_file.h"

namespace tacet::learn {
namespace {

/// Makes the releases of a run's phases. Parts of a sum, from disjoint blocks, are debited once for
/// all phases; sums over all records are debited in each.
class Releasers {
 public:
  Releasers(const LocalizationPlan& plan, const TrainingContext& context)
      : plan_(plan),
        context_(context),
        gaussian_(privacy::NoiseMultiplier(plan.noise_levels[0]), context.reservation),
        laplace_(privacy::NoiseMultiplier(plan.noise_levels[0]), context.reservation),
        euclidean_(privacy::Epsilon(plan.noise_levels[0]), plan.guarantee.adjacency,
                   context.reservation) {}

  [[nodiscard]] std::vector<double> release(privacy::PartialSum sum, std::uint64_t phase) {
    const mechanism::NoiseAddress address{.step = phase};
    switch (plan_.noise) {
      case LocalNoise::gaussian:
        return gaussian_.release(std::move(sum), address, context_.source).value();
      case LocalNoise::euclidean_laplace:
        return euclidean_.release(std::move(sum), address, context_.source).value();
      case LocalNoise::coordinate_laplace:
        return laplace_.release(std::move(sum), address, context_.source).value();
    }
    throw base::InternalError("unknown kind of noise");
  }

  [[nodiscard]] std::vector<double> release(privacy::BoundedSum sum, std::uint64_t phase) {
    const mechanism::NoiseAddress address{.step = phase};
    const double level = plan_.noise_levels[phase];
    if (plan_.noise == LocalNoise::gaussian) {
      return mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(level),
                                         {address, context_.source, context_.reservation})
          .value();
    }
    return mechanism::release_l2_laplace(std::move(sum), privacy::Epsilon(level),
                                         plan_.guarantee.adjacency,
                                         {address, context_.source, context_.reservation})
        .value();
  }

 private:
  const LocalizationPlan& plan_;
  const TrainingContext& context_;
  mechanism::BlockGaussian gaussian_;
  mechanism::BlockLaplace laplace_;
  mechanism::BlockL2Laplace euclidean_;
};

/// The epoch's ball if it lies inside the whole one; else the whole one. A projection on two balls
/// that almost touch magnifies rounding errors, and the regulariser keeps phases close anyway.
optimize::Domain domain_of(const LocalizationPlan& plan, const Epoch& epoch,
                           const std::vector<double>& centre) {
  double square = 0;
  for (const double w : centre) square += w * w;
  if (epoch.radius <= plan.radius - std::sqrt(square)) return optimize::Ball{epoch.radius, centre};
  return optimize::Ball{plan.radius};
}

}  // namespace

optimize::GlmLoss local_loss(const LocalizationPlan& plan, const PhaseSolver& solver) {
  const bool steep = std::isinf(model::properties(plan.loss).slope_bound);
  const double clip = steep ? plan.slope_bound : std::numeric_limits<double>::infinity();
  return optimize::GlmLoss(plan.loss, solver.smoothing_width, clip, plan.class_weights);
}

optimize::LocalProblem local_problem(const LocalizationPlan& plan, const LocalPhase& phase,
                                     const PhaseSolver& solver, optimize::Domain domain,
                                     std::vector<double> centre) {
  return {.loss = local_loss(plan, solver),
          .rows = {phase.first, phase.last},
          .sum_l2 = phase.mean_l2 * static_cast<double>(phase.records()),
          .centre = std::move(centre),
          .domain = std::move(domain),
          .gradient_share = plan.gradient_share,
          .steps = solver.steps,
          .tolerance = solver.tolerance};
}

void check_local_work(const LocalizationPlan& plan, const LocalPhase& phase,
                      const PhaseSolver& solver, double norm_bound) {
  optimize::check_fallback_work({.rows = phase.records(),
                                 .norm_bound = norm_bound,
                                 .curvature = local_loss(plan, solver).curvature_bound(),
                                 .sum_l2 = phase.mean_l2 * static_cast<double>(phase.records()),
                                 .distance = 2 * plan.radius,
                                 .tolerance = solver.tolerance});
}

TrainedModel train_localization(const data::Dataset& dataset, const data::Schema& schema,
                                const LocalizationPlan& plan, const TrainingContext& context) {
  check_row_count(dataset, plan.public_row_count, context);
  Releasers releasers(plan, context);
  std::vector<double> weights(static_cast<std::size_t>(plan.columns), 0.0);
  std::int64_t at = 0;
  for (const auto& epoch : plan.epochs) {
    const auto domain = domain_of(plan, epoch, weights);
    for (const auto& phase : epoch.phases) {
      context.supervision.step("training", at, plan.phases);
      const auto problem =
          local_problem(plan, phase, plan.solvers[static_cast<std::size_t>(at)], domain, weights);
      const base::Supervision quiet{.progress = nullptr, .cancel = context.supervision.cancel};
      const auto place = static_cast<std::uint64_t>(at);
      weights =
          plan.use == RecordUse::reuse
              ? releasers.release(optimize::local_minimum(dataset, problem, context.threads, quiet),
                                  place)
              : releasers.release(optimize::local_block_minimum(dataset, problem, {.block = at},
                                                                context.threads, quiet),
                                  place);
      // A projection costs nothing, and keeps the next start inside the domain of the proofs.
      optimize::project(domain, weights);
      ++at;
    }
  }
  context.supervision.step("training", at, plan.phases);
  return finish(plan, schema, context, {weights});
}

namespace {

privacy::Event recorded_chain(const privacy::Receipt& receipt, RecordedParameters& parameters,
                              const privacy::Event& /*own*/) {
  const auto plan = read_plan<LocalizationPlan>(receipt, parameters);
  if (plan.noise_levels.size() > 1 && std::ssize(plan.noise_levels) != plan.phases) {
    throw base::DataError("there are {} phases, but noise of {}", plan.phases,
                          plan.noise_levels.size());
  }
  return releases(plan);
}

/// Computes the bound of one record's share of the gradient again, for the stated neighbours. The
/// noise is a multiple of it.
void check_chain_file(const privacy::Receipt& receipt, const model::ModelFile& file,
                      RecordedParameters& parameters) {
  // Losses of bounded slope have one share in every ball.
  const double radius = parameters.real("radius", Looking::assumes);
  if (!(radius > 0 && std::isfinite(radius))) throw base::DataError("the radius is not above 0");
  const auto adjacency = receipt.guarantee.adjacency;
  const GradientRegion region{file.schema.encoded_column_count(), file.schema.norm_bound(), radius,
                              receipt.calibration == to_string(Calibration::tight)};
  const double share =
      gradient_diameter(file.model.loss, region, adjacency) / privacy::distance_factor(adjacency);
  if (nearly_equal(parameters.real("gradient_share"), share)) return;
  throw base::DataError("a record moves the gradient by {:.6g}, the receipt says {:.6g}", share,
                        parameters.real("gradient_share"));
}

constexpr auto planned_chain = planned_by<chain_options, plan_localization, train_localization>;
constexpr auto usual_neighbours = privacy::Adjacency::replace_one;
constexpr auto ladder_reads = bound_names<ball_bindings, class_weight_bindings, growth_bindings,
                                          ladder_bindings, feature_selection_bindings>;
constexpr auto growth_reads = bound_names<ball_bindings, class_weight_bindings, growth_bindings,
                                          calibration_bindings, feature_selection_bindings>;
constexpr auto block_reads = bound_names<ball_bindings, class_weight_bindings, calibration_bindings,
                                         feature_selection_bindings>;
constexpr std::array asi_paper{Paper{Calibration::asi2021}};
constexpr std::array feldman_paper{Paper{Calibration::feldman2020}};
constexpr Proved proved_chain{
    privacy::public_count, privacy::public_count, UnitProtection::refused,
    "it minimises means over a public number of records, which add_remove does not fix; use "
    "replace_one or zero_out, or the methods gradient and objective"};

/// The common parts of the chains' Methods.
constexpr Method chain(std::string_view name, std::string_view help,
                       std::span<const std::string_view> options,
                       std::span<const Paper> papers = {}) {
  return {.name = name,
          .help = help,
          .usual_adjacency = usual_neighbours,
          .proved = proved_chain,
          .problems = {.targets = one_output},
          .sampling = full_batch,
          .options = options,
          .plan = planned_chain,
          .recorded_events = recorded_chain,
          .papers = papers,
          .check_file = check_chain_file};
}

}  // namespace

constinit const Method ladder_method =
    chain("ladder", "a chain of ever closer problems on all records: pure, kinks, sharp minima",
          ladder_reads);
constinit const Method localized_method =
    chain("localized", "algorithm 1 of Asi, Levy, Duchi 2021, on disjoint blocks", block_reads,
          asi_paper);
constinit const Method growth_method =
    chain("growth", "algorithm 2 of Asi, Levy, Duchi 2021, epochs on shrinking balls", growth_reads,
          asi_paper);
constinit const Method phased_erm_method =
    chain("phased-erm", "minimisers of blocks that halve (Feldman, Koren, Talwar 2020)",
          block_reads, feldman_paper);

}  // namespace tacet::learn
