// Converts Renyi bounds into epsilon at delta and delta at epsilon.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/accounting/routes/rdp.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::rdp {

using numeric::infinity;

double to_epsilon(double alpha, double value, double delta) {
  check_order(alpha);
  if (delta == 0) return infinity;
  const double epsilon =
      value + std::log1p(-1 / alpha) - (std::log(delta) + std::log(alpha)) / (alpha - 1);
  return std::max(0.0, epsilon + 1e-15 * (1 + std::fabs(value)));
}

namespace {

double to_log_delta(double alpha, double value, double epsilon) {
  check_order(alpha);
  const double exponent =
      (alpha - 1) * (value - epsilon + std::log1p(-1 / alpha)) - std::log(alpha);
  return exponent + 1e-15 * (1 + std::fabs(exponent));
}

/// Minimum of f over log(alpha - 1): a geometric grid, then golden sections around its best point.
template <typename Function>
std::pair<double, double> minimise_over_orders(const Function& f) {
  constexpr double first = -4.6;  // alpha = 1.01
  constexpr double last = 13.9;   // alpha = 2^20
  constexpr double step = 0.4;
  double best = first;
  double best_value = infinity;
  int since = 0;
  for (double z = first; z <= last; z += step) {
    const double value = f(1 + std::exp(z));
    if (value < best_value) {
      best_value = value;
      best = z;
      since = 0;
    } else if (std::isfinite(best_value) && ++since > 3) {
      break;  // the function is unimodal up to rounding
    }
  }
  double best_z = best;
  numeric::golden_sections(best - step, best + step, 23, [&](double z) {
    const double value = f(1 + std::exp(z));
    if (value < best_value) {
      best_value = value;
      best_z = z;
    }
    return value;
  });
  // Integer orders are cheap to evaluate exactly, and the chords often have their kinks there.
  for (const double order : {std::floor(1 + std::exp(best_z)), std::ceil(1 + std::exp(best_z))}) {
    if (order < 2) continue;
    const double value = f(order);
    if (value < best_value) {
      best_value = value;
      best_z = std::log(order - 1);
    }
  }
  return {best_value, 1 + std::exp(best_z)};
}

}  // namespace

Optimum best_epsilon(const Curve& curve, Delta delta) {
  if (delta.value() == 0) return {infinity, infinity};
  const auto [value, alpha] = minimise_over_orders(
      [&](double order) { return to_epsilon(order, curve(order), delta.value()); });
  return {value, alpha};
}

double best_delta(const Curve& curve, double epsilon) {
  const auto result = minimise_over_orders(
      // Not cut at 1: otherwise the search would take small orders, which prove nothing, for a
      // minimum.
      [&](double order) { return to_log_delta(order, curve(order), epsilon); });
  // A bound from moments never proves a delta of exactly 0.
  const double upper = numeric::exp_of_upper(result.first) * (1 + safety);
  return std::clamp(upper, std::numeric_limits<double>::denorm_min(), 1.0);
}

}  // namespace tacet::accounting::rdp
