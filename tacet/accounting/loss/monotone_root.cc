#include "tacet/accounting/loss/monotone_root.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;

// Secants within a bracket, as Dekker 1969 and Brent 1973 (chapter 4) combine them: a secant step
// where it falls inside the bracket, a bisection where it does not and at every fourth evaluation.
// Until both sides of the root are known, the steps outwards grow geometrically (Press et al. 2007,
// section 9.1). The constants decide how many evaluations a search takes, never whether its result
// is valid: only a point where f was seen on the side asked for is returned.
constexpr int max_evaluations = 80;
constexpr int bisect_every = 4;
constexpr double aim_beyond = 0.3;   // a step aims beyond the root by this share of the accuracy
constexpr double first_step = 0.02;  // relative to the guess, which is rarely further off
constexpr double min_first_step = 1e-6;  // for guesses of 0
constexpr double step_growth = 3;
constexpr double max_leap = 8;        // of a step upwards; downwards x falls to an eighth at most
constexpr double smallest_x = 1e-13;  // a smaller x is tried as 0
constexpr double smallest_scale = 1e-12;  // below this x the accuracy is absolute
constexpr int max_returns = 20;  // how often to come back from points at which f is minus infinity

constexpr double no_secant = -1;

struct Point {
  double x;
  double value;
};

/// The root of the line of that slope through `at`, and a little beyond it, so that the next point
/// lies on the side asked for.
double secant_from(const Point& at, double slope, const RootSearch& search, double accuracy) {
  if (!std::isfinite(slope) || slope >= 0) return no_secant;
  const double beyond = search.side == Side::above ? aim_beyond : -aim_beyond;
  const double next = at.x + (search.target - at.value) / slope + beyond * accuracy;
  return std::isfinite(next) && next >= 0 ? next : no_secant;
}

/// A step towards the root while only one side of it is known.
double outwards(const Point& at, double secant, double step, bool up) {
  if (up) {
    const double next = secant > at.x ? secant : at.x + step;
    return std::min(next, at.x + max_leap * step + at.x);
  }
  const bool usable = secant >= 0 && secant < at.x;
  const double next = std::max(usable ? secant : at.x - step, at.x / max_leap);
  return next < smallest_x ? 0 : next;
}

}  // namespace

double solve_decreasing(const std::function<double(double)>& f, const RootSearch& search) {
  const bool above = search.side == Side::above;
  const auto holds = [&](double value) {
    return above ? value <= search.target : value >= search.target;
  };
  std::optional<double> inside;   // the last point on the side asked for
  std::optional<double> outside;  // the last point on the other side
  const double start = std::max(search.guess, 0.0);
  Point at{start, f(start)};
  (holds(at.value) ? inside : outside) = at.x;
  double slope = search.slope;
  double step = std::max(first_step * at.x, min_first_step);
  if (slope < 0) step = std::min(step, 1 / -slope);
  for (int i = 0; i < max_evaluations; ++i) {
    const double accuracy = search.accuracy * std::max(at.x, smallest_scale);
    double next = secant_from(at, slope, search, accuracy);
    if (inside && outside) {
      if (std::fabs(*inside - *outside) <= accuracy) break;
      const auto [low, high] = std::minmax(*inside, *outside);
      const bool within = next > low && next < high;
      if (!within || i % bisect_every == bisect_every - 1) next = 0.5 * (low + high);
    } else {
      next = outwards(at, next, step, at.value > search.target);
      step *= step_growth;
    }
    if (next == at.x) break;
    const Point last = at;
    at = {next, f(next)};
    // A lower bound is useless far from the point of its tilt: come back towards the last good
    // point.
    for (int back = 0; back < max_returns && at.value == -infinity && std::isfinite(last.value);
         ++back) {
      const double middle = 0.5 * (at.x + last.x);
      at = {middle, f(middle)};
    }
    if (at.x != last.x && std::isfinite(at.value) && std::isfinite(last.value)) {
      slope = (at.value - last.value) / (at.x - last.x);
    }
    (holds(at.value) ? inside : outside) = at.x;
    if (at.x == 0 && holds(at.value) == above) return 0;  // there is no smaller x
  }
  return inside.value_or(above ? infinity : 0.0);
}

}  // namespace tacet::accounting::pld
