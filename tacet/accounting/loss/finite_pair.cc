// Pairs that are lists of losses.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/accounting/loss/pairs.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;

class FinitePair final : public Pair {
 public:
  FinitePair(std::vector<Atom> atoms, double infinite_p, double infinite_q)
      : atoms_(std::move(atoms)), infinite_p_(infinite_p), infinite_q_(infinite_q) {
    if (atoms_.size() < 2) return;
    const auto gaps = static_cast<double>(atoms_.size() - 1);
    const double step = (atoms_.back().loss - atoms_.front().loss) / gaps;
    bool even = true;
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const double expected = atoms_.front().loss + static_cast<double>(i) * step;
      even = even &&
             std::fabs(atoms_[i].loss - expected) <= numeric::ulps(8) * (1 + std::fabs(expected));
    }
    if (even) lattice_ = step;
  }
  double lattice() const override { return lattice_; }
  std::span<const Atom> list() const override { return atoms_; }
  /// Outcomes that only Q has get a finite loss under sampling.
  PairPointer sampled(double q, Order order) const override;
  PairPointer subset(double gamma) const override;
  Masses interval(double low, double high) const override {
    return among(atoms_, low, high, low == -infinity ? infinite_q_ : 0);
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    const std::span all(atoms_);
    const auto inner = has_ends() ? all.subspan(1, all.size() - 2) : all;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      masses[i] = among(inner, edges[i], edges[i + 1], 0);
    }
  }
  Masses lowest_atom() const override { return has_ends() ? of(atoms_.front()) : nothing; }
  Masses highest_atom() const override { return has_ends() ? of(atoms_.back()) : nothing; }
  double infinite_mass() const override { return infinite_p_; }
  double lowest() const override { return atoms_.empty() ? 0 : atoms_.front().loss; }
  double highest() const override { return atoms_.empty() ? 0 : atoms_.back().loss; }
  double upper_quantile(double /*log_tail*/) const override { return highest(); }
  double lower_quantile(double /*log_tail*/) const override {
    return std::nextafter(lowest(), -infinity);
  }
  PairPointer replaced(double q) const override {
    return replaced_list(atoms_, infinite_p_, infinite_q_, q);
  }

 private:
  /// Whether lowest_atom() and highest_atom() name the first and the last atom.
  bool has_ends() const { return atoms_.size() >= 2; }
  static Masses of(const Atom& atom) { return {atom.p, atom.q, atom.loss, error(atom.loss)}; }
  static double error(double loss) {
    return std::isfinite(loss) ? numeric::ulps(16) + numeric::ulps(4) * std::fabs(loss)
                               : numeric::ulps(16);
  }
  /// The masses of the atoms in (low, high], with an extra Q-mass.
  static Masses among(std::span<const Atom> atoms, double low, double high, double q) {
    if (!(low < high)) return nothing;
    const auto by_loss = [](double loss, const Atom& atom) { return loss < atom.loss; };
    auto it = std::upper_bound(atoms.begin(), atoms.end(), low, by_loss);
    const auto end = std::upper_bound(it, atoms.end(), high, by_loss);
    if (q == 0 && std::distance(it, end) == 1) return of(*it);
    double p = 0;
    for (; it != end; ++it) {
      p += it->p;
      q += it->q;
    }
    if (p == 0 && q == 0) return nothing;
    const double ratio = log_of_ratio(p, q);
    return {p, q, ratio, error(ratio)};
  }

  std::vector<Atom> atoms_;
  double infinite_p_;
  double infinite_q_;
  double lattice_ = 0;
};

PairPointer FinitePair::sampled(double q, Order order) const {
  std::vector<Atom> atoms;
  if (infinite_q_ > 0) atoms.push_back({std::log1p(-q), (1 - q) * infinite_q_, infinite_q_});
  for (const auto& one : atoms_) {
    atoms.push_back({mixed_loss(q, one.loss), (1 - q) * one.q + q * one.p, one.q});
  }
  const double infinite = q * infinite_p_;
  if (order == Order::remove) return std::make_unique<FinitePair>(std::move(atoms), infinite, 0);
  return std::make_unique<FinitePair>(mirrored(atoms), 0, infinite);
}

PairPointer FinitePair::subset(double gamma) const {
  std::vector<Atom> positive;
  const double infinite = gamma * infinite_p_;
  double rest = 1 - infinite;
  for (const auto& one : atoms_) {
    if (one.loss <= 0) continue;
    const double p = (1 - gamma) * one.q + gamma * one.p;
    positive.push_back({mixed_loss(gamma, one.loss), p, one.q});
    rest -= p + one.q;
  }
  return std::make_unique<FinitePair>(symmetric(positive, std::max(0.0, rest) + numeric::ulps(2)),
                                      infinite, infinite);
}

}  // namespace

PairPointer finite(std::vector<Atom> atoms, double infinite_p, double infinite_q) {
  return std::make_unique<FinitePair>(std::move(atoms), infinite_p, infinite_q);
}

// Randomised response that reveals everything with probability delta dominates every (epsilon,
// delta)-DP mechanism (Kairouz, Oh, Viswanath 2015).
PairPointer approximate(double epsilon, double delta) {
  const double rest = 1 - delta;
  if (epsilon == 0) return finite({{0, rest, rest}}, delta, delta);
  const double likely = rest / (1 + std::exp(-epsilon));
  const double unlikely = rest / (1 + std::exp(epsilon));
  return finite({{-epsilon, unlikely, likely}, {epsilon, likely, unlikely}}, delta, delta);
}

