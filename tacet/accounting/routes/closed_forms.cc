#include "tacet/accounting/routes/closed_forms.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {
namespace {

using numeric::infinity;

/// Whether an event consists only of noise on sums. A part of a unit then costs only its part.
bool is_sum(const Event& event) {
  if (const auto* composed = event.as<Composed>()) {
    return std::all_of(composed->parts.begin(), composed->parts.end(), is_sum);
  }
  if (const auto* repeated = event.as<Repeated>()) return is_sum(*repeated->base);
  return event.as<Gaussian>() != nullptr || event.as<Laplace>() != nullptr ||
         event.as<DiscreteGaussian>() != nullptr || event.as<DiscreteLaplace>() != nullptr;
}

struct PureEpsilon {
  Adjacency adjacency;

  double own(double epsilon, Adjacency stated) const {
    return stated == adjacency ? epsilon : infinity;
  }
  double operator()(const Gaussian& e) const {
    return std::isinf(e.noise_multiplier) ? 0 : infinity;
  }
  double operator()(const Laplace& e) const {
    return numeric::divide_up(distance_factor(adjacency), e.noise_multiplier);
  }
  double operator()(const DiscreteGaussian& e) const { return e.sensitivity == 0 ? 0 : infinity; }
  double operator()(const DiscreteLaplace& e) const {
    if (e.sensitivity == 0) return 0;
    return numeric::divide_up(distance_factor(adjacency) * numeric::count_up(e.sensitivity),
                              e.scale);
  }
  double operator()(const PureDp& e) const { return own(e.epsilon, e.adjacency); }
  double operator()(const ApproximateDp& e) const {
    return e.delta == 0 ? own(e.epsilon, e.adjacency) : infinity;
  }
  double operator()(const BoundedRange& e) const { return own(e.epsilon, e.adjacency); }
  double operator()(const ScoreSelection& e) const {
    return own(numeric::multiply_up(e.eta, e.range_sensitivity), e.adjacency);
  }
  double operator()(const Zcdp& e) const { return e.rho == 0 ? own(0, e.adjacency) : infinity; }
  double operator()(const Profile& e) const {
    return e.points.back().delta == 0 ? own(e.points.back().epsilon, e.adjacency) : infinity;
  }
  double operator()(const ObjectivePerturbation&) const { return infinity; }
  double operator()(const ShuffledLocal& e) const {
    // Shuffling never costs more than each local report.
    return adjacency == Adjacency::replace_one ? e.local_epsilon : infinity;
  }
  double operator()(const PoissonSampled& e) const {
    if (e.rate == 0) return 0;
    if (e.rate == 1) return pure_epsilon(*e.base, adjacency);
    const double own = pure_epsilon(*e.base, adjacency);
    const double rate = unit_rate(e);
    if (!is_replaced(e, adjacency)) return std::min(amplified(rate, own), record_by_record(e, own));
    const double base = pure_epsilon(*e.base, Adjacency::add_remove);
    return std::min({own, amplified_replaced(rate, base), record_by_record(e, base)});
  }
  /// sampled_units.md, section 3: j records of a unit cost j / k of a sum's epsilon, and the mean
  /// of e^{j epsilon / k} over the binomial j is a k-th power.
  double record_by_record(const PoissonSampled& e, double whole) const {
    if (e.max_records_per_unit == 1 || !is_sum(*e.base) || std::isinf(whole)) return infinity;
    const double count = numeric::count_up(e.max_records_per_unit);
    const double one = numeric::divide_up(whole, count);
    return numeric::multiply_up(count, is_replaced(e, adjacency) ? amplified_replaced(e.rate, one)
                                                                 : amplified(e.rate, one));
  }
  double operator()(const FixedSizeSampled& e) const {
    if (e.sample_size == 0) return 0;
    if (adjacency == Adjacency::add_remove) return infinity;
    return amplified(sampled_fraction(e), pure_epsilon(*e.base, inner_adjacency(e, adjacency)));
  }
  double operator()(const Partitioned& e) const {
    if (!blocks_are_parallel(e, adjacency)) return infinity;
    double largest = 0;
    for (const auto& part : e.parts) largest = std::max(largest, pure_epsilon(part, adjacency));
    return largest;
  }
  double operator()(const Composed& e) const {
    double sum = 0;
    for (const auto& part : e.parts) sum = numeric::add_up(sum, pure_epsilon(part, adjacency));
    return sum;
  }
  double operator()(const Repeated& e) const {
    const double base = pure_epsilon(*e.base, adjacency);
    return numeric::multiply_up(base, numeric::count_up(e.count));
  }
  double operator()(const RandomlyRepeated& e) const {
    // The cap's cost in delta rules out a pure bound.
    if (e.cap != 0) return infinity;
    const double base = pure_epsilon(*e.base, adjacency);
    if (base == 0 || std::isinf(base)) return base;
    return repetition::pure_epsilon(repetition::law_of(e), base);
  }
};

}  // namespace

