#include "tacet/accounting/group_privacy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {

double group_epsilon(const std::function<double(double)>& epsilon_at, double delta, double best) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto at = [&](double e) { return epsilon_at(delta / (1 + std::exp(e)) * (1 - 1e-15)); };
  // The fixed point of e <- epsilon(delta / (1 + e^e)) is the smallest valid e. The iteration grows
  // towards it from below, up to the width of the intervals, so a step that does not grow has
  // reached it.
  double e = epsilon_at(delta);
  constexpr int max = 12;
  for (int i = 0; i < max && 2 * e < best; ++i) {
    const double next = at(e);
    if (next <= e) return 2 * e;
    e = next * (1 + 1e-4);
  }
  return infinity;
}

double group_delta(const std::function<double(double)>& delta_at, double epsilon) {
  const double half = 0.5 * epsilon;
  const double one = delta_at(half);
  if (one == 0) return 0;  // also avoids 0 * infinity when e^half overflows
  return std::min(1.0, numeric::raise_tiny((1 + std::exp(half)) * one * (1 + 1e-14)));
}

}  // namespace tacet::accounting::internal
