#include "tacet/accounting/loss/monotone_root.h"

#include <algorithm>
#include <cmath>

#include "tacet/numeric/infinity.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;

}  // namespace

double solve_decreasing(const std::function<double(double)>& f, const RootSearch& search) {
  const bool above = search.side == Side::above;
  const auto holds = [&](double value) {
    return above ? value <= search.target : value >= search.target;
  };
  double eps = std::max(search.guess, 0.0);
  double value = f(eps);
  double inside = holds(value) ? eps : (above ? infinity : -1.0);
  double outside = holds(value) ? (above ? -1.0 : infinity) : eps;
  double last_eps = eps;
  double last_value = value;
  double growth = std::max(0.02 * eps, 1e-6);
  double slope = search.slope;
  if (slope < 0) growth = std::min(growth, 1 / -slope);
  for (int i = 0; i < 80; ++i) {
    const bool bracketed =
        std::isfinite(inside) && inside >= 0 && std::isfinite(outside) && outside >= 0;
    const double accuracy = search.accuracy * std::max(eps, 1e-12);
    if (bracketed && std::fabs(inside - outside) <= accuracy) break;
    // Aim a little beyond the root, on the side that counts.
    double next = eps + (search.target - value) / slope + (above ? 0.3 : -0.3) * accuracy;
    if (!std::isfinite(next) || next < 0 || !std::isfinite(slope) || slope >= 0) next = -1;
    if (bracketed) {
      const double low = std::min(inside, outside);
      const double high = std::max(inside, outside);
      if (!(next > low && next < high) || i % 4 == 3) next = 0.5 * (low + high);
    } else {
      const bool up = value > search.target;
      const double limit = up ? eps + 8 * growth + eps : eps / 8;
      if (next < 0 || (up ? next <= eps : next >= eps)) next = up ? eps + growth : eps - growth;
      next = up ? std::min(next, limit) : std::max(next, limit);
      growth *= 3;
      if (!up && (next < 1e-13 || next <= 0)) next = 0;
    }
    if (next == eps) break;
    last_eps = eps;
    last_value = value;
    eps = next;
    value = f(eps);
    // A lower end is worth nothing far from its tilt: come back.
    for (int back = 0; back < 20 && value == -infinity && std::isfinite(last_value); ++back) {
      eps = 0.5 * (eps + last_eps);
      value = f(eps);
    }
    if (eps != last_eps && std::isfinite(value) && std::isfinite(last_value)) {
      slope = (value - last_value) / (eps - last_eps);
    }
    (holds(value) ? inside : outside) = eps;
    if (eps == 0 && above && holds(value)) return 0;
    if (eps == 0 && !above && !holds(value)) return 0;
  }
  return std::isfinite(inside) && inside >= 0 ? inside : (above ? infinity : 0.0);
}

}  // namespace tacet::accounting::pld
