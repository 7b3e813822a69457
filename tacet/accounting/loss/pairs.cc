#include "tacet/accounting/loss/pairs.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/accounting/loss/replaced_pair.h"
#include "tacet/numeric/infinity.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pairs {

void Pair::fill(std::span<const double> edges, std::span<Masses> masses) const {
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) masses[i] = interval(edges[i], edges[i + 1]);
}

PairPointer Pair::replaced(double /*q*/) const { return nullptr; }

namespace {

using numeric::normal_interval;

using numeric::infinity;

class GaussianPair final : public Pair {
 public:
  explicit GaussianPair(double mu) : mu_(mu), half_square_(0.5 * mu * mu) {}
  Masses interval(double low, double high) const override {
    const double p = normal_interval((low - half_square_) / mu_, (high - half_square_) / mu_);
    const double q = normal_interval((low + half_square_) / mu_, (high + half_square_) / mu_);
    // Rounding an argument z moves the log density by z^2 units.
    const double z = (std::min(std::fabs(low), std::fabs(high)) + half_square_) / mu_;
    return {p, q, log_of_ratio(p, q), 0x1p-48 + 0x1p-49 * z * z};
  }
  double lowest() const override { return -infinity; }
  double highest() const override { return infinity; }
  double upper_quantile(double log_tail) const override {
    return half_square_ - mu_ * numeric::normal_quantile_from_log(log_tail) * (1 + 1e-12);
  }
  double lower_quantile(double log_tail) const override {
    return half_square_ + mu_ * numeric::normal_quantile_from_log(log_tail) * (1 + 1e-12);
  }
  PairPointer replaced(double q) const override { return replaced_gaussian(mu_, q); }

 private:
  double mu_;
  double half_square_;
};

class LaplacePair final : public Pair {
 public:
  explicit LaplacePair(double scale) : end_(1 / scale) {}
  Masses interval(double low, double high) const override {
    // Inside (-end, end) both laws have exponential densities in the loss; P(L = end) = 1/2 and
    // Q(L = -end) = 1/2 are atoms. An interval with one of them has simple sums again.
    const bool top = low < end_ && high >= end_;
    const bool bottom = low < -end_ && high >= -end_;
    if (top && bottom) return {1, 1, 0, 0};
    const double a = std::clamp(low, -end_, end_);
    const double b = std::clamp(high, -end_, end_);
    if (top) return beside_the_end(a);
    if (bottom) return mirrored(beside_the_end(-b));
    return inside(a, b);
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      masses[i] = inside(std::clamp(edges[i], -end_, end_), std::clamp(edges[i + 1], -end_, end_));
    }
  }
  Masses highest_atom() const override { return {0.5, 0.5 * std::exp(-end_), end_, error()}; }
  Masses lowest_atom() const override { return mirrored(highest_atom()); }
  double lowest() const override { return -end_; }
  double highest() const override { return end_; }
  double upper_quantile(double /*log_tail*/) const override { return end_; }
  double lower_quantile(double log_tail) const override {
    // P(L <= l) = e^{(l - end)/2} / 2 from -end to below end.
    constexpr double log_2 = 0.69314718055994530942;
    const double inside = end_ + 2 * (1 + 1e-12) * (std::min(log_tail, -0.7) + log_2);
    return inside > -end_ ? inside : -end_ * (1 + 1e-15) - 1e-300;
  }
  PairPointer replaced(double q) const override { return replaced_laplace(end_, q); }

 private:
  double error() const { return 0x1p-48 + 0x1p-51 * end_; }
  /// {a < L < b}.
  Masses inside(double a, double b) const {
    const double share = -0.5 * std::expm1(-0.5 * (b - a));
    return {std::exp(-0.5 * (end_ - b)) * share, std::exp(-0.5 * (end_ + a)) * share, 0.5 * (a + b),
            error()};
  }
  /// {a < L <= end}.
  Masses beside_the_end(double a) const {
    const double share = -std::expm1(-0.5 * (end_ - a));
    return {0.5 + 0.5 * share, 0.5 * std::exp(-0.5 * (end_ + a)),
            std::log1p(share) + 0.5 * (end_ + a), error()};
  }
  static Masses mirrored(const Masses& m) { return {m.q, m.p, -m.log_ratio, m.ratio_error}; }

  double end_;
};

class BoundedRangePair final : public Pair {
 public:
  explicit BoundedRangePair(double epsilon) : end_(epsilon), scale_(-1 / std::expm1(-epsilon)) {}
  Masses interval(double low, double high) const override {
    const double a = std::clamp(low, -end_, end_);
    const double b = std::clamp(high, -end_, end_);
    const double share = -std::expm1(-0.5 * (b - a)) * scale_;
    // q is p with every loss mirrored; their ratio is exp of the interval's middle.
    return {std::exp(0.5 * (b - end_)) * share, std::exp(-0.5 * (a + end_)) * share,
            share == 0 ? 0.0 : 0.5 * (a + b), 0x1p-48 + 0x1p-51 * end_};
  }
  double lowest() const override { return -end_; }
  double highest() const override { return end_; }
  double upper_quantile(double /*log_tail*/) const override { return end_; }
  double lower_quantile(double /*log_tail*/) const override { return -end_; }

