#include "tacet/accounting/loss/pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::pairs {
namespace {

using numeric::infinity;
/// Numbers of sampled records that are rarer than this count as all k records, which costs more.
/// Smaller probabilities are not precise in a double anyway.
constexpr double min_weight = 1e-300;
constexpr std::int64_t max_parts = 128;
/// If more parts than max_parts are left, numbers rarer than this count as all k records already.
/// The likely numbers then keep parts of their own.
constexpr double min_of_many = 1e-60;

/// The probabilities of Bin(k, q), from the most likely number outwards by the ratios of
/// neighbours. Each step adds a relative error of three roundings.
struct Binomial {
  std::int64_t first;
  std::vector<double> weights;  ///< of first, first + 1, ...
  double rest;                  ///< at least the probability of all other numbers

  Binomial(std::int64_t k, double q, double min = min_weight) : rest(0) {
    const auto count = static_cast<double>(k);
    const auto mode = std::min(k, static_cast<std::int64_t>((count + 1) * q));
    const double odds = q / (1 - q);
    std::vector<double> below;
    double weight = 1;
    for (std::int64_t j = mode; j > 0 && weight > min; --j) {
      weight *= static_cast<double>(j) / static_cast<double>(k - j + 1) / odds;
      if (weight > min) below.push_back(weight);
    }
    first = mode - static_cast<std::int64_t>(below.size());
    weights.assign(below.rbegin(), below.rend());
    weights.push_back(1);
    weight = 1;
    for (std::int64_t j = mode; j < k && weight > min; ++j) {
      weight *= static_cast<double>(k - j) / static_cast<double>(j + 1) * odds;
      if (weight > min) weights.push_back(weight);
    }
    double total = 0;
    for (const double one : weights) total += one;
    for (double& one : weights) one /= total;
    if (first > 0 || last() < k) rest = min * count;
  }
  [[nodiscard]] std::int64_t last() const {
    return first + static_cast<std::int64_t>(weights.size()) - 1;
  }
};

/// One normal law of the mixture.
struct Part {
  double shift;
  double weight;
  double log_weight;
};

/// The mixture M = sum_i w_i N(m_i, 1) and its loss against N = N(0, 1), increasing in the outcome
/// x: l(x) = log sum_i w_i e^{m_i x - m_i^2 / 2}.
class Mixture {
 public:
  explicit Mixture(const SampledUnit& unit) {
    const Binomial law(unit.records, unit.rate, is_exact(unit) ? min_weight : min_of_many);
    const auto size = static_cast<std::int64_t>(law.weights.size());
    const std::int64_t width = (size + max_parts - 1) / max_parts;
    const double step = unit.mu / static_cast<double>(unit.records) * numeric::up_ulps(1);
    const auto stand = [&](std::int64_t j, double weight) {
      if (j == 0) {
        at_zero_ = weight;
      } else {
        parts_.push_back({static_cast<double>(j) * step, weight, std::log(weight)});
      }
    };
    for (std::int64_t begin = 0; begin < size; begin += width) {
      const auto end = std::min(begin + width, size);
      double weight = 0;
      for (auto j = begin; j < end; ++j) weight += law.weights[static_cast<std::size_t>(j)];
      stand(law.first + end - 1, weight);
    }
    if (law.last() < unit.records) stand(unit.records, law.rest);
    for (const auto& part : parts_) moved_ += part.weight;
  }

  /// The masses of M and N between two outcomes, and their ratio. The ratio comes from the parts'
  /// surpluses over N, so that rare numbers of records keep their digits.
  [[nodiscard]] Masses between(double from, double to) const {
    if (!(from < to)) return nothing;
    const double q = numeric::normal_interval(from, to);
    double p = at_zero_ * q;
    double excess = 0;
    double error = 0;
    const double min = min_exponent(from, to);
    const double own = stddev(from, to);
    for (const auto& part : parts_) {
      if (part.log_weight + highest(part, from, to) < min) {
        excess -= part.weight * q;
        continue;
      }
      const double mass = numeric::normal_interval(from - part.shift, to - part.shift);
      p += part.weight * mass;
      excess += part.weight * (mass - q);
      // Rounding an argument z = x - m moves the log density by z (z + m) units.
      const double z = stddev(from - part.shift, to - part.shift);
      const double units = z * (z + part.shift) + own * own;
      error += part.weight *
               (mass * (numeric::ulps(64) + numeric::ulps(8) * units) + numeric::ulps(4) * q);
    }
    if (p == 0 && q == 0) return nothing;
    if (p == 0 || q < 1e-290) return {p, q, log_of_ratio(p, q), numeric::ulps(32)};
    const double share = excess / q;
    const double ratio = share > -0.5 ? std::log1p(share) : log_of_ratio(p, q);
    return {p, q, ratio, error / p + numeric::ulps(4) * std::fabs(ratio)};
  }

  [[nodiscard]] double lowest() const {
    return at_zero_ == 0 ? -infinity : at_zero_ < 0.5 ? std::log(at_zero_) : std::log1p(-moved_);
  }

