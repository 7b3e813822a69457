#include "tacet/learn/gradient/gradient_noise.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/memo_cache.h"
#include "tacet/base/error.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using accounting::CalibrationTarget;

bool is_secret_sample(BatchSampling sampling) {
  return sampling == BatchSampling::poisson || sampling == BatchSampling::fixed_size;
}

/// The event of `steps` steps at this noise multiplier.
privacy::Event batch_events(const Batches& batches, std::int64_t steps, double noise_multiplier) {
  const privacy::Gaussian noise{noise_multiplier};
  switch (batches.sampling) {
    case BatchSampling::full:
      return privacy::Repeated{steps, noise};
    case BatchSampling::poisson:
      return accounting::to_event(
          {privacy::SamplingRate(batches.rate), steps, batches.max_records_per_unit},
          privacy::NoiseMultiplier(noise_multiplier));
    case BatchSampling::fixed_size:
      return privacy::Repeated{steps,
                               privacy::FixedSizeSampled{batches.batch, batches.row_count, noise}};
    case BatchSampling::partition:
      return privacy::Repeated{
          batches.passes(steps),
          mechanism::BlockGaussian::event(privacy::NoiseMultiplier(noise_multiplier))};
  }
  throw base::InternalError("unknown way of sampling");
}

/// Noise multipliers of all releases; 0: there is no such release.
struct Noises {
  double steps;
  double first = 0;  ///< of means and squares of numbers, or of the feature selection
  double whitening = 0;
};

privacy::Event gradient_events(const Batches& batches, std::int64_t steps, const Noises& noise) {
  auto steps_alone = batch_events(batches, steps, noise.steps);
  if (noise.first == 0) return steps_alone;
  if (noise.whitening == 0) {
    return privacy::Composed{{privacy::Gaussian{noise.first}, std::move(steps_alone)}};
  }
  return privacy::Composed{
      {privacy::Gaussian{noise.first}, privacy::Gaussian{noise.whitening}, std::move(steps_alone)}};
}

// The accountant decides; its epsilon falls as the noise grows. Candidates of a grid often differ
// only in settings without a cost, so the answers are remembered.
double sampled_noise(const Batches& batches, std::int64_t steps, const CalibrationTarget& target) {
  thread_local accounting::MemoCache<9> cache;
  const auto number = [](auto value) { return static_cast<double>(value); };
  return cache(
      {number(batches.sampling), batches.rate, number(steps), number(batches.max_records_per_unit),
       number(batches.batch), number(batches.row_count), target.epsilon.value(),
       target.delta.value(), number(target.adjacency)},
      [&] {
        return accounting::min_noise([&](double z) { return batch_events(batches, steps, z); },
                                     target);
      });
}

/// One word per released number, and one per record for a secret sample.
double batch_prg_slack(const Batches& batches, std::int64_t steps, std::int64_t released) {
  const double noise = random::prg_slack_of(steps, released);
  constexpr std::int64_t max_records = std::int64_t{1} << 32;
  return is_secret_sample(batches.sampling) ? noise + random::prg_slack_of(steps, max_records)
                                            : noise;
}

/// The noise of each release that has a share of mu^2. Steps on all records with the whole mu^2
/// would have the noise `whole`. It is raised by rounding errors until the accountant agrees.
Noises shared_noise(const FirstShares& shares, double whole, std::int64_t steps,
                    const CalibrationTarget& target) {
  const double one = full_batch_noise(1, target.epsilon, target.delta, target.adjacency);
  Noises noise{.steps = whole / std::sqrt(1 - shares.first() - shares.whitening),
               .first = one / std::sqrt(shares.first()),
               .whitening = shares.whitening > 0 ? one / std::sqrt(shares.whitening) : 0};
  const auto cost = [&] {
    return accounting::epsilon(gradient_events({}, steps, noise), target.adjacency, target.delta);
  };
  constexpr double up = 1 + 4 * std::numeric_limits<double>::epsilon();
  while (cost() > target.epsilon.value()) {
    noise.steps *= up;
    noise.first *= up;
    noise.whitening *= up;
  }
  if (shares.feature_selection > 0) check_kept_noise(noise.first);
  return noise;
}

/// Noise, releases and guarantee: with the given noise, or else with the smallest that suffices
/// beside the PRG slack.
void resolve_noise(GradientPlan& plan, const CommonOptions& options, double delta,
                   const FirstShares& shares, std::optional<double> given) {
  plan.prg_slack =
      batch_prg_slack(plan, plan.steps, plan.columns * plan.outputs) + shares.prg_slack;
  const CalibrationTarget target{privacy::Epsilon(options.epsilon),
                                 resolve_delta_left(plan, options, delta, plan.prg_slack),
                                 options.adjacency};
  Noises noise{given ? *given : batch_noise(plan, plan.steps, target)};
  if (shares.first() > 0) noise = shared_noise(shares, noise.steps, plan.steps, target);
  plan.noise_multiplier = noise.steps;
  plan.norm_bits = norm_bits_for(noise.steps);
  (shares.standardise > 0 ? plan.standardise_noise : plan.feature_selection_noise) = noise.first;
  plan.whitening_noise = noise.whitening;
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta);
}

std::string noise_reason(const GradientPlan& plan) {
  if (plan.sampling == BatchSampling::partition) {
    return fmt::format(
        "noise multiplier {:.6g}: exact Gaussian composition of {} passes, a record being in one "
        "batch of each",
        plan.noise_multiplier, plan.passes(plan.steps));
  }
  return fmt::format("noise multiplier {:.6g}: {} composition of {} steps{}", plan.noise_multiplier,
                     plan.rate < 1 ? "certified" : "exact Gaussian", plan.steps,
                     plan.rate < 1 ? " on samples" : "");
}

}  // namespace

double batch_noise(const Batches& batches, std::int64_t steps, const CalibrationTarget& target) {
  if (is_secret_sample(batches.sampling)) return sampled_noise(batches, steps, target);
  // A record is in one batch per pass of a partition.
  const auto uses = batches.sampling == BatchSampling::partition ? batches.passes(steps) : steps;
  return full_batch_noise(uses, target.epsilon, target.delta, target.adjacency);
}

BudgetNoise noise_of_budget(const Batches& batches, std::int64_t steps,
                            const CalibrationTarget& target) {
  const double one = batch_noise({}, 1, target);
  if (batches.sampling == BatchSampling::full) return {.one_release = one};
  // A smaller sample needs less noise per step, but more in relation to its size.
  const double of_steps = batch_noise(batches, steps, target) / batches.rate;
  return {.one_release = one, .on_samples = of_steps / std::sqrt(static_cast<double>(steps)) / one};
}

privacy::Event releases(const GradientPlan& plan) {
  return gradient_events(plan, plan.steps,
                         {.steps = plan.noise_multiplier,
                          .first = plan.first_noise(),
                          .whitening = plan.whitening_noise});
}

void calibrate_gradient(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                        const FirstShares& shares) {
  resolve_noise(plan, options, delta.value(), shares, {});
  plan.reasons.push_back(noise_reason(plan));
}

void calibrate_paper(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                     double noise_multiplier) {
  resolve_noise(plan, options, delta.value(), {}, noise_multiplier);
  if (plan.guarantee.epsilon <= options.epsilon) return;
  plan.reasons.emplace_back(
      "the paper's noise is not enough for what it claims; the proved noise stands in its place");
  resolve_noise(plan, options, delta.value(), {}, {});
}

}  // namespace tacet::learn
