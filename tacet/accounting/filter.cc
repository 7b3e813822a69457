#include "tacet/accounting/filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/refusal.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting {
namespace {

using numeric::infinity;

using numeric::add_up;
using numeric::multiply_up;

void need_cap(double value, const char* name) {
  if (!(value >= 0)) throw base::UsageError("the cap {} must be 0 or more, got {}", name, value);
}

/// rho of any epsilon-DP mechanism: epsilon^2/2 (Bun, Steinke 2016, proposition 3.3), and the Renyi
/// divergence of every order alpha is at most epsilon, so below alpha epsilon.
double zcdp_of_pure(double epsilon) {
  if (std::isinf(epsilon)) return infinity;
  return std::min(multiply_up(.5, multiply_up(epsilon, epsilon)), epsilon);
}

/// Randomised response, the worst epsilon-DP mechanism, lies above the trade-off curve of mu with
/// Phi(-mu/2) = 1/(1 + e^epsilon): both pass that point, and the curve is convex.
double squared_gdp_of_pure(double epsilon) {
  if (epsilon == 0) return 0;
  if (std::isinf(epsilon)) return infinity;
  constexpr double margin = 1e-12;  // covers the relative error of the normal quantile
  // Phi(mu/2) - 1/2 = tanh(epsilon/2) / 2, by the first terms of both sides.
  constexpr double small = 1e-4;
  double mu = multiply_up(epsilon, numeric::sqrt_half_pi * (1 + margin));
  if (epsilon > small) {
    const double log_tail = -(epsilon + std::log1p(std::exp(-epsilon)));
    mu = -2 * numeric::normal_quantile_from_log(log_tail) * (1 + margin);
  }
  return multiply_up(mu, mu);
}

enum class Sum { zcdp, gdp };

/// What zCDP and GDP share: both add over compositions, and sampling or disjoint blocks never cost
/// more than the mechanism inside (joint convexity of the divergence).
class Additive {
 public:
  Additive(Adjacency adjacency, Sum sum) : adjacency_(adjacency), sum_(sum) {}

  [[nodiscard]] double of(const Event& event) const {
    const double pure = internal::pure_epsilon(event, adjacency_);
    const double by_pure = sum_ == Sum::zcdp ? zcdp_of_pure(pure) : squared_gdp_of_pure(pure);
    return std::min(by_pure, std::visit(*this, event.node()));
  }

  double operator()(const Gaussian& e) const {
    return of_squared_mu(squared_ratio(distance_factor(adjacency_), e.noise_multiplier));
  }
  double operator()(const DiscreteGaussian& e) const {
    // zCDP only (Canonne, Kamath, Steinke 2020); no GDP bound is known for it.
    if (sum_ != Sum::zcdp) return infinity;
    const double distance =
        multiply_up(distance_factor(adjacency_), numeric::count_up(e.sensitivity));
    return of_squared_mu(squared_ratio(distance, e.sigma));
  }
  double operator()(const Zcdp& e) const {
    return sum_ == Sum::zcdp && e.adjacency == adjacency_ ? e.rho : infinity;
  }
  /// rho = epsilon^2/8 (Cesar, Rogers 2021).
  double operator()(const BoundedRange& e) const { return of_range(e.epsilon, e.adjacency); }
  double operator()(const ScoreSelection& e) const {
    return of_range(multiply_up(e.eta, e.range_sensitivity), e.adjacency);
  }
  double operator()(const PoissonSampled& e) const { return e.rate == 0 ? 0 : of(*e.base); }
  double operator()(const FixedSizeSampled& e) const {
    if (e.sample_size == 0) return 0;
    if (adjacency_ == Adjacency::add_remove) return infinity;
    return Additive(internal::inner_adjacency(e, adjacency_), sum_).of(*e.base);
  }
  double operator()(const Partitioned& e) const {
    if (!internal::blocks_are_parallel(e, adjacency_)) return infinity;
    double largest = 0;
    for (const auto& part : e.parts) largest = std::max(largest, of(part));
    return largest;
  }
  double operator()(const Composed& e) const {
    double sum = 0;
    for (const auto& part : e.parts) sum = add_up(sum, of(part));
    return sum;
  }
  double operator()(const Repeated& e) const {
    return multiply_up(of(*e.base), numeric::count_up(e.count));
  }
  template <typename Other>
  double operator()(const Other&) const {
    return infinity;
  }

 private:
  [[nodiscard]] double of_squared_mu(double square) const {
    return sum_ == Sum::gdp ? square : multiply_up(.5, square);
  }
  /// (distance / noise)^2, exact where it is a double.
  static double squared_ratio(double distance, double noise) {
    if (distance == 0 || std::isinf(noise)) return 0;
    return numeric::divide_up(multiply_up(distance, distance),
                              numeric::multiply_down(noise, noise));
  }
  [[nodiscard]] double of_range(double epsilon, Adjacency stated) const {
    if (sum_ != Sum::zcdp || stated != adjacency_) return infinity;
    return multiply_up(.125, multiply_up(epsilon, epsilon));
  }