  struct Value {
    double value;
    double slope;
  };
  /// l(x) and its derivative.
  [[nodiscard]] Value loss_at(double x) const {
    if (x == -infinity) return {lowest(), 0};
    double excess = 0;
    double slope = 0;
    for (const auto& part : parts_) {
      const double gain = std::expm1(part.shift * (x - 0.5 * part.shift));
      excess += part.weight * gain;
      slope += part.shift * part.weight * (gain + 1);
    }
    if (excess > -0.5 && excess < 1) return {std::log1p(excess), slope / (1 + excess)};
    const auto rest = moved(x);
    if (at_zero_ == 0) return rest;
    const double zero = std::log(at_zero_);
    const double top = std::max(rest.value, zero);
    const double share = std::exp(rest.value - top);
    const double sum = share + std::exp(zero - top);
    return {top + std::log(sum), rest.slope * share / sum};
  }
  [[nodiscard]] double loss(double x) const { return loss_at(x).value; }

  /// The x with loss(x) = l; minus infinity at or below the smallest loss. Without its constant
  /// part, the loss is convex and its slope is at least the smallest shift. Each part alone gives
  /// an x that is not too small. From there Newton's steps fall monotonically to the root.
  [[nodiscard]] double outcome(double l) const {
    if (std::isinf(l)) return l;
    const double goal = moved_loss(l);
    if (goal == -infinity) return goal;
    double x = infinity;
    for (const auto& part : parts_) {
      x = std::min(x, (goal - part.log_weight) / part.shift + 0.5 * part.shift);
    }
    constexpr int max_steps = 100;
    for (int i = 0; i < max_steps; ++i) {
      const auto [value, slope] = moved(x);
      const double step = (value - goal) / slope;
      if (!(step > numeric::ulps(2) * std::fabs(x))) break;
      x -= step;
    }
    return x;
  }

  /// An x with M(X > x) <= e^log_tail.
  [[nodiscard]] double upper_outcome(double log_tail) const {
    const double noise = -numeric::normal_quantile_from_log(std::min(log_tail, -0.7)) + 1e-9;
    double safe = noise + parts_.back().shift;
    double unsafe = noise;
    const double allowed = std::exp(log_tail) * (1 - 1e-6);
    for (int i = 0; i < 40 && safe - unsafe > 1e-4; ++i) {
      const double middle = 0.5 * (safe + unsafe);
      const double tail = between(middle, infinity).p;
      // far below, the masses lose their precision
      (tail > 1e-290 && tail <= allowed ? safe : unsafe) = middle;
    }
    return safe;
  }
  /// An x with M(X <= x) <= e^log_tail. The noise alone gives one, since it lies below M.
  [[nodiscard]] static double lower_outcome(double log_tail) {
    return numeric::normal_quantile_from_log(std::min(log_tail, -0.7)) - 1e-9;
  }

 private:
  /// The log of the sum of the parts with a shift above 0, and its derivative.
  [[nodiscard]] Value moved(double x) const {
    double top = -infinity;
    for (const auto& part : parts_) {
      top = std::max(top, part.log_weight + part.shift * (x - 0.5 * part.shift));
    }
    double sum = 0;
    double first = 0;
    for (const auto& part : parts_) {
      const double term = std::exp(part.log_weight + part.shift * (x - 0.5 * part.shift) - top);
      sum += term;
      first += part.shift * term;
    }
    return {top + std::log(sum), first / sum};
  }
  /// The value of moved(x) at which the loss is l.
  [[nodiscard]] double moved_loss(double l) const {
    if (at_zero_ == 0) return l;
    if (l > 1) return l + std::log1p(-at_zero_ * std::exp(-l));
    const double sum = l < -0.5 ? std::exp(l) - at_zero_ : std::expm1(l) + moved_;
    return sum > 0 ? std::log(sum) : -infinity;
  }
  static double stddev(double from, double to) {
    const double nearest = std::min(std::fabs(from), std::fabs(to));
    return std::isfinite(nearest) ? nearest : 0;
  }
  /// The largest exponent of one part's density over the density of the noise in [from, to].
  static double highest(const Part& part, double from, double to) {
    const double x = std::isfinite(to) ? to : from;
    return std::isfinite(x) ? part.shift * (x - 0.5 * part.shift) : infinity;
  }
  /// Parts below this exponent add less than rounding does.
  [[nodiscard]] double min_exponent(double from, double to) const {
    if (!std::isfinite(from) || !std::isfinite(to)) return -infinity;
    double top = -infinity;
    for (const auto& part : parts_) {
      top = std::max(top, part.log_weight + part.shift * (from - 0.5 * part.shift));
    }
    return top - 60;
  }

  double at_zero_ = 0;
  double moved_ = 0;         ///< sum of the weights of `parts_`
  std::vector<Part> parts_;  ///< with shifts above 0, ascending
};

/// The loss, raised by more than rounding may have lowered it.
double above(double loss) { return loss + 1e-12 * std::fabs(loss); }
double below(double loss) { return loss - 1e-12 * std::fabs(loss); }

/// M against N, or N against M.
class BinomialGaussian final : public Pair {
 public:
  BinomialGaussian(const SampledUnit& unit, Order order) : mixture_(unit), order_(order) {}

