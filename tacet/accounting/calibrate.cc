#include "tacet/accounting/calibrate.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/calibration_search.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::accounting {

namespace {

/// x, kept away from the ends of [dear, cheap]; for unknowns that may take any value.
double between(double dear, double x, double cheap) { return std::clamp(x, dear, cheap); }

/// A shortfall of epsilon below which a search for a number may stop.
constexpr double shortfall = 1e-3;

/// A start for the search. Many samples of rate q tend to Gaussian DP with mu = q sqrt(T (e^{1/s^2}
/// - 1)) (Bu, Dong, Long, Su 2020). This is the target's mu over sqrt(T) times the root.
double rate_of_one_step(NoiseMultiplier noise, const CalibrationTarget& target) {
  const bool known = target.delta.value() > 0 && target.epsilon.value() < 1e4;
  const double mu = known ? gaussian::mu_for(target.epsilon, target.delta) : 1;
  const double distance = distance_factor(target.adjacency) / noise.value();
  return mu / std::sqrt(std::expm1(std::min(600.0, distance * distance)));
}

}  // namespace

Event to_event(const SampledGaussianPlan& plan, NoiseMultiplier noise) {
  const Event step = plan.rate.value() == 1
                         ? Event(Gaussian{noise.value()})
                         : Event(PoissonSampled{plan.rate.value(), Gaussian{noise.value()},
                                                plan.max_records_per_unit});
  return plan.steps == 1 ? step : Event(Repeated{plan.steps, step});
}

NoiseMultiplier calibrate_noise(const SampledGaussianPlan& plan, const CalibrationTarget& target) {
  if (plan.steps < 1) throw base::UsageError("steps must be 1 or more, got {}", plan.steps);
  if (std::isinf(target.epsilon.value())) return NoiseMultiplier(0);
  if (plan.rate.value() == 0) return NoiseMultiplier(0);
  if (target.epsilon.value() == 0) {
    throw base::GuaranteeError(
        "no finite noise makes training cost nothing; epsilon must exceed 0");
  }
  if (target.delta.value() == 0) {
    throw base::GuaranteeError(
        "no Gaussian noise gives pure privacy (delta 0) at a finite epsilon; allow a delta above 0 "
        "or use Laplace noise");
  }
  return NoiseMultiplier(
      min_noise([&](double noise) { return to_event(plan, NoiseMultiplier(noise)); }, target));
}

double min_noise(const std::function<Event(double)>& event, const CalibrationTarget& target) {
  constexpr double min = -14;
  constexpr double max = 30;
  const auto threshold =
      internal::cheapest_within({.event = [&](double x) { return event(std::exp(x)); },
                                 .dearest = min,
                                 .cheapest = max,
                                 .start = 0,
                                 .snap = between,
                                 .enough = [](double) { return shortfall; }},
                                target);
  if (!threshold.found) {
    throw base::GuaranteeError("no noise multiplier up to e^30 reaches the epsilon asked for");
  }
  return std::exp(threshold.safe);
}

std::int64_t max_steps(const std::function<Event(std::int64_t)>& event,
                       const CalibrationTarget& target) {
  constexpr auto max = max_steps_sought;
  const auto steps_at = [](double x) {
    return static_cast<std::int64_t>(std::llround(std::exp(-x)));
  };
  const auto at_steps = [](std::int64_t steps) { return -std::log(static_cast<double>(steps)); };
  // up to this number of steps, the next number is accounted too
  constexpr std::int64_t exact = 5000;
  const auto threshold = internal::cheapest_within(
      {.event = [&](double x) { return event(steps_at(x)); },
       .dearest = at_steps(max),
       .cheapest = 0,
       .start = at_steps(64),
       .snap =
           [&](double dear, double x, double cheap) {
             const auto below = steps_at(dear) - (dear == at_steps(max) ? 0 : 1);
             const auto above = steps_at(cheap) + (cheap == 0 ? 0 : 1);
             if (below < above) return cheap;
             return at_steps(std::clamp(steps_at(x), above, below));
           },
       .enough = [&](double x) { return steps_at(x) <= exact ? 0.0 : shortfall; }},
      target);
  return threshold.found ? steps_at(threshold.safe) : 0;
}

SamplingRate calibrate_rate(std::int64_t steps, NoiseMultiplier noise,
                            const CalibrationTarget& target) {
  if (steps < 1) throw base::UsageError("steps must be 1 or more, got {}", steps);
  constexpr double smallest = 1e-9;
  const double guess = rate_of_one_step(noise, target) / std::sqrt(static_cast<double>(steps));
  const auto event = [&](double x) { return to_event({SamplingRate(std::exp(-x)), steps}, noise); };
  const auto threshold = internal::cheapest_within(
      {.event = event,
       .dearest = 0,
       .cheapest = -std::log(smallest),
       .start = -std::log(std::isnan(guess) ? 1e-2 : std::clamp(guess, smallest, 1.0)),
       .snap = between,
       .enough = [](double) { return shortfall; }},
      target);
  return SamplingRate(threshold.found ? std::exp(-threshold.safe) : 0);
}

}  // namespace tacet::accounting