std::optional<double> squared_mu(const Event& event, Adjacency adjacency) {
  if (const auto* gaussian = event.as<Gaussian>()) {
    if (std::isinf(gaussian->noise_multiplier)) return 0;
    const double mu = numeric::divide_up(distance_factor(adjacency), gaussian->noise_multiplier);
    return numeric::multiply_up(mu, mu);
  }
  if (const auto* repeated = event.as<Repeated>()) {
    const auto base = squared_mu(*repeated->base, adjacency);
    if (!base) return base;
    return numeric::multiply_up(*base, numeric::count_up(repeated->count));
  }
  if (const auto* composed = event.as<Composed>()) {
    double sum = 0;
    for (const auto& part : composed->parts) {
      const auto square = squared_mu(part, adjacency);
      if (!square) return square;
      sum = numeric::add_up(sum, *square);
    }
    return sum;
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    if (!blocks_are_parallel(*blocks, adjacency)) return std::nullopt;
    double largest = 0;
    for (const auto& part : blocks->parts) {
      const auto square = squared_mu(part, adjacency);
      if (!square) return square;
      largest = std::max(largest, *square);
    }
    return largest;
  }
  if (const auto* sampled = event.as<PoissonSampled>()) {
    if (sampled->rate == 0) return 0;
    if (sampled->rate == 1) return squared_mu(*sampled->base, adjacency);
  }
  return std::nullopt;
}

namespace {

/// An upper bound of how often squared_mu rounds for an event; infinity if its result may be far
/// above the truth.
double roundings(const Event& whole) {
  return fold<double>(whole, [](const Event& event, std::span<const double> within) {
    double sum = 4;
    if (const auto* gaussian = event.as<Gaussian>()) {
      // With more noise, mu squared comes near the smallest double and loses its precision.
      constexpr double largest_noise = 1e140;
      const bool tiny = gaussian->noise_multiplier > largest_noise;
      return tiny && std::isfinite(gaussian->noise_multiplier) ? infinity : sum;
    }
    const double each = event.as<Composed>() != nullptr ? 1 : 0;
    for (const double one : within) sum += each + one;
    return sum;
  });
}

}  // namespace

double mu_below(const Event& event, Adjacency adjacency) {
  const auto square = squared_mu(event, adjacency);
  if (!square || *square == 0) return 0;
  return std::max(0.0, std::sqrt(*square) * (1 - numeric::ulps(1) * roundings(event)));
}

double pure_epsilon(const Event& event, Adjacency adjacency) {
  return std::visit(PureEpsilon{adjacency}, event.node());
}

namespace {

/// The sums for a whole event; nothing if a part has no pure and no (epsilon, delta) bound.
struct Basic {
  using Bound = std::optional<BasicBound>;
  Adjacency adjacency;

  Bound operator()(const ApproximateDp& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    return BasicBound{e.epsilon, e.delta};
  }
  Bound operator()(const Profile& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    return BasicBound{e.points.back().epsilon, e.points.back().delta};
  }
  Bound operator()(const PoissonSampled& e) const {
    if (e.rate < 1 && is_replaced(e, adjacency)) return replaced(e);
    const auto base = basic_composition(*e.base, adjacency);
    return base ? sampled(*base, unit_rate(e)) : base;  // Balle, Barthe, Gaboardi 2018, theorem 8
  }
  Bound operator()(const FixedSizeSampled& e) const {
    if (adjacency == Adjacency::add_remove) return std::nullopt;
    const auto base = basic_composition(*e.base, inner_adjacency(e, adjacency));
    const double rate = sampled_fraction(e);
    return base ? sampled(*base, rate) : base;  // theorem 9 in the same paper
  }
  Bound operator()(const Repeated& e) const {
    const auto base = basic_composition(*e.base, adjacency);
    if (!base) return base;
    const double count = numeric::count_up(e.count);
    return BasicBound{numeric::multiply_up(base->epsilon, count),
                      numeric::multiply_up(base->delta, count)};
  }
  Bound operator()(const Composed& e) const {
    return over(e.parts, [](double a, double b) { return numeric::add_up(a, b); });
  }
  Bound operator()(const Partitioned& e) const {
    if (!blocks_are_parallel(e, adjacency)) return std::nullopt;
    return over(e.parts, [](double a, double b) { return std::max(a, b); });
  }
  template <typename Other>
  Bound operator()(const Other&) const {
    return std::nullopt;
  }

  static BasicBound sampled(const BasicBound& base, double rate) {
    return {amplified(rate, base.epsilon), numeric::multiply_up(rate, base.delta)};
  }
  /// replaced_record.md, section 3: delta is q delta (1 + e^{epsilon' - epsilon}).
  static Bound replaced(const PoissonSampled& e) {
    const auto base = basic_composition(*e.base, Adjacency::add_remove);
    if (!base || std::isinf(base->epsilon)) return base;
    const double rate = unit_rate(e);
    const double epsilon = amplified_replaced(rate, base->epsilon);
    const double growth = (1 + std::exp(epsilon - base->epsilon)) * (1 + 1e-14);
    return BasicBound{epsilon, std::min(1.0, numeric::multiply_up(
                                                 growth, numeric::multiply_up(rate, base->delta)))};
  }
  template <typename Combine>
  Bound over(const std::vector<Event>& parts, const Combine& combine) const {
    BasicBound sum{0, 0};
    for (const auto& part : parts) {
      const auto one = basic_composition(part, adjacency);
      if (!one) return one;
      sum = {combine(sum.epsilon, one->epsilon), combine(sum.delta, one->delta)};
    }
    return sum;
  }
};

}  // namespace

std::optional<BasicBound> basic_composition(const Event& event, Adjacency adjacency) {
  if (const double pure = pure_epsilon(event, adjacency); std::isfinite(pure)) {
    return BasicBound{pure, 0};
  }
  return std::visit(Basic{adjacency}, event.node());
}

}  // namespace tacet::accounting::internal