 private:
  double end_;
  double scale_;
};

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
      even = even && std::fabs(atoms_[i].loss - expected) <= 0x1p-49 * (1 + std::fabs(expected));
    }
    if (even) lattice_ = step;
  }
  double lattice() const override { return lattice_; }
  std::span<const Atom> list() const override { return atoms_; }
  /// On a Poisson sample: a list of losses again. Outcomes that only Q has get a finite one.
  PairPointer sampled(double q, Order order) const;
  /// On a uniform subset of a fraction gamma, see FixedSizePair.
  PairPointer subset(double gamma) const;
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
  /// Whether the first and the last atom are named apart from the others.
  bool has_ends() const { return atoms_.size() >= 2; }
  static Masses of(const Atom& atom) { return {atom.p, atom.q, atom.loss, error(atom.loss)}; }
  static double error(double loss) {
    return std::isfinite(loss) ? 0x1p-48 + 0x1p-50 * std::fabs(loss) : 0x1p-48;
  }
  /// What of `atoms` lies in (low, high], with a Q-mass apart.
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
  std::reverse(atoms.begin(), atoms.end());
  for (auto& one : atoms) one = {-one.loss, one.q, one.p};
  return std::make_unique<FinitePair>(std::move(atoms), 0, infinite);
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
  std::vector<Atom> atoms;
  for (auto it = positive.rbegin(); it != positive.rend(); ++it) {
    atoms.push_back({-it->loss, it->q, it->p});
  }
  rest = std::max(0.0, rest) + 0x1p-51;
  atoms.push_back({0, rest, rest});
  atoms.insert(atoms.end(), positive.begin(), positive.end());
  return std::make_unique<FinitePair>(std::move(atoms), infinite, infinite);
}

/// Over a base without outcomes that only one law has.
class PoissonPair final : public Pair {
 public:
  PoissonPair(PairPointer base, double q, Order order)
      : base_(std::move(base)), q_(q), order_(order) {}

  Masses interval(double low, double high) const override {
    return mixed(q_, order_,
                 order_ == Order::remove ? base_->interval(inner(low), inner(high))
                                         : base_->interval(inner(high), inner(low)));
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    const auto count = edges.size();
    std::vector<double> inside(count);
    const bool mirrored = order_ == Order::add;
    for (std::size_t i = 0; i < count; ++i) {
      inside[i] = inner(edges[mirrored ? count - 1 - i : i]);
    }
    base_->fill(inside, masses);
    for (auto& one : masses) one = mixed(q_, order_, one);
    if (mirrored) std::reverse(masses.begin(), masses.end());
  }
  Masses lowest_atom() const override {
    return mixed(q_, order_,
                 order_ == Order::remove ? base_->lowest_atom() : base_->highest_atom());
  }
  Masses highest_atom() const override {
    return mixed(q_, order_,
                 order_ == Order::remove ? base_->highest_atom() : base_->lowest_atom());
  }
  double lowest() const override {
    return order_ == Order::remove ? mixed_loss(q_, base_->lowest())
                                   : -mixed_loss(q_, base_->highest());
  }
  double highest() const override {
    return order_ == Order::remove ? mixed_loss(q_, base_->highest())
                                   : -mixed_loss(q_, base_->lowest());
  }
  double upper_quantile(double log_tail) const override {
    if (order_ == Order::remove) {
      return mixed_loss(q_, mixture_upper_quantile(*base_, q_, log_tail));
    }
    // Q(S <= -s) = P(S >= s) for a symmetric base.
    return -mixed_loss(q_, -base_->upper_quantile(log_tail));
  }
  double lower_quantile(double log_tail) const override {
    if (order_ == Order::remove) return mixed_loss(q_, -base_->upper_quantile(log_tail));
    return -mixed_loss(q_, -base_->lower_quantile(log_tail));
  }

 private:
  /// The base's loss at which the mixture has loss l. Rounding must not cut the ends off.
  double inner(double l) const {
    if (l <= lowest()) return order_ == Order::remove ? -infinity : infinity;
    if (l >= highest()) return order_ == Order::remove ? infinity : -infinity;
    return unmixed_loss(q_, order_ == Order::remove ? l : -l);
  }

  PairPointer base_;
  double q_;
  Order order_;
};

