#include "tacet/accounting/group_privacy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {

double group_epsilon(const std::function<double(double)>& epsilon_at, double delta, double best) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto at = [&](double e) { return epsilon_at(delta / (1 + std::exp(e)) * (1 - 1e-15)); };
  // e <- epsilon(delta / (1 + e^e)) grows to the smallest e that is enough; every step on the way
  // is below it, up to the width of the intervals that the values come from.
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
  if (one == 0) return 0;  // also where e^half overflows
  return std::min(1.0, numeric::raise_tiny((1 + std::exp(half)) * one * (1 + 1e-14)));
}

}  // namespace tacet::accounting::internal
