#include "tacet/optimize/solver/certificate.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/rounding.h"
#include "tacet/numeric/sums.h"
#include "tacet/optimize/solver/domain_projection.h"

namespace tacet::optimize {
namespace {

using numeric::norm;
using numeric::unit_roundoff;
constexpr double up = 1 + 0x1p-30;  // covers the rounding of norms and of the few last steps

// How far a computed projection of a point of this size can lie from the exact one.
double projection_error(const Domain& domain, double size) {
  if (std::holds_alternative<WholeSpace>(domain) || std::holds_alternative<Box>(domain)) return 0;
  const double scale = size + (std::isfinite(reach(domain)) ? reach(domain) : 0);
  const double regular = 64 * unit_roundoff * scale;
  if (const auto* lens = std::get_if<Lens>(&domain)) {
    // The rim's radius is the root of a difference: spheres that nearly touch lose half the digits.
    std::vector<double> apart(lens->first.centre.empty() ? lens->second.centre
                                                         : lens->first.centre);
    for (std::size_t j = 0; j < apart.size(); ++j) {
      apart[j] = internal::centre_of<double>(lens->second, j) -
                 internal::centre_of<double>(lens->first, j);
    }
    const double distance = norm(apart);
    const double r1 = lens->first.radius;
    const double r2 = lens->second.radius;
    const double along = (distance * distance + r1 * r1 - r2 * r2) / (2 * distance);
    const double rim = std::sqrt(std::max(0.0, r1 * r1 - along * along));
    const double loss = scale * scale / std::max(rim, std::sqrt(unit_roundoff) * scale);
    return 64 * unit_roundoff *
           (scale + loss + scale * scale / std::max(distance, unit_roundoff * scale));
  }
  if (std::holds_alternative<Simplex>(domain)) return regular * 16;
  return regular;
}

}  // namespace

double gradient_certificate(std::span<const double> gradient, double gradient_error,
                            double strong_convexity) {
  return (norm(gradient) * up + gradient_error) / strong_convexity * up;
}

double ball_certificate(std::span<const double> point, std::span<const double> gradient,
                        double gradient_error, const BallProblem& problem) {
  const auto [radius, strong_convexity, smoothness] = problem;
  const double length = norm(point);
  const bool on_sphere = std::fabs(length - radius) <= 16 * unit_roundoff * radius;
  const double moved =
      on_sphere ? 32 * unit_roundoff * radius : std::max(0.0, length - radius) * up;
  const double gap = on_sphere || length >= radius ? 0 : (radius - length) * up;
  const auto bound = [&](double c) {
    double square = 0;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double sum = gradient[j] + c * point[j];
      square += sum * sum;
    }
    const double slack = gradient_error + (smoothness + c) * moved +
                         8 * unit_roundoff * (norm(gradient) + c * length);
    const double r = std::sqrt(square) * up + slack;
    const double e = c * length * gap;
    return (r + std::sqrt(r * r + 4 * strong_convexity * e)) / (2 * strong_convexity) * up + moved;
  };
  double along = 0;
  for (std::size_t j = 0; j < point.size(); ++j) along += gradient[j] * point[j];
  const double multiplier = length > 0 ? std::max(0.0, -along / (length * length)) : 0;
  return std::min(bound(0), bound(multiplier));
}

double residual_certificate(const Domain& domain, const ResidualStep& residual,
                            double strong_convexity) {
  const std::size_t columns = residual.from.size();
  const double m = residual.step;
  double square = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const double r = residual.to_gradient[j] - residual.from_gradient[j] +
                     m * (residual.from[j] - residual.to[j]);
    square += r * r;
  }
  const double size = norm(residual.from) + norm(residual.to) + norm(residual.from_gradient) / m;
  const double error =
      residual.gradient_error + m * (8 * unit_roundoff * size + projection_error(domain, size)) +
      8 * unit_roundoff * (norm(residual.from_gradient) + norm(residual.to_gradient));
  return (std::sqrt(square) * up + error) / strong_convexity * up + projection_error(domain, size);
}

}  // namespace tacet::optimize
