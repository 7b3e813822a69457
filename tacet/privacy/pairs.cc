#include "tacet/privacy/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/numeric/special.h"

namespace tacet::privacy::pairs {

void Pair::fill(std::span<const double> edges, std::span<Masses> masses) const {
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) masses[i] = interval(edges[i], edges[i + 1]);
}

namespace {

using numeric::normal_interval;

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_of_ratio(double p, double q) {
  if (p == 0) return -infinity;
  return q == 0 ? infinity : std::log(p / q);
}

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

 private:
  double mu_;
  double half_square_;
};

class LaplacePair final : public Pair {
 public:
  explicit LaplacePair(double scale) : end_(1 / scale) {}
  Masses interval(double low, double high) const override {
    // Inside (-end, end) both laws have exponential densities in the loss; P(L = end) = 1/2 and
    // Q(L = -end) = 1/2 are atoms.
    const double a = std::clamp(low, -end_, end_);
    const double b = std::clamp(high, -end_, end_);
    const double growth = std::expm1(0.5 * (b - a));
    double p = 0.5 * std::exp(-0.5 * (end_ - a)) * growth;
    double q = 0.5 * std::exp(-0.5 * (end_ + b)) * growth;
    if (low < end_ && high >= end_) {
      p += 0.5;
      q += 0.5 * std::exp(-end_);
    }
    if (low < -end_ && high >= -end_) {
      p += 0.5 * std::exp(-end_);
      q += 0.5;
    }
    return {p, q, log_of_ratio(p, q)};
  }
  double lowest() const override { return -end_; }
  double highest() const override { return end_; }
  double upper_quantile(double /*log_tail*/) const override { return end_; }
  double lower_quantile(double /*log_tail*/) const override { return -end_ * (1 + 1e-15) - 1e-300; }

 private:
  double end_;
};

class BoundedRangePair final : public Pair {
 public:
  explicit BoundedRangePair(double epsilon)
      : end_(epsilon), scale_(1 / (2 * std::sinh(0.5 * epsilon))) {}
  Masses interval(double low, double high) const override {
    const double a = std::clamp(low, -end_, end_);
    const double b = std::clamp(high, -end_, end_);
    const double growth = std::expm1(0.5 * (b - a)) * scale_;
    // q is p with every loss mirrored; their ratio is exp of the interval's middle.
    return {std::exp(0.5 * a) * growth, std::exp(-0.5 * b) * growth,
            growth == 0 ? 0.0 : 0.5 * (a + b)};
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
  Masses interval(double low, double high) const override {
    if (!(low < high)) return {0, 0, -infinity};
    double p = 0;
    double q = low == -infinity ? infinite_q_ : 0;
    const auto by_loss = [](double loss, const Atom& atom) { return loss < atom.loss; };
    auto it = std::upper_bound(atoms_.begin(), atoms_.end(), low, by_loss);
    const auto end = std::upper_bound(it, atoms_.end(), high, by_loss);
    double single = 0;
    const bool alone = q == 0 && std::distance(it, end) == 1;
    if (alone) single = it->loss;
    for (; it != end; ++it) {
      p += it->p;
      q += it->q;
    }
    return {p, q, alone ? single : log_of_ratio(p, q)};
  }
  double infinite_mass() const override { return infinite_p_; }
  double lowest() const override { return atoms_.empty() ? 0 : atoms_.front().loss; }
  double highest() const override { return atoms_.empty() ? 0 : atoms_.back().loss; }
  double upper_quantile(double /*log_tail*/) const override { return highest(); }
  double lower_quantile(double /*log_tail*/) const override {
    return std::nextafter(lowest(), -infinity);
  }

 private:
  std::vector<Atom> atoms_;
  double infinite_p_;
  double infinite_q_;
  double lattice_ = 0;
};

/// log(1 - q + q e^s).
double mixed_loss(double q, double s) {
  if (s == -infinity) return std::log1p(-q);
  return s > 0 ? s + std::log(q + (1 - q) * std::exp(-s)) : std::log1p(q * std::expm1(s));
}

/// The s with mixed_loss(q, s) = l, minus infinity at or below the smallest loss.
double unmixed_loss(double q, double l) {
  if (l > 1) return l == infinity ? l : l + std::log1p(-(1 - q) * std::exp(-l)) - std::log(q);
  const double t = std::expm1(l) / q;
  return t > -1 ? std::log1p(t) : -infinity;
}

/// A loss beyond which the mixture (1 - q) Q + q P of a symmetric base has at most e^log_tail.
double mixture_upper_quantile(const Pair& base, double q, double log_tail) {
  // Half of the tail for each part; Q(S > s) <= e^-s P(S > s).
  const double log_half = -0.69314718055994530942;
  const double relaxed = std::min(log_tail + log_half - std::log(q), log_half);
  const double s = base.upper_quantile(relaxed);
  if (s > 0 && std::log1p(-q) - s + relaxed <= log_tail + log_half) return s;
  return base.upper_quantile(log_tail);
}

class PoissonPair final : public Pair {
 public:
  PoissonPair(PairPointer base, double q, Order order)
      : base_(std::move(base)), q_(q), order_(order) {}

