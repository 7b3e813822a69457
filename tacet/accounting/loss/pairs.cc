#include "tacet/accounting/loss/pairs.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pairs {

void Pair::fill(std::span<const double> edges, std::span<Masses> masses) const {
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) masses[i] = interval(edges[i], edges[i + 1]);
}

PairPointer Pair::replaced(double /*q*/) const { return nullptr; }
PairPointer Pair::sampled(double /*q*/, Order /*order*/) const { return nullptr; }
PairPointer Pair::subset(double /*gamma*/) const { return nullptr; }

namespace {

using numeric::normal_interval;

using numeric::infinity;

/// N(mu, 1) against N(0, 1). The loss of an outcome is normal with variance mu^2 and the mean mu^2
/// / 2 under P, -mu^2 / 2 under Q (Balle, Wang 2018, lemma 3).
class GaussianPair final : public Pair {
 public:
  explicit GaussianPair(double mu) : mu_(mu), half_square_(0.5 * mu * mu) {}
  Masses interval(double low, double high) const override {
    const double p = normal_interval((low - half_square_) / mu_, (high - half_square_) / mu_);
    const double q = normal_interval((low + half_square_) / mu_, (high + half_square_) / mu_);
    // Rounding an argument z changes the log density by about z^2 roundings.
    const double z = (std::min(std::fabs(low), std::fabs(high)) + half_square_) / mu_;
    return {p, q, log_of_ratio(p, q), numeric::ulps(16) + numeric::ulps(8) * z * z};
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

/// Two Laplace laws of the same scale whose centres are 1 apart. Between the centres the loss is
/// linear in the outcome, and outside of them it is constant. So it has the density e^((l - end) /
/// 2) / 4 under P within (-end, end), end = 1 / scale, and atoms at both ends.
class LaplacePair final : public Pair {
 public:
  explicit LaplacePair(double scale) : end_(1 / scale) {}
  Masses interval(double low, double high) const override {
    // Inside (-end, end) both laws have exponential densities in the loss; P(L = end) = 1/2 and Q(L
    // = -end) = 1/2 are atoms. If an interval contains one of them, its sums have a simple closed
    // form.
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
  double error() const { return numeric::ulps(16) + numeric::ulps(2) * end_; }
  /// Masses of {a < L < b}.
  Masses inside(double a, double b) const {
    const double share = -0.5 * std::expm1(-0.5 * (b - a));
    return {std::exp(-0.5 * (end_ - b)) * share, std::exp(-0.5 * (end_ + a)) * share, 0.5 * (a + b),
            error()};
  }
  /// Masses of {a < L <= end}.
  Masses beside_the_end(double a) const {
    const double share = -std::expm1(-0.5 * (end_ - a));
    return {0.5 + 0.5 * share, 0.5 * std::exp(-0.5 * (end_ + a)),
            std::log1p(share) + 0.5 * (end_ + a), error()};
  }

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
            share == 0 ? 0.0 : 0.5 * (a + b), numeric::ulps(16) + numeric::ulps(2) * end_};
  }
  double lowest() const override { return -end_; }
  double highest() const override { return end_; }
  double upper_quantile(double /*log_tail*/) const override { return end_; }
  double lower_quantile(double /*log_tail*/) const override { return -end_; }

 private:
  double end_;
  double scale_;
};

}  // namespace

PairPointer gaussian(double mu) { return std::make_unique<GaussianPair>(mu); }
PairPointer laplace(double scale) { return std::make_unique<LaplacePair>(scale); }
PairPointer bounded_range(double epsilon) { return std::make_unique<BoundedRangePair>(epsilon); }

}  // namespace tacet::accounting::pairs