  Masses interval(double low, double high) const override {
    return order_ == Order::remove ? faced(mixture_.outcome(low), mixture_.outcome(high))
                                   : faced(mixture_.outcome(-high), mixture_.outcome(-low));
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    const double sign = order_ == Order::remove ? 1 : -1;
    double before = mixture_.outcome(sign * edges[0]);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      const double next = mixture_.outcome(sign * edges[i + 1]);
      masses[i] = order_ == Order::remove ? faced(before, next) : faced(next, before);
      before = next;
    }
  }
  double lowest() const override { return order_ == Order::remove ? mixture_.lowest() : -infinity; }
  double highest() const override {
    return order_ == Order::remove ? infinity : -mixture_.lowest();
  }
  double upper_quantile(double log_tail) const override {
    if (order_ == Order::remove) return above(mixture_.loss(mixture_.upper_outcome(log_tail)));
    return above(-mixture_.loss(Mixture::lower_outcome(log_tail)));
  }
  double lower_quantile(double log_tail) const override {
    if (order_ == Order::remove) return below(mixture_.loss(Mixture::lower_outcome(log_tail)));
    return below(-mixture_.loss(-Mixture::lower_outcome(log_tail)));
  }

 private:
  /// The masses between two outcomes, in either order: rounding may have exchanged neighbours.
  [[nodiscard]] Masses faced(double from, double to) const {
    const auto m = mixture_.between(from, std::max(from, to));
    return order_ == Order::remove ? m : mirrored(m);
  }

  Mixture mixture_;
  Order order_;
};

/// M against its mirror image.
class ReplacedBinomialGaussian final : public Pair {
 public:
  explicit ReplacedBinomialGaussian(const SampledUnit& unit) : mixture_(unit) {}

  Masses interval(double low, double high) const override {
    return between(outcome(low), outcome(high));
  }
  void fill(std::span<const double> edges, std::span<Masses> masses) const override {
    double before = outcome(edges[0]);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      const double next = outcome(edges[i + 1]);
      masses[i] = between(before, next);
      before = next;
    }
  }
  bool is_odd() const override { return true; }
  double lowest() const override { return -infinity; }
  double highest() const override { return infinity; }
  double upper_quantile(double log_tail) const override {
    return above(loss_at(mixture_.upper_outcome(log_tail)).value);
  }
  double lower_quantile(double log_tail) const override {
    return below(loss_at(Mixture::lower_outcome(log_tail)).value);
  }

 private:
  [[nodiscard]] Mixture::Value loss_at(double x) const {
    const auto up = mixture_.loss_at(x);
    const auto down = mixture_.loss_at(-x);
    return {up.value - down.value, up.slope + down.slope};
  }
  [[nodiscard]] Masses between(double from, double to) const {
    const auto up = mixture_.between(from, std::max(from, to));
    const auto down = mixture_.between(-std::max(from, to), -from);
    if (up.p == 0 && down.p == 0) return nothing;
    if (std::isinf(up.log_ratio) || std::isinf(down.log_ratio)) {
      return {up.p, down.p, log_of_ratio(up.p, down.p), infinity};
    }
    return {up.p, down.p, up.log_ratio - down.log_ratio, up.ratio_error + down.ratio_error};
  }
  /// The x with loss l, which is odd: For l above 0, Newton's method searches between two outcomes:
  /// where the mixture alone has the loss l, and where it has l less the largest loss of its mirror
  /// image.
  [[nodiscard]] double outcome(double l) const {
    if (std::isinf(l) || l == 0) return l;
    const double goal = std::fabs(l);
    const double min = mixture_.lowest();
    double low = min == -infinity ? 0 : std::max(0.0, mixture_.outcome(goal + min));
    double high = std::max(low, mixture_.outcome(goal));
    double x = high;
    constexpr int max_steps = 200;
    for (int i = 0; i < max_steps && high - low > numeric::ulps(2) * high; ++i) {
      const auto [value, slope] = loss_at(x);
      (value > goal ? high : low) = x;
      const double step = (value - goal) / slope;
      if (std::fabs(step) <= numeric::ulps(2) * x) break;
      x -= step;
      if (!(x > low && x < high)) x = 0.5 * (low + high);
    }
    return std::copysign(x, l);
  }

  Mixture mixture_;
};

}  // namespace

PairPointer binomial_gaussian(const SampledUnit& unit, Order order) {
  return std::make_unique<BinomialGaussian>(unit, order);
}

PairPointer replaced_binomial_gaussian(const SampledUnit& unit) {
  return std::make_unique<ReplacedBinomialGaussian>(unit);
}

bool is_exact(const SampledUnit& unit) {
  return static_cast<std::int64_t>(Binomial(unit.records, unit.rate).weights.size()) <= max_parts;
}

}  // namespace tacet::accounting::pairs
