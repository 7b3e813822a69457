#include "tacet/privacy/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/privacy/accountant.h"

namespace tacet::privacy {

namespace {

/// Brackets the x at which a decreasing `excess` falls to 0, first at most 0, second above.
template <typename Excess>
std::pair<double, double> bracket_border(const Excess& excess) {
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
    if (unsafe < -8) return {unsafe, unsafe};
    safe = unsafe;
    safe_value = unsafe_value;
    unsafe -= stride;
    unsafe_value = excess(unsafe);
  }
  constexpr double width = 5e-3;
  return numeric::bracket_root(safe, safe_value, unsafe, unsafe_value, excess, width);
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
  if (epsilon.value() == 0) {
    throw base::GuaranteeError(
        "no finite noise makes training cost nothing; epsilon must exceed 0");
  }
  if (delta.value() == 0) {
    throw base::GuaranteeError(
        "no Gaussian noise gives pure privacy (delta 0) at a finite epsilon; allow a delta above 0 "
        "or use Laplace noise");
  }
  const auto excess = [&](double log_noise, const AccountOptions& options) {
    const auto event = to_event(plan, NoiseMultiplier(std::exp(log_noise)));
    const double spent = epsilon_interval(event, adjacency, delta, options).upper;
    return std::clamp(std::log(spent / epsilon.value()), -10.0, 10.0);
  };
  // A cheap, wide interval finds the neighbourhood; its upper end lies above the narrow one's.
  const AccountOptions coarse{.tolerance = 2e-2};
  const auto [start, below] = bracket_border([&](double x) { return excess(x, coarse); });
  if (start == below) return NoiseMultiplier(std::exp(start));
  // The default tolerance, so that whoever accounts the result again gets the same number.
  const auto fine = [&](double x) { return excess(x, AccountOptions()); };
  double safe = start;
  double safe_value = fine(safe);
  while (safe_value > 0) safe_value = fine(safe += 1e-3);
  // epsilon falls about as fast as 1/noise, or faster.
  constexpr double good_enough = -1e-3;
  double step = safe_value;
  for (int i = 0; i < 8 && safe_value < good_enough; ++i) {
    const double candidate = safe + 0.9 * std::max(step, -0.5);
    const double value = fine(candidate);
    if (value <= 0) {
      // A secant through both points predicts the next step.
      const double slope = (value - safe_value) / (candidate - safe);
      step = slope < 0 ? (value / -slope) : value;
      safe = candidate;
      safe_value = value;
    } else {
      step *= -safe_value / (value - safe_value) * 0.9;
    }
  }
  return NoiseMultiplier(std::exp(safe));
}

namespace {

/// Whether a plan, accounted as everyone else would, stays within the target.
bool stays_within(const SampledGaussianPlan& plan, NoiseMultiplier noise, Epsilon epsilon,
                  Delta delta, Adjacency adjacency) {
  return epsilon_interval(to_event(plan, noise), adjacency, delta).upper <= epsilon.value();
}

}  // namespace

std::int64_t calibrate_steps(SamplingRate rate, NoiseMultiplier noise, Epsilon epsilon, Delta delta,
                             Adjacency adjacency) {
  constexpr auto most = std::int64_t{1} << 40;
  const auto holds = [&](std::int64_t steps) {
    return stays_within({rate, steps}, noise, epsilon, delta, adjacency);
  };
  if (!holds(1)) return 0;
  std::int64_t inside = 1;
  std::int64_t outside = 2;
  while (holds(outside)) {
    inside = outside;
    if (outside >= most) return most;
    outside *= 2;
  }
  while (outside - inside > 1) {
    const auto middle = inside + (outside - inside) / 2;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

SamplingRate calibrate_rate(std::int64_t steps, NoiseMultiplier noise, Epsilon epsilon, Delta delta,
                            Adjacency adjacency) {
  if (steps < 1) throw base::UsageError(fmt::format("steps must be 1 or more, got {}", steps));
  constexpr double smallest = 1e-9;
  const auto holds = [&](double rate) {
    return stays_within({SamplingRate(rate), steps}, noise, epsilon, delta, adjacency);
  };
  if (holds(1)) return SamplingRate(1);
  if (!holds(smallest)) return SamplingRate(0);
  double inside = std::log(smallest);
  double outside = 0;
  while (outside - inside > 1e-3) {
    const double middle = 0.5 * (inside + outside);
    (holds(std::exp(middle)) ? inside : outside) = middle;
  }
  return SamplingRate(std::exp(inside));
}

}  // namespace tacet::privacy