PairPointer profile(const std::vector<Point>& points) {
  // Proof: docs/proofs/accountant.md, section 1. The knots of delta as a function of a = e^epsilon:
  // the given ones, their mirror images delta(1/a) = 1 - 1/a + delta(a)/a, and (0, 1). Between
  // knots the convex profile is at most the chord, so its lower hull, piecewise linear, is that of
  // a pair with atoms at the knots.
  struct Knot {
    double a;
    double delta;
  };
  // Near 1 doubles lie 2^-52 apart. Epsilons and mirrored deltas move outwards by more than that.
  const auto outwards = [](double epsilon) {
    return epsilon == 0 ? 0 : epsilon * numeric::up_ulps(4) + numeric::ulps(4);
  };
  std::vector<Knot> knots{{0, 1}};
  for (auto it = points.rbegin(); it != points.rend(); ++it) {
    const double a = std::exp(-outwards(it->epsilon));
    if (it->epsilon > 0)
      knots.push_back({a, std::min(1.0, 1 - a + a * it->delta + numeric::ulps(2))});
  }
  for (const auto& point : points) {
    knots.push_back({std::exp(outwards(point.epsilon)), point.delta});
  }
  std::vector<Knot> hull;
  for (const auto& knot : knots) {
    while (hull.size() >= 2) {
      const auto& a = hull[hull.size() - 2];
      const auto& b = hull.back();
      if ((b.delta - a.delta) * (knot.a - b.a) < (knot.delta - b.delta) * (b.a - a.a)) break;
      hull.pop_back();
    }
    hull.push_back(knot);
  }
  // delta'(a) = -Q(L > log a): slopes give the Q-masses; the mass at 0 is Q(L = -infinity).
  std::vector<Atom> atoms;
  double slope = (hull[1].delta - hull[0].delta) / hull[1].a;
  const double infinite_q = std::max(0.0, 1 + slope);
  for (std::size_t i = 1; i < hull.size(); ++i) {
    const double next =
        i + 1 < hull.size() ? (hull[i + 1].delta - hull[i].delta) / (hull[i + 1].a - hull[i].a) : 0;
    const double q = next - slope;
    if (q > 0) atoms.push_back({std::log(hull[i].a), q * hull[i].a, q});
    slope = next;
  }
  return finite(std::move(atoms), hull.back().delta, infinite_q);
}

PairPointer discrete_gaussian(double sigma, double shift) {
  // P centred at 0, Q at shift: L(k) = (shift^2 - 2 k shift) / (2 sigma^2), decreasing in k.
  const auto reach = static_cast<std::int64_t>(std::ceil(39 * sigma)) + 1;
  const auto width = reach + static_cast<std::int64_t>(shift);
  const auto weight = [&](double k) { return std::exp(-k * k / (2 * sigma * sigma)); };
  double total = 0;
  for (std::int64_t k = width; k >= 1; --k) total += 2 * weight(static_cast<double>(k));
  total += 1;
  std::vector<Atom> atoms;
  for (auto k = width; k >= -reach; --k) {
    const auto x = static_cast<double>(k);
    const double p = weight(x) / total;
    const double q = weight(x - shift) / total;
    if (p < 1e-300 && q < 1e-300) continue;
    atoms.push_back({(shift * shift - 2 * x * shift) / (2 * sigma * sigma), p, q});
  }
  return finite(std::move(atoms), 0, 0);
}

DiscreteLaplacePair discrete_laplace(double scale, double shift) {
  // P centred at shift, Q at 0, x = e^{-1/scale}: P(k) = (1 - x) / (1 + x) x^|k - shift|. The loss
  // is (2 k - shift) / scale for k from 0 to shift; the tails outside have its two end values as
  // their losses.
  constexpr double max_blocks = 0x1p13;
  const double one_plus_x = 1 + std::exp(-1 / scale);
  const double width = std::max(1.0, std::ceil((shift - 1) / max_blocks));
  const double end = shift / scale;
  const auto loss = [&](double k) { return (2 * k - shift) / scale; };
  std::vector<Atom> atoms;
  const auto stand = [&](double at, double p) { atoms.push_back({at, p, p * std::exp(-at)}); };
  atoms.push_back({-end, std::exp(-end) / one_plus_x, 1 / one_plus_x});
  for (double first = 1; first < shift; first += width) {
    // A block of integers gets the losses of its two ends. Its mass, a geometric sum, moves to them
    // such that both laws keep their masses. The old pair is a post-processing of the new one, so
    // the new one dominates.
    const double last = std::min(first + width - 1, shift - 1);
    const double p =
        std::exp((last - shift) / scale) * -std::expm1((first - last - 1) / scale) / one_plus_x;
    const double gap = loss(last) - loss(first);
    if (gap > 0) stand(loss(first), p / (1 + std::exp(0.5 * gap)));
    stand(loss(last), gap > 0 ? p / (1 + std::exp(-0.5 * gap)) : p);
  }
  atoms.push_back({end, 1 / one_plus_x, std::exp(-end) / one_plus_x});
  return {finite(std::move(atoms), 0, 0), width == 1};
}

}  // namespace tacet::accounting::pairs
