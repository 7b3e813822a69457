#pragma once

#include <cmath>
#include <utility>

namespace tacet::numeric {

/// Shrinks [inside, outside] around the boundary of a monotone predicate: `holds(inside)` is true,
/// `holds(outside)` false (neither is evaluated). Returns the last point found where it holds, so
/// the result is on the safe side by construction, whatever rounding does. Stops at neighbouring
/// doubles, at relative width `tolerance`, or after 2000 halvings.
template <typename Predicate>
[[nodiscard]] double bisect_threshold(double inside, double outside, const Predicate& holds,
                                      double tolerance = 0) {
  for (int i = 0; i < 2000; ++i) {
    const double middle = inside + 0.5 * (outside - inside);
    if (middle == inside || middle == outside) break;
    if (std::fabs(outside - inside) <= tolerance * std::fabs(middle)) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

/// A point and the value of a function there.
struct ValueAt {
  double x;
  double value;
};

/// Root of a continuous function with a sign change between `from` and `to` by Brent's method with
/// inverse quadratic steps replaced by the simpler Illinois rule; at most `evaluations` calls.
/// Returns the final bracket: first has the sign of `from`, second that of `to`.
template <typename Function>
[[nodiscard]] std::pair<double, double> bracket_root(ValueAt from, ValueAt to, const Function& f,
                                                     double tolerance, int evaluations = 100) {
  auto [low, f_low] = from;
  auto [high, f_high] = to;
  const bool low_negative = f_low < 0;
  int side = 0;
  for (int i = 0; i < evaluations; ++i) {
    if (std::fabs(high - low) <= tolerance) break;
    double middle = (low * f_high - high * f_low) / (f_high - f_low);
    const double width = high - low;
    // A point within a thousandth of an end would shrink the bracket too slowly: take another one.
    if (!(std::fabs(middle - low) > 1e-3 * std::fabs(width)) ||
        !(std::fabs(high - middle) > 1e-3 * std::fabs(width)) || !std::isfinite(middle)) {
      middle = i % 3 == 2 || !std::isfinite(middle)
                   ? low + 0.5 * width
                   : (std::fabs(middle - low) < std::fabs(high - middle) ? low + 1e-3 * width
                                                                         : high - 1e-3 * width);
    }
    if (middle == low || middle == high) break;
    const double value = f(middle);
    if ((value < 0) == low_negative) {
      low = middle;
      f_low = value;
      if (side == 1) f_high *= 0.5;
      side = 1;
    } else {
      high = middle;
      f_high = value;
      if (side == -1) f_low *= 0.5;
      side = -1;
    }
  }
  return {low, high};
}

/// Golden section search for the minimum of f in [low, high], with `steps` evaluations after the
/// first two. It calls f at every point, so f can keep the best one. Returns the smaller of the
/// last two values.
template <typename Function>
double golden_sections(double low, double high, int steps, const Function& f) {
  constexpr double ratio = 0.61803398874989484820;
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double f_left = f(left);
  double f_right = f(right);
  for (int i = 0; i < steps; ++i) {
    if (f_left < f_right) {
      high = right;
      right = left;
      f_right = f_left;
      f_left = f(left = high - ratio * (high - low));
    } else {
      low = left;
      left = right;
      f_left = f_right;
      f_right = f(right = low + ratio * (high - low));
    }
  }
  return f_left < f_right ? f_left : f_right;
}

}  // namespace tacet::numeric