  Adjacency adjacency_;
  Sum sum_;
};

double proved(const Event& event, Adjacency adjacency, Sum sum) {
  return internal::refusal(event, adjacency).empty() ? Additive(adjacency, sum).of(event)
                                                     : infinity;
}

}  // namespace

double zcdp_rho(const Event& event, Adjacency adjacency) {
  return proved(event, adjacency, Sum::zcdp);
}

double squared_gdp(const Event& event, Adjacency adjacency) {
  return proved(event, adjacency, Sum::gdp);
}

double zcdp_epsilon(double rho, Delta delta) {
  if (rho == 0) return 0;
  return rdp::best_epsilon([rho](double alpha) { return rho * alpha; }, delta).epsilon;
}

Filter Filter::zcdp(double rho, Adjacency adjacency) {
  need_cap(rho, "rho");
  return {rho, adjacency, zcdp_rho};
}

Filter Filter::gaussian(double mu, Adjacency adjacency) {
  need_cap(mu, "mu");
  return {mu * mu * numeric::down_ulps(1), adjacency, squared_gdp};
}

Filter Filter::renyi(double alpha, Epsilon epsilon, Delta delta, Adjacency adjacency) {
  // The inverse of to_epsilon(): the largest Renyi value that still gives epsilon at delta.
  rdp::check_order(alpha);
  const double largest = epsilon.value() - std::log1p(-1 / alpha) +
                         (std::log(delta.value()) + std::log(alpha)) / (alpha - 1) -
                         1e-14 * (1 + epsilon.value());
  return {std::max(0.0, largest), adjacency, [alpha](const Event& event, Adjacency between) {
            const auto curve = rdp::curve(event, between);
            return curve ? (*curve)(alpha) : infinity;
          }};
}

Filter Filter::basic(const Guarantee& cap) {
  const auto valid = checked(cap);
  Filter filter(valid.epsilon, valid.adjacency, internal::pure_epsilon);
  filter.delta_cap_ = valid.delta;
  return filter;
}

bool Filter::admit(const Event& event) {
  if (const auto reason = internal::refusal(event, adjacency_); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  const double value = cost_(event, adjacency_);
  if (std::isinf(value)) {
    throw base::GuaranteeError("the event '{}' has no finite bound in this filter's currency",
                               kind_name(event));
  }
  const double after = add_up(spent_, value);
  if (after > cap_) return false;
  spent_ = after;
  return true;
}

bool Filter::admit(const Guarantee& guarantee) {
  const auto valid = checked(guarantee);
  if (!delta_cap_ || valid.adjacency != adjacency_) {
    throw base::UsageError("only a basic filter of the same adjacency takes (epsilon, delta)");
  }
  const double epsilon = add_up(spent_, valid.epsilon);
  const double delta = add_up(delta_spent_, valid.delta);
  if (epsilon > cap_ || delta > *delta_cap_) return false;
  spent_ = epsilon;
  delta_spent_ = delta;
  return true;
}

double epsilon_at_any_time(double spent, const GrowingCaps& caps, Delta delta) {
  if (!(caps.first > 0) || std::isinf(caps.first) || !(caps.factor > 1) || delta.value() == 0) {
    throw base::UsageError("an odometer needs a positive first cap and a delta above 0");
  }
  if (!(spent >= 0)) throw base::UsageError("what is spent must be at least 0, got {}", spent);
  double cap = caps.first;
  double index = 1;
  for (; cap < spent; cap *= caps.factor) ++index;
  if (std::isinf(cap)) return numeric::infinity;
  const double share = 6 / (std::numbers::pi * std::numbers::pi * index * index);
  // Rounded down: together the shares may not exceed delta.
  return caps.epsilon(cap, Delta(delta.value() * share * numeric::amply_down));
}

Odometer::Odometer(double first_rho, Delta delta, Adjacency adjacency)
    : first_rho_(first_rho), delta_(delta), adjacency_(adjacency) {
  static_cast<void>(epsilon_at_any_time(0, {.first = first_rho_, .epsilon = zcdp_epsilon}, delta_));
}

void Odometer::record(const Event& event) {
  spent_ = numeric::add_up(spent_, zcdp_rho(event, adjacency_));
}

double Odometer::epsilon() const {
  if (spent_ == 0) return 0;  // with rho 0 the releases depend on no record
  return epsilon_at_any_time(spent_, {.first = first_rho_, .epsilon = zcdp_epsilon}, delta_);
}

}  // namespace tacet::accounting