  Masses interval(double low, double high) const override {
    if (order_ == Order::remove) {
      return mix(base_->interval(unmixed_loss(q_, low), unmixed_loss(q_, high)));
    }
    return mix(base_->interval(unmixed_loss(q_, -high), unmixed_loss(q_, -low)));
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    const auto count = edges.size();
    std::vector<double> inner(count);
    const bool mirrored = order_ == Order::add;
    for (std::size_t i = 0; i < count; ++i) {
      inner[i] = unmixed_loss(q_, mirrored ? -edges[count - 1 - i] : edges[i]);
    }
    base_->fill(inner, masses);
    for (auto& one : masses) one = mix(one);
    if (mirrored) std::reverse(masses.begin(), masses.end());
  }
  double infinite_mass() const override {
    return order_ == Order::remove ? q_ * base_->infinite_mass() : 0;
  }
  double lowest() const override {
    return order_ == Order::remove ? mixed_loss(q_, base_lowest())
                                   : -mixed_loss(q_, base_->highest());
  }
  double highest() const override {
    return order_ == Order::remove ? mixed_loss(q_, base_->highest())
                                   : -mixed_loss(q_, base_lowest());
  }
  double upper_quantile(double log_tail) const override {
    if (order_ == Order::remove) {
      return mixed_loss(q_, mixture_upper_quantile(*base_, q_, log_tail));
    }
    // Q(S <= -s) = P(S >= s) for a symmetric base; outcomes that only Q has cannot be cut off.
    if (base_lowest() < base_->lowest()) return highest();
    return -mixed_loss(q_, -base_->upper_quantile(log_tail));
  }
  double lower_quantile(double log_tail) const override {
    if (order_ == Order::remove) return mixed_loss(q_, -base_->upper_quantile(log_tail));
    return -mixed_loss(q_, -base_->lower_quantile(log_tail));
  }

 private:
  /// The smallest loss of the base, minus infinity included.
  double base_lowest() const {
    const double lowest = base_->lowest();
    if (!std::isfinite(lowest)) return lowest;
    const double below = std::nextafter(lowest, -infinity);
    return base_->interval(-infinity, below).q > 0 ? -infinity : lowest;
  }

  Masses mix(const Masses& m) const {
    const double mixture = (1 - q_) * m.q + q_ * m.p;
    const double error = mixture > 0 ? q_ * m.p / mixture : 1;  // of log1p to that of p / q
    const double ratio = m.q == 0 && mixture == 0 ? 0 : log_mixture_ratio(m, mixture);
    const double ratio_error =
        std::isfinite(ratio) ? 2 * m.ratio_error * error + 0x1p-50 * std::fabs(ratio) : 0x1p-47;
    if (order_ == Order::remove) return {mixture, m.q, ratio, ratio_error};
    return {m.q, mixture, m.q == 0 ? -infinity : -ratio, ratio_error};
  }

  /// log of mixture / q, precise where both hardly differ.
  double log_mixture_ratio(const Masses& m, double mixture) const {
    if (m.q == 0) return mixture == 0 ? 0 : infinity;
    const double ratio = m.p / m.q;
    if (!std::isfinite(ratio)) return std::log(mixture) - std::log(m.q);
    return std::log1p(q_ * (ratio - 1));
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
  Masses interval(double low, double high) const override {
    double p = 0;
    double q = 0;
    double log_ratio = 0;
    int parts = 0;
    if (high > 0) {
      const auto m =
          base_->interval(unmixed_loss(gamma_, std::max(low, 0.0)), unmixed_loss(gamma_, high));
      p += (1 - gamma_) * m.q + gamma_ * m.p;
      q += m.q;
      if (m.q > 0) log_ratio = std::log1p(gamma_ * (m.p / m.q - 1));
      if (p > 0 && m.q == 0) log_ratio = infinity;
      ++parts;
    }
    if (low < 0) {
      const auto m =
          base_->interval(unmixed_loss(gamma_, -std::min(high, 0.0)), unmixed_loss(gamma_, -low));
      p += m.q;
      q += (1 - gamma_) * m.q + gamma_ * m.p;
      if (low == -infinity) q += gamma_ * base_->infinite_mass();
      if (m.q > 0) log_ratio = -std::log1p(gamma_ * (m.p / m.q - 1));
      ++parts;
    }
    if (low < 0 && high >= 0) {
      p += at_zero_;
      q += at_zero_;
      ++parts;
    }
    if (parts > 1 || !std::isfinite(log_ratio)) log_ratio = log_of_ratio(p, q);
    if (p == 0) log_ratio = -infinity;
    return {p, q, log_ratio};
  }
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
  std::vector<Knot> knots{{0, 1}};
  for (auto it = points.rbegin(); it != points.rend(); ++it) {
    const double a = std::exp(-it->epsilon);
    if (it->epsilon > 0) knots.push_back({a, std::min(1.0, 1 - a + a * it->delta)});
  }
  for (const auto& point : points) knots.push_back({std::exp(point.epsilon), point.delta});
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

PairPointer poisson(PairPointer base, double q, Order order) {
  return std::make_unique<PoissonPair>(std::move(base), q, order);
}

PairPointer fixed_size(PairPointer base, double gamma) {
  return std::make_unique<FixedSizePair>(std::move(base), gamma);
}

}  // namespace tacet::privacy::pairs
