#include "tacet/accounting/loss/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;
constexpr double log_2 = 0.69314718055994530942;

/// The masses of (1 - q) N + q P against (1 - q) N + q P', from those of (P, N) and (P', N) on one
/// set.
Masses both_mixed(double q, const Masses& up, const Masses& down) {
  const double p = (1 - q) * up.q + q * up.p;
  const double other = (1 - q) * down.q + q * down.p;
  if (p == 0 && other == 0) return nothing;
  if (up.log_ratio == infinity || down.log_ratio == infinity) {
    return {p, other, log_of_ratio(p, other), infinity};
  }
  const double gain = mixed_loss(q, up.log_ratio);
  const double fall = mixed_loss(q, down.log_ratio);
  // The part of the errors of both ratios that the mixtures inherit.
  const double error = 2 * up.ratio_error * (p > 0 ? q * up.p / p : 1) +
                       2 * down.ratio_error * (other > 0 ? q * down.p / other : 1);
  return {p, other, gain - fall, error + numeric::ulps(4) * (std::fabs(gain) + std::fabs(fall))};
}

/// Let y be mu times the outcome and h = mu^2 / 2. The base's loss at y is y - h, and that of the
/// other record is -y - h. The pair's own loss is odd and increasing (replaced_record.md, section
/// 2).
class ReplacedGaussian final : public Pair {
 public:
  ReplacedGaussian(double mu, double q)
      : base_(gaussian(mu)),
        q_(q),
        half_square_(0.5 * mu * mu),
        log_odds_(std::log1p(-q) - std::log(q)) {}

  Masses interval(double low, double high) const override {
    const double from = outcome(low);
    const double to = outcome(high);
    return both_mixed(q_, base_->interval(from - half_square_, to - half_square_),
                      base_->interval(-to - half_square_, -from - half_square_));
  }
  bool is_odd() const override { return true; }
  double lowest() const override { return -infinity; }
  double highest() const override { return infinity; }
  double upper_quantile(double log_tail) const override {
    return loss(mixture_upper_quantile(*base_, q_, log_tail) + half_square_) * (1 + 1e-12);
  }
  double lower_quantile(double log_tail) const override {
    // The noise alone is the lower one of the two laws that P mixes, and it is symmetric.
    return loss(half_square_ - base_->upper_quantile(std::min(log_tail, -0.7))) * (1 + 1e-12);
  }

 private:
  [[nodiscard]] double loss(double y) const {
    return mixed_loss(q_, y - half_square_) - mixed_loss(q_, -y - half_square_);
  }
  /// The y with loss(y) = l: l / 2 + asinh((1 - q) / q e^h sinh(l / 2)). With a = (1 - q) / q e^h
  /// the equation is (a + e^y) / (a + e^-y) = e^l; it is 2 sinh(y - l / 2) = 2 a sinh(l / 2).
  [[nodiscard]] double outcome(double l) const {
    if (std::isinf(l)) return l;
    const double half = 0.5 * std::fabs(l);
    const double log_factor = log_odds_ + half_square_;
    const double log_argument = log_factor + (half > 20 ? half - log_2 : std::log(std::sinh(half)));
    const double share = log_argument > 20 ? log_argument + log_2
                         // the factor alone would overflow, its product with a small sinh may not
                         : log_factor > 700
                             ? std::asinh(std::exp(log_argument))
                             : std::asinh(std::exp(log_factor) * std::sinh(std::min(half, 700.0)));
    return std::copysign(half + share, l);
  }

  PairPointer base_;
  double q_;
  double half_square_;
  double log_odds_;
};

/// Outcomes x in units of the shift: beyond 1 and -1 the loss is constant. Between 0 and 1 the
/// record that moves to -1 leaves the constant share e^-epsilon of the noise.
class ReplacedLaplace final : public Pair {
 public:
  ReplacedLaplace(double epsilon, double q)
      : base_(laplace(1 / epsilon)),
        q_(q),
        base_end_(base_->highest()),
        floor_(mixed_loss(q, -base_end_)),
        end_(mixed_loss(q, base_end_) - floor_) {}

