#include "tacet/privacy/calibrate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/privacy/composition.h"

namespace tacet::privacy {

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
  const auto holds = [&](double noise) {
    return account(to_event(plan, NoiseMultiplier(noise)), adjacency, delta).epsilon <=
           epsilon.value();
  };
  double enough = 1;
  while (!holds(enough)) {
    enough *= 2;
    if (enough > 1e15) {
      throw base::GuaranteeError(
          fmt::format("no noise multiplier up to 1e15 reaches epsilon {}", epsilon.value()));
    }
  }
  double short_of = enough / 2;
  while (holds(short_of) && short_of > 1e-3) short_of /= 2;
  constexpr double relative_width = 1e-6;
  return NoiseMultiplier(numeric::bisect_border(enough, short_of, holds, relative_width));
}

}  // namespace tacet::privacy
