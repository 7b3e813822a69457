#include "tacet/learn/plan/step_rule.h"

#include <algorithm>
#include <cmath>

namespace tacet::learn {
namespace {

constexpr double nonsmooth_curvature = 2;  // for predictions around a kink with density 1
// enough for momentum 0.9 to become stationary, and for averaging
constexpr std::int64_t fewest_steps = 100;
// a longer path gains little and costs passes over the data
constexpr std::int64_t max_steps = 400;
// In units of 1/(curvature of the mean loss). Momentum descent is stable below 2 (1 + m).
constexpr double usual_step = 1.0;
constexpr double largest_step = 1.875;

struct Path {
  double length;
  double excess;
};

// Minimises radius^2/(2 tau) + a^2/2 min(A tau, B tau^2), A = sqrt(2) d, B = the trace bound.
Path best_path(const StepFacts& facts, double curvature) {
  const double noise = facts.release_noise * facts.release_noise;
  const double radius = facts.radius * facts.radius;
  const double linear = std::sqrt(2.0) * static_cast<double>(facts.columns);
  const double square = curvature;
  const double meet = linear / square;
  const double long_path = std::max(meet, std::sqrt(radius / (noise * linear)));
  const double short_path = std::min(meet, std::cbrt(radius / (2 * noise * square)));
  const auto excess = [&](double tau) {
    return radius / (2 * tau) + noise / 2 * std::min(linear * tau, square * tau * tau);
  };
  const double tau = excess(long_path) < excess(short_path) ? long_path : short_path;
  return {tau, excess(tau)};
}

}  // namespace

double mean_curvature(double loss_curvature, double norm_bound) {
  return std::min(loss_curvature, nonsmooth_curvature) * norm_bound * norm_bound;
}

StepPlan step_rule(const StepFacts& facts) {
  const double curvature = mean_curvature(facts.curvature, facts.norm_bound);
  const double keep = 1 - facts.momentum;
  const double stable_step = largest_step / curvature;
  const double longest = static_cast<double>(max_steps) * largest_step / (curvature * keep);
  if (facts.release_noise == 0) {
    return {max_steps, stable_step, longest, 0, stable_step};
  }
  Path path = best_path(facts, curvature);
  if (path.excess > facts.learnable) path.length *= std::sqrt(facts.learnable / path.excess);
  path.length = std::min(path.length * facts.way, longest);

  const double wanted = std::ceil(path.length * keep * curvature / usual_step);
  const auto steps = static_cast<std::int64_t>(
      std::clamp(wanted, static_cast<double>(fewest_steps), static_cast<double>(max_steps)));
  const double step_size = std::min(path.length * keep / static_cast<double>(steps), stable_step);
  return {steps, step_size, static_cast<double>(steps) * step_size / keep, path.excess,
          stable_step};
}

}  // namespace tacet::learn
