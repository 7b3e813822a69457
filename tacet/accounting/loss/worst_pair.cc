#include "tacet/accounting/loss/pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;
/// a loss beyond this tail counts as infinite
constexpr double log_tail = -80;
constexpr double largest_epsilon = 600;
/// Knots lie this share of the spread apart, and this share of the loss where that is more: The
/// chords between them then add 3e-6 to the variance of the loss.
constexpr double spacing = 0.005;
/// Covers the masses' own errors, and those of the slopes between some thousand knots.
constexpr double knot_slack = 0x1p-36;
static_assert(knot_slack > 8 * pld::mass_slack);

/// Which law comes first.
enum class Face { forward, backward };

/// A loss above the largest one, whatever its rounding.
double past(double largest) { return largest + numeric::ulps(16) * std::fabs(largest); }

/// An upper bound of sup_S P(S) - e^eps Q(S) for eps >= 0; with P and Q exchanged for
/// Face::backward.
double delta_above(const Pair& pair, Face face, double eps) {
  const double largest = face == Face::forward ? pair.highest() : -pair.lowest();
  if (eps >= past(largest)) {
    return face == Face::forward ? pair.infinite_mass()
                                 : pair.interval(-infinity, std::nextafter(-eps, -infinity)).q;
  }
  // An atom at eps itself adds nothing. One that rounding moved across eps adds almost nothing.
  const double rounding = numeric::ulps(8) * (1 + std::fabs(eps));
  const auto m = face == Face::forward ? pair.interval(eps - rounding, infinity)
                                       : pair.interval(-infinity, rounding - eps);
  const double first = face == Face::forward ? m.p : m.q;
  const double infinite = face == Face::forward ? pair.infinite_mass() : 0;
  if (first == 0) return infinite;
  const double ratio = face == Face::forward ? m.log_ratio : -m.log_ratio;
  // The set {L > eps} gives the largest value. Its masses and their ratio have errors. If the ratio
  // is unknown, the P-mass alone is a bound.
  constexpr double smallest = 1e-290;
  const bool known = std::isfinite(ratio) && m.p > smallest && m.q > smallest;
  const double error =
      m.ratio_error + numeric::ulps(8) * (std::fabs(eps) + std::fabs(ratio)) + 2 * rounding;
  const double gap = known ? std::max(0.0, ratio - eps) + error : infinity;
  return std::min(1.0, (infinite - first * std::expm1(-gap)) * (1 + knot_slack));
}

/// Epsilons from 0 to the largest loss of any part, for one order of the laws.
std::vector<double> knots(std::span<const PairPointer> parts, Face face) {
  double end = 0;
  double min = infinity;
  double max = 0;
  std::vector<double> result{0};
  for (const auto& part : parts) {
    const double last = face == Face::forward ? part->highest() : -part->lowest();
    const double quantile =
        face == Face::forward ? part->upper_quantile(log_tail) : -part->lower_quantile(log_tail);
    if (std::isfinite(last) && last > 0) result.push_back(past(last));
    end = std::max(end, std::min(last, quantile));
    const double own = pld::loss_moments(*part, pld::log_low_tail).spread;
    if (own > 0) min = std::min(min, own);
    max = std::max(max, own);
  }
  if (max > 0 && end > 0) {
    const double spread = std::max(min, 1e-6 * max);
    // sinh spaces the knots evenly below the spread, and by a constant factor above it.
    const double last = std::asinh(end / spread);
    const auto count = static_cast<int>(std::ceil(last / spacing));
    for (int i = 1; i <= count; ++i) result.push_back(spread * std::sinh(last * i / count));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// A knot of a profile as a function of a = e^eps.
struct Knot {
  double epsilon;
  double delta;
};

/// The fall of delta between two knots per unit of a. The difference of a comes from the epsilons,
/// since it may be tiny.
double fall(const Knot& from, const Knot& to) {
  return (from.delta - to.delta) / (std::exp(from.epsilon) * std::expm1(to.epsilon - from.epsilon));
}

/// The losses above 0 of the pair whose profile consists of the chords between the knots, and the
/// mass at infinity. delta'(a) = -Q(L > log a), so slopes give the masses.
struct Half {
  std::vector<Atom> atoms;
  double infinite;
};
double largest_delta(std::span<const PairPointer> parts, Face face, double epsilon) {
  double largest = 0;
  for (const auto& part : parts) largest = std::max(largest, delta_above(*part, face, epsilon));
  return largest;
}
/// `variation` is delta at 0, which is the same for both faces.
Half half_of(std::span<const PairPointer> parts, Face face, double variation) {
  std::vector<Knot> hull;
  for (const double epsilon : knots(parts, face)) {
    if (epsilon > largest_epsilon) break;
    Knot knot{epsilon, epsilon == 0 ? variation : largest_delta(parts, face, epsilon)};
    if (!hull.empty()) knot.delta = std::min(knot.delta, hull.back().delta);
    // Rounding may make the profile slightly non-convex. Chords that skip a knot still lie above
    // the profile.
    while (hull.size() >= 2 &&
           fall(hull[hull.size() - 2], hull.back()) <= fall(hull.back(), knot)) {
      hull.pop_back();
    }
    hull.push_back(knot);
  }
  // A convex piecewise linear profile is that of a pair of laws: where its slope in e^eps changes
  // by q, Q has an atom of mass q at the loss eps, and P one of e^eps q (Zhu, Dong, Wang 2022, on
  // pairs from profiles).
  Half half{{}, hull.back().delta};
  double slope = 0;
  for (std::size_t i = hull.size(); i-- > 1;) {
    const double before = fall(hull[i - 1], hull[i]);
    const double q = before - slope;
    slope = before;
    const double epsilon = hull[i].epsilon;
    if (q > 0) half.atoms.push_back({epsilon, q * std::exp(epsilon), q});
  }
  std::reverse(half.atoms.begin(), half.atoms.end());
  return half;
}

}  // namespace

PairPointer worst(std::span<const PairPointer> parts) {
  // Both halves need the same total variation. If Q had more mass than P, the profile would lie
  // below the truth at losses below 0: delta(e) = P(all) - e^e Q(all) + e^e delta'(-e).
  const double variation =
      std::max(largest_delta(parts, Face::forward, 0), largest_delta(parts, Face::backward, 0));
  const auto above = half_of(parts, Face::forward, variation);
  const auto below = half_of(parts, Face::backward, variation);
  double rest = 1 - above.infinite;
  auto atoms = mirrored(below.atoms);
  for (const auto& one : atoms) rest -= one.p;
  for (const auto& one : above.atoms) rest -= one.p;
  rest = std::max(0.0, rest) + numeric::ulps(2);
  atoms.push_back({0, rest, rest});
  atoms.insert(atoms.end(), above.atoms.begin(), above.atoms.end());
  return finite(std::move(atoms), above.infinite, below.infinite);
}

}  // namespace tacet::accounting::pairs
