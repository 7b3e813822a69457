#include "tacet/learn/chain/localization.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/chain/localization_run.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/block_laplace.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/mechanism/noise/partial_gaussian.h"

namespace tacet::learn {
namespace {

std::string name_of(LocalNoise noise) {
  switch (noise) {
    case LocalNoise::gaussian:
      return "gaussian";
    case LocalNoise::euclidean_laplace:
      return "euclidean laplace";
    case LocalNoise::coordinate_laplace:
      return "coordinate laplace";
  }
  throw base::InternalError("unknown kind of noise");
}

std::vector<Setting> settings_of(const LocalizationPlan& plan) {
  const auto& first = plan.epochs.front().phases.front();
  const auto& last = plan.epochs.back().phases.back();
  auto settings = loss_settings(plan.loss);
  settings.push_back({"columns", plan.columns});
  settings.push_back({"public_row_count", plan.public_row_count});
  settings.push_back({"radius", plan.radius});
  settings.push_back(
      {"record_use", std::string(plan.use == RecordUse::reuse ? "reuse" : "disjoint")});
  settings.push_back({"epochs", std::ssize(plan.epochs), plan.epochs.size() > 1});
  settings.push_back({"phases", plan.phase_count()});
  settings.push_back({"first_l2", first.l2});
  settings.push_back({"last_l2", last.l2});
  settings.push_back({"gradient_share", plan.gradient_share, false});
  settings.push_back({"noise", name_of(plan.noise)});
  const std::string level =
      plan.noise == LocalNoise::euclidean_laplace ? "phase_epsilon" : "noise_multiplier";
  const double first_level = plan.noise_levels.front();
  const double last_level = plan.noise_levels.back();
  if (first_level == last_level) {
    settings.push_back({level, first_level});
  } else {
    settings.push_back({"first_" + level, first_level});
    settings.push_back({"last_" + level, last_level});
  }
  return settings;
}

/// The doors of a run. Blocks go through doors of their own, which pay once.
class Doors {
 public:
  Doors(const LocalizationPlan& plan, const TrainingMeans& means)
      : plan_(plan),
        means_(means),
        gaussian_(privacy::NoiseMultiplier(plan.noise_levels[0]), means.reservation),
        laplace_(privacy::NoiseMultiplier(plan.noise_levels[0]), means.reservation),
        euclidean_(privacy::Epsilon(plan.noise_levels[0]), plan.guarantee.adjacency,
                   means.reservation) {}

  [[nodiscard]] std::vector<double> release(privacy::PartialSum sum, std::uint64_t phase) {
    const mechanism::NoiseAddress address{.step = phase};
    switch (plan_.noise) {
      case LocalNoise::gaussian:
        return gaussian_.release(std::move(sum), address, means_.source).value();
      case LocalNoise::euclidean_laplace:
        return euclidean_.release(std::move(sum), address, means_.source).value();
      case LocalNoise::coordinate_laplace:
        return laplace_.release(std::move(sum), address, means_.source).value();
    }
    throw base::InternalError("unknown kind of noise");
  }

  [[nodiscard]] std::vector<double> release(privacy::BoundedSum sum, std::uint64_t phase) {
    const mechanism::NoiseAddress address{.step = phase};
    const double level = plan_.noise_levels[phase];
    if (plan_.noise == LocalNoise::gaussian) {
      return mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(level), address,
                                         means_.source, means_.reservation)
          .value();
    }
    return mechanism::release_l2_laplace(std::move(sum), privacy::Epsilon(level),
                                         plan_.guarantee.adjacency, address, means_.source,
                                         means_.reservation)
        .value();
  }

 private:
  const LocalizationPlan& plan_;
  const TrainingMeans& means_;
  mechanism::BlockGaussian gaussian_;
  mechanism::BlockLaplace laplace_;
  mechanism::BlockL2Laplace euclidean_;
};

/// The epoch's ball where it lies inside the whole one. Elsewhere the whole one: the projection on
/// two balls that nearly touch magnifies rounding, and the regulariser keeps phases close anyway.
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
  return steep ? optimize::GlmLoss(plan.loss, solver.smoothing_width, plan.slope_bound)
               : optimize::GlmLoss(plan.loss, solver.smoothing_width);
}

optimize::LocalProblem local_problem(const LocalizationPlan& plan, const LocalPhase& phase,
                                     const PhaseSolver& solver, optimize::Domain domain,
                                     std::vector<double> centre) {
  return {.loss = local_loss(plan, solver),
          .rows = {phase.first, phase.last},
          .sum_l2 = phase.l2 * static_cast<double>(phase.records()),
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
                                 .sum_l2 = phase.l2 * static_cast<double>(phase.records()),
                                 .distance = 2 * plan.radius,
                                 .tolerance = solver.tolerance});
}

TrainedModel train_localization(const data::Dataset& dataset, const data::Schema& schema,
                                const LocalizationPlan& plan, const TrainingMeans& means) {
  check_row_count(dataset, plan.public_row_count, means);
  if (means.reducer.size() > 1) {
    throw base::UsageError("localised methods need all records in one process; use gradient");
  }
  Doors doors(plan, means);
  std::vector<double> weights(static_cast<std::size_t>(plan.columns), 0.0);
  std::int64_t at = 0;
  for (const auto& epoch : plan.epochs) {
    const auto domain = domain_of(plan, epoch, weights);
    for (const auto& phase : epoch.phases) {
      means.supervision.step("training", at, plan.phase_count());
      const auto problem =
          local_problem(plan, phase, plan.solvers[static_cast<std::size_t>(at)], domain, weights);
      const base::Supervision quiet{.progress = nullptr, .cancel = means.supervision.cancel};
      const auto place = static_cast<std::uint64_t>(at);
      weights = plan.use == RecordUse::reuse
                    ? doors.release(optimize::local_minimum(dataset, problem, means.threads, quiet),
                                    place)
                    : doors.release(optimize::local_block_minimum(dataset, problem, {.block = at},
                                                                  means.threads, quiet),
                                    place);
      // Costs nothing, and keeps the next start where everything is proved.
      optimize::project(domain, weights);
      ++at;
    }
  }
  means.supervision.step("training", at, plan.phase_count());

  TrainedModel trained{model::empty_model(schema, plan.loss),
                       blank_receipt(plan.method, schema, plan.guarantee)};
  trained.model.coefficients = weights;
  if (plan.paper) trained.receipt.calibration = "paper";
  nlohmann::json parameters;
  for (const auto& setting : settings_of(plan)) {
    std::visit([&](const auto& value) { parameters[setting.name] = value; }, setting.value);
  }
  trained.receipt.parameters = parameters.dump();
  trained.receipt.public_row_count = plan.public_row_count;
  complete_receipt(trained.receipt, means, plan.cipher_delta);
  return trained;
}

Training localization_training(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return gradient_training(schema, options);
  auto plan = plan_localization(schema, options);
  Training training{.method = plan.method,
                    .guarantee = plan.guarantee,
                    .events = plan.events,
                    .cipher_delta = plan.cipher_delta,
                    .settings = settings_of(plan),
                    .reasons = plan.reasons,
                    .run = {}};
  training.run = [plan = std::move(plan)](const data::Dataset& dataset, const data::Schema& names,
                                          const TrainingMeans& means) {
    return train_localization(dataset, names, plan, means);
  };
  return training;
}

}  // namespace tacet::learn
