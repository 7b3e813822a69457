#include "tacet/learn/plan/arora2022.h"
#include "tacet/numeric/special.h"

#include <algorithm>
#include <cmath>

namespace tacet::learn::arora2022 {
namespace {

double squared(double x) { return x * x; }

double length(const Problem& p) { return std::sqrt(p.curvature) * p.radius * p.norm_bound; }

}  // namespace

double gradient_bound(const Problem& p) {
  if (std::isinf(p.curvature)) return p.norm_bound * p.slope_bound;
  const double smooth =
      std::sqrt(2 * p.curvature * p.loss_at_zero) + p.curvature * p.radius * p.norm_bound;
  return p.norm_bound * std::min(smooth, p.slope_bound);
}

double gradient_noise(std::int64_t rows, std::int64_t steps, double epsilon, double delta) {
  return std::sqrt(8 * static_cast<double>(steps) * std::log(1 / delta)) /
         (static_cast<double>(rows) * epsilon);
}

double gradient_step(const Problem& p, std::int64_t columns, std::int64_t steps,
                     double noise_multiplier) {
  const double bound = gradient_bound(p);
  const double square =
      bound * bound * (1 + static_cast<double>(columns) * squared(noise_multiplier));
  return p.radius / std::sqrt(static_cast<double>(steps) * square);
}

double output_factor(double epsilon, double delta) {
  return std::sqrt(2 * std::log(1.25 / delta)) / epsilon;
}

double output_lambda(const Problem& p, std::int64_t rows, double epsilon, double delta) {
  const double sensitivity = 2 * gradient_bound(p) / static_cast<double>(rows) *
                             output_factor(epsilon, delta);  // lambda times the standard deviation
  if (std::isinf(p.curvature)) {
    return std::sqrt(2 * numeric::mean_absolute_normal * gradient_bound(p) * sensitivity) /
           p.radius;
  }
  return std::cbrt(2 * p.curvature * squared(p.norm_bound * sensitivity / p.radius));
}

double projection_width(const Problem& p, std::int64_t rows, double epsilon, double delta) {
  const double records = static_cast<double>(rows);
  const double lipschitz = std::isinf(p.slope_bound) ? p.slope_bound : records * epsilon;
  const double h = length(p);
  const double smooth =
      std::isinf(p.curvature)
          ? p.curvature
          : std::pow(h * records * epsilon / (std::sqrt(p.loss_at_zero) + h), 2.0 / 3);
  return std::log(2 * records / delta) * std::min(smooth, lipschitz);
}

double norm_event(std::int64_t rows, std::int64_t width) {
  const double exponent = 0.5 * static_cast<double>(width) * (3 - std::log(4.0));
  return std::min(1.0, static_cast<double>(rows) * std::exp(-exponent));
}

}  // namespace tacet::learn::arora2022
