#include "tacet/privacy/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/privacy/accountant.h"

namespace tacet::privacy {

namespace {

/// The smallest x, within a relative step of e^x, at which a decreasing `excess` is at most 0. The
/// returned point itself was evaluated.
template <typename Excess>
double smallest_safe(const Excess& excess) {
  constexpr double stride = 0.5;
  double safe = 0;
  double safe_value = excess(safe);
  double unsafe = safe;
  double unsafe_value = safe_value;
  while (safe_value > 0) {
    if (safe > 30) {
      throw base::GuaranteeError("no noise multiplier up to e^30 reaches the epsilon asked for");
    }
    unsafe = safe;
    unsafe_value = safe_value;
    safe += stride;
    safe_value = excess(safe);
  }
  while (unsafe_value <= 0) {
    if (unsafe < -8) return unsafe;
    safe = unsafe;
    safe_value = unsafe_value;
    unsafe -= stride;
    unsafe_value = excess(unsafe);
  }
  constexpr double width = 2e-4;
  return numeric::bracket_root(safe, std::max(safe_value, -20.0), unsafe,
                               std::min(unsafe_value, 20.0), excess, width)
      .first;
}

}  // namespace

Event to_event(const SampledGaussianPlan& plan, NoiseMultiplier noise) {
  const Event step = plan.rate.value() == 1
                         ? Event(Gaussian{noise.value()})
                         : Event(PoissonSampled{plan.rate.value(), Gaussian{noise.value()}});
  return plan.steps == 1 ? step : Event(Repeated{plan.steps, step});
}

NoiseMultiplier calibrate_noise(const SampledGaussianPlan& plan, Epsilon epsilon, Delta delta,
                                Adjacency adjacency) {
  if (plan.steps < 1) {
    throw base::UsageError(fmt::format("steps must be 1 or more, got {}", plan.steps));
  }
  if (std::isinf(epsilon.value())) return NoiseMultiplier(0);
  if (plan.rate.value() == 0) return NoiseMultiplier(0);
  if (delta.value() == 0) {
    throw base::GuaranteeError(
        "no Gaussian noise gives pure privacy (delta 0) at a finite epsilon; allow a delta above 0 "
        "or use Laplace noise");
  }
  // The default options, so that whoever accounts the result again gets the same number.
  const AccountOptions options;
  const auto excess = [&](double log_noise) {
    const auto event = to_event(plan, NoiseMultiplier(std::exp(log_noise)));
    const double spent = epsilon_interval(event, adjacency, delta, options).upper;
    return spent == 0 ? -1e3 : std::log(spent / epsilon.value());
  };
  return NoiseMultiplier(std::exp(smallest_safe(excess)));
}

}  // namespace tacet::privacy