class FixedSizePair final : public Pair {
 public:
  FixedSizePair(PairPointer base, double gamma) : base_(std::move(base)), gamma_(gamma) {
    const auto positive = base_->interval(0, infinity);
    const double above = (1 - gamma_) * positive.q + gamma_ * (positive.p + base_->infinite_mass());
    // By symmetry, Q mirrors P: the rest of the mass sits at loss 0 under both laws.
    at_zero_ = std::max(0.0, 1 - above - positive.q) + 0x1p-51;
    if (!std::isfinite(above)) at_zero_ = 0;
  }
  Masses interval(double low, double high) const override { return among(low, high, at_zero_); }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      masses[i] = among(edges[i], edges[i + 1], 0);
    }
  }
  Masses zero_atom() const override { return {at_zero_, at_zero_, 0, 0}; }
  double infinite_mass() const override { return gamma_ * base_->infinite_mass(); }
  double lowest() const override { return -highest(); }
  double highest() const override { return mixed_loss(gamma_, base_->highest()); }
  double upper_quantile(double log_tail) const override {
    return mixed_loss(gamma_, mixture_upper_quantile(*base_, gamma_, log_tail));
  }
  double lower_quantile(double log_tail) const override {
    return -mixed_loss(gamma_, -base_->lower_quantile(log_tail));
  }

 private:
  /// The masses of an interval with `at_zero` at loss 0.
  [[nodiscard]] Masses among(double low, double high, double at_zero) const {
    const bool positive = high > 0;
    const bool negative = low < 0;
    const bool zero = negative && (positive || (high == 0 && at_zero > 0));
    auto above = nothing;
    auto below = nothing;
    if (positive) {
      above = mixed(gamma_, Order::remove, base_->interval(inner(std::max(low, 0.0)), inner(high)));
    }
    if (negative) {
      below = mixed(gamma_, Order::add, base_->interval(inner(-std::min(high, 0.0)), inner(-low)));
      if (low == -infinity) below.q += gamma_ * base_->infinite_mass();
    }
    if (!zero) return positive ? above : below;
    return joined(below, above, at_zero);
  }
  [[nodiscard]] double inner(double l) const { return unmixed_loss(gamma_, l); }

  PairPointer base_;
  double gamma_;
  double at_zero_ = 0;
};

}  // namespace

PairPointer gaussian(double mu) { return std::make_unique<GaussianPair>(mu); }
PairPointer laplace(double scale) { return std::make_unique<LaplacePair>(scale); }
PairPointer bounded_range(double epsilon) { return std::make_unique<BoundedRangePair>(epsilon); }

PairPointer finite(std::vector<Atom> atoms, double infinite_p, double infinite_q) {
  return std::make_unique<FinitePair>(std::move(atoms), infinite_p, infinite_q);
}

PairPointer approximate(double epsilon, double delta) {
  const double rest = 1 - delta;
  if (epsilon == 0) return finite({{0, rest, rest}}, delta, delta);
  const double likely = rest / (1 + std::exp(-epsilon));
  const double unlikely = rest / (1 + std::exp(epsilon));
  return finite({{-epsilon, unlikely, likely}, {epsilon, likely, unlikely}}, delta, delta);
}

PairPointer profile(const std::vector<Point>& points) {
  // Knots of delta as a function of a = e^epsilon: the given ones, their mirror images
  // delta(1/a) = 1 - 1/a + delta(a)/a, and (0, 1). Between knots the convex profile is at most the
  // chord, so its lower hull, piecewise linear, is that of a pair with atoms at the knots.
  struct Knot {
    double a;
    double delta;
  };
  // Near 1 numbers lie 2^-52 apart: epsilons and the mirrored deltas move outwards by more than
  // that.
  const auto outwards = [](double epsilon) {
    return epsilon == 0 ? 0 : epsilon * (1 + 0x1p-50) + 0x1p-50;
  };
  std::vector<Knot> knots{{0, 1}};
  for (auto it = points.rbegin(); it != points.rend(); ++it) {
    const double a = std::exp(-outwards(it->epsilon));
    if (it->epsilon > 0) knots.push_back({a, std::min(1.0, 1 - a + a * it->delta + 0x1p-51)});
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
  // is (2 k - shift) / scale for k from 0 to shift; both tails stand at its ends.
  constexpr double most_blocks = 0x1p13;
  const double one_plus_x = 1 + std::exp(-1 / scale);
  const double width = std::max(1.0, std::ceil((shift - 1) / most_blocks));
  const double end = shift / scale;
  const auto loss = [&](double k) { return (2 * k - shift) / scale; };
  std::vector<Atom> atoms;
  const auto stand = [&](double at, double p) { atoms.push_back({at, p, p * std::exp(-at)}); };
  atoms.push_back({-end, std::exp(-end) / one_plus_x, 1 / one_plus_x});
  for (double first = 1; first < shift; first += width) {
    // A block of integers has the mean of its ends' losses; its mass, a geometric sum, moves to
    // the ends so that both laws keep theirs, and the old pair is a post-processing of the new one.
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

PairPointer poisson(PairPointer base, double q, Order order) {
  if (const auto* list = dynamic_cast<const FinitePair*>(base.get())) {
    return list->sampled(q, order);
  }
  return std::make_unique<PoissonPair>(std::move(base), q, order);
}

PairPointer fixed_size(PairPointer base, double gamma) {
  if (const auto* list = dynamic_cast<const FinitePair*>(base.get())) return list->subset(gamma);
  return std::make_unique<FixedSizePair>(std::move(base), gamma);
}

}  // namespace tacet::accounting::pairs