  Masses interval(double low, double high) const override { return among(low, high, true); }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      masses[i] = among(edges[i], edges[i + 1], false);
    }
  }
  Masses highest_atom() const override {
    const Masses top = base_->highest_atom();
    return dominating(top);
  }
  Masses lowest_atom() const override { return mirrored(highest_atom()); }
  double lowest() const override { return -end_; }
  double highest() const override { return end_; }
  double upper_quantile(double /*log_tail*/) const override { return end_; }
  double lower_quantile(double log_tail) const override {
    // P(x <= y) <= e^{y / b} / 2 for y below 0, noise alone being the lower of what P mixes.
    const double distance = -(log_tail + log_2) * (1 + 1e-12);
    if (!(distance < base_end_)) return -end_ * (1 + 1e-15) - 1e-300;
    const double loss = floor_ - mixed_loss(q_, 2 * std::max(distance, 0.0) - base_end_);
    return loss - 1e-12 * std::fabs(loss);
  }

 private:
  /// The base's masses on outcomes above 0, where the other record leaves the share e^-epsilon of
  /// the noise.
  [[nodiscard]] Masses dominating(const Masses& m) const {
    const Masses other{m.q * std::exp(-base_end_), m.q, -base_end_, numeric::ulps(1) * base_end_};
    return both_mixed(q_, m, other);
  }
  /// The masses of losses in (low, high), 0 <= low < high, with or without the atom at the largest
  /// loss.
  [[nodiscard]] Masses positive(double low, double high, bool with_end) const {
    const double from = low <= 0 ? -base_end_ : inner(low);
    const double to = high >= end_ ? base_end_ : inner(high);
    Masses m = nothing;
    if (with_end) {
      m = base_->interval(from, to);
    } else {
      const std::array edges{from, to};
      base_->fill(edges, {&m, 1});
    }
    return dominating(m);
  }
  [[nodiscard]] Masses among(double low, double high, bool with_ends) const {
    Masses above = nothing;
    Masses below = nothing;
    if (high > 0 && low < end_) above = positive(std::max(low, 0.0), high, with_ends);
    if (low < 0 && high >= -end_) {
      below = mirrored(positive(std::max(-high, 0.0), -low, with_ends && low < -end_));
    }
    if (below.p == 0 && below.q == 0) return above;
    if (above.p == 0 && above.q == 0) return below;
    return joined(below, above, 0);
  }
  [[nodiscard]] double inner(double l) const {
    return std::clamp(unmixed_loss(q_, l + floor_), -base_end_, base_end_);
  }

  PairPointer base_;
  double q_;
  double base_end_;
  double floor_;  ///< log(1 - q + q e^-epsilon)
  double end_;
};

/// Walks through a base's losses from one end, and tracks what is left of the current one.
class Walk {
 public:
  Walk(std::vector<Atom> atoms) : atoms_(std::move(atoms)) { start(); }
  [[nodiscard]] bool done() const { return place_ == atoms_.size(); }
  [[nodiscard]] const Atom& atom() const { return atoms_[place_]; }
  [[nodiscard]] double left() const { return left_; }
  void advance(double length) {
    left_ -= length;
    if (left_ > 0) return;
    ++place_;
    start();
  }

 private:
  void start() {
    while (!done() && atom().q <= 0) ++place_;
    left_ = done() ? 0 : atom().q;
  }

  std::vector<Atom> atoms_;
  std::size_t place_ = 0;
  double left_ = 0;
};

}  // namespace

PairPointer replaced_gaussian(double mu, double q) {
  return std::make_unique<ReplacedGaussian>(mu, q);
}

PairPointer replaced_laplace(double epsilon, double q) {
  return std::make_unique<ReplacedLaplace>(epsilon, q);
}

PairPointer replaced_list(std::span<const Atom> base, double infinite_p, double infinite_q,
                          double q) {
  // From the top this gives the slope of G at t, from the bottom its slope at 1 - t. Mass that only
  // Q has comes last in G. More of it makes the pair larger, so it is rounded up.
  std::vector<Atom> bottom;
  std::vector<Atom> top(base.rbegin(), base.rend());
  if (infinite_q > 0) {
    const Atom only_q{-infinity, 0, infinite_q + numeric::ulps(4)};
    bottom.push_back(only_q);
    top.push_back(only_q);
  }
  bottom.insert(bottom.end(), base.begin(), base.end());
  Walk falling(std::move(top));
  Walk rising(std::move(bottom));
  std::vector<Atom> positive;
  double infinite = q * infinite_p;
  // The second half of [0, 1] mirrors the first one. Rounding moves the boundary of a loss by a few
  // roundings of the length before it, which is within the error that masses may have.
  constexpr double min = 1e-290;  // below, numbers lose their precision
  double done = 0;
  while (done < 0.5 && !falling.done() && !rising.done()) {
    const double length = std::min({falling.left(), rising.left(), 0.5 - done});
    const auto& high = falling.atom();
    const auto& low = rising.atom();
    const double p = (1 - q) * length + q * high.p * (length / high.q);
    const double other = (1 - q) * length + q * low.p * (length / low.q);
    if (length < min) {
      infinite += p;
    } else {
      // If both slopes are 0 (a certain sample), there is no mass on either side.
      const bool equal = high.loss == low.loss;
      const double loss = equal ? 0 : mixed_loss(q, high.loss) - mixed_loss(q, low.loss);
      positive.push_back({std::max(loss, 0.0), p, other});
    }
    done += length;
    falling.advance(length);
    rising.advance(length);
  }
  // Rounding may leave a list short of 1. A loss law that lacks mass would understate compositions.
  if (done < 0.5) positive.push_back({0, (1 - q) * (0.5 - done), (1 - q) * (0.5 - done)});
  double at_zero = 0;
  std::vector<Atom> above;
  for (const auto& one : positive) {
    if (one.loss > 0) {
      above.push_back(one);
    } else {
      at_zero += one.p + one.q;
    }
  }
  std::reverse(above.begin(), above.end());
  return finite(symmetric(above, at_zero), infinite, infinite);
}

}  // namespace tacet::accounting::pairs
