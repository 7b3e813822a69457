// Samples of pairs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/accounting/loss/pairs.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;

/// The pair (1 - q) Q + q P against Q, or the other way round. No outcome of the base belongs to
/// one law only (Zhu, Dong, Wang 2022, theorem 11; docs/proofs/accountant.md, section 1).
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
  /// The base's loss at which the mixture has the loss l. Rounding must not cut the ends off.
  double inner(double l) const {
    if (l <= lowest()) return order_ == Order::remove ? -infinity : infinity;
    if (l >= highest()) return order_ == Order::remove ? infinity : -infinity;
    return unmixed_loss(q_, order_ == Order::remove ? l : -l);
  }

  PairPointer base_;
  double q_;
  Order order_;
};

/// Above 0 it has the losses of the order `remove`, below 0 those of `add` (Balle, Barthe, Gaboardi
/// 2018, theorem 9 with Zhu, Dong, Wang 2022; docs/proofs/accountant.md, section 1).
class FixedSizePair final : public Pair {
 public:
  FixedSizePair(PairPointer base, double gamma) : base_(std::move(base)), gamma_(gamma) {
    const auto positive = base_->interval(0, infinity);
    const double above = (1 - gamma_) * positive.q + gamma_ * (positive.p + base_->infinite_mass());
    // By symmetry, Q mirrors P: the rest of the mass sits at loss 0 under both laws.
    at_zero_ = std::max(0.0, 1 - above - positive.q) + numeric::ulps(2);
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
    // P(L <= l) = P(S <= -s) of the base, for any loss -s below 0 that mixes to l. The base's own
    // quantile may lie above 0, but the mass at 0 is not a tail here.
    const double below_zero = -1e-6 * std::fabs(base_->upper_quantile(log_tail));
    const double base = std::min(base_->lower_quantile(log_tail), below_zero);
    return -mixed_loss(gamma_, -base);
  }

 private:
  /// The masses of an interval, with `at_zero` added at loss 0.
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

PairPointer poisson(PairPointer base, double q, Order order) {
  if (auto own = base->sampled(q, order)) return own;
  return std::make_unique<PoissonPair>(std::move(base), q, order);
}

PairPointer fixed_size(PairPointer base, double gamma) {
  if (auto own = base->subset(gamma)) return own;
  return std::make_unique<FixedSizePair>(std::move(base), gamma);
}

}  // namespace tacet::accounting::pairs
