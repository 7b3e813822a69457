#include "tacet/apps/plan_search.h"

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::apps {
namespace {

using Target = accounting::CalibrationTarget;

bool keeps(const ReleasePlan& plan, const Target& target) {
  return accounting::epsilon_interval(plan.event(), target.adjacency, target.delta,
                                      {.work = target.work})
             .upper <= target.epsilon.value();
}

bool is_gaussian(const ReleasePlan& plan) {
  return plan.mechanism == "gaussian" && !plan.sample_size;
}

privacy::SamplingRate rate_of(const ReleasePlan& plan) {
  return privacy::SamplingRate(plan.sampling_rate.value_or(1));
}

[[noreturn]] void refuse(const Target& target, const std::string& what) {
  throw base::GuaranteeError("no {} gives epsilon {} at delta {}{}", what, target.epsilon.value(),
                             target.delta.value(),
                             target.delta.value() == 0 ? "; allow a delta above 0" : "");
}

/// The least noise of a mechanism whose cost falls with it.
double min_noise(const ReleasePlan& plan, const Target& target) {
  const auto event = [&](double noise) {
    auto candidate = plan;
    candidate.noise = noise;
    return candidate.event();
  };
  return accounting::min_noise(event, target);
}

double gaussian_noise(const ReleasePlan& plan, const Target& target) {
  if (rate_of(plan).value() != 1) {
    return accounting::calibrate_noise({rate_of(plan), plan.steps}, target).value();
  }
  // T uses at mu cost one at mu sqrt(T): the composed query has sensitivity factor * sqrt(T).
  const double distance =
      accounting::gaussian::compose(privacy::distance_factor(target.adjacency), plan.steps);
  const double sigma = accounting::gaussian::sigma_for(distance, target.epsilon, target.delta);
  if (!std::isfinite(sigma)) refuse(target, "Gaussian noise");
  return sigma;
}

void find_noise(ReleasePlan& plan, const Target& target) {
  plan.noise = is_gaussian(plan) ? gaussian_noise(plan, target) : min_noise(plan, target);
  // The accountant's margins may exceed those of the calibration by some units of the last place.
  for (double nudge = 1e-13; !keeps(plan, target); nudge *= 4) {
    if (nudge > 1e-2) throw base::NumericError("the noise found does not keep its epsilon");
    plan.noise *= 1 + nudge;
  }
}

/// The most steps of a mechanism whose cost grows with them.
std::int64_t max_steps(ReleasePlan plan, const Target& target) {
  const auto event = [&](std::int64_t steps) {
    plan.steps = steps;
    return plan.event();
  };
  return accounting::max_steps(event, target);
}

void find_steps(ReleasePlan& plan, const Target& target) {
  plan.steps = max_steps(plan, target);
  if (plan.steps == 0) refuse(target, "number of steps, not even one,");
}

void find_rate(ReleasePlan& plan, const Target& target) {
  const auto rate =
      accounting::calibrate_rate(plan.steps, privacy::NoiseMultiplier(plan.noise), target);
  if (rate.value() == 0) refuse(target, "sampling rate above 1e-9");
  plan.sampling_rate = rate.value();
}

}  // namespace

ReleasePlan solved(ReleasePlan plan, Unknown unknown, const accounting::CalibrationTarget& target) {
  switch (unknown) {
    case Unknown::none:
      break;
    case Unknown::noise:
      find_noise(plan, target);
      break;
    case Unknown::steps:
      find_steps(plan, target);
      break;
    case Unknown::sampling_rate:
      find_rate(plan, target);
      break;
  }
  return plan;
}

}  // namespace tacet::apps
