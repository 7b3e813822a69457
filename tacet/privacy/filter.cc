#include "tacet/privacy/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/privacy/rdp.h"
#include "tacet/privacy/structure.h"

namespace tacet::privacy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using internal::add_up;
using internal::multiply_up;
using internal::round_up;

void need_cap(double value, const char* name) {
  if (!(value >= 0)) {
    throw base::UsageError(fmt::format("the cap {} must be 0 or more, got {}", name, value));
  }
}

struct Rho {
  Adjacency adjacency;

  static double of(const Event& event, Adjacency adjacency) {
    if (const auto square = internal::squared_mu(event, adjacency)) return half_up(*square);
    return std::visit(Rho{adjacency}, event.node());
  }
  static double half_up(double value) { return multiply_up(0.5, value); }
  double own(double rho, Adjacency stated) const { return stated == adjacency ? rho : infinity; }
  double operator()(const DiscreteGaussian& e) const {
    const double distance = distance_factor(adjacency) * static_cast<double>(e.sensitivity);
    if (distance == 0) return 0;
    const double mu = internal::divide_up(distance, e.sigma);
    return half_up(multiply_up(mu, mu));
  }
  double operator()(const BoundedRange& e) const {
    return own(multiply_up(multiply_up(e.epsilon, e.epsilon), 0.125), e.adjacency);
  }
  double operator()(const ScoreSelection& e) const {
    const double range = multiply_up(e.eta, e.range_sensitivity);
    return own(multiply_up(multiply_up(range, range), 0.125), e.adjacency);
  }
  double operator()(const Zcdp& e) const { return own(e.rho, e.adjacency); }
  double operator()(const Repeated& e) const {
    return multiply_up(of(*e.base, adjacency), round_up(static_cast<double>(e.count)));
  }
  double operator()(const Composed& e) const {
    double sum = 0;
    for (const auto& part : e.parts) sum = add_up(sum, of(part, adjacency));
    return sum;
  }
  double operator()(const Partitioned& e) const {
    if (!internal::blocks_are_parallel(e, adjacency)) return infinity;
    double largest = 0;
    for (const auto& part : e.parts) largest = std::max(largest, of(part, adjacency));
    return largest;
  }
  template <typename Other>
  double operator()(const Other& e) const {
    // epsilon^2 / 2 for pure mechanisms (Bun, Steinke 2016, proposition 3.3).
    const double epsilon = internal::pure_epsilon(e, adjacency);
    return std::isinf(epsilon) ? infinity : half_up(multiply_up(epsilon, epsilon));
  }
};

}  // namespace

double zcdp_rho(const Event& event, Adjacency adjacency) {
  return internal::refusal(event, adjacency).empty() ? Rho::of(event, adjacency) : infinity;
}

double zcdp_epsilon(double rho, Delta delta) {
  if (rho == 0) return 0;
  return rdp::best_epsilon([rho](double alpha) { return rho * alpha; }, delta).epsilon;
}

double zcdp_epsilon_classical(double rho, Delta delta) {
  if (rho == 0) return 0;
  return (rho + 2 * std::sqrt(-rho * std::log(delta.value()))) * (1 + 1e-15);
}

Filter Filter::zcdp(double rho, Adjacency adjacency) {
  need_cap(rho, "rho");
  return {Currency::zcdp, rho, adjacency};
}

Filter Filter::gaussian(double mu, Adjacency adjacency) {
  need_cap(mu, "mu");
  return {Currency::gaussian, mu * mu * (1 - 0x1p-52), adjacency};
}

Filter Filter::renyi(double alpha, Epsilon epsilon, Delta delta, Adjacency adjacency) {
  // Inverse of the conversion: the largest Renyi value that gives epsilon at delta.
  if (!(alpha > 1))
    throw base::UsageError(fmt::format("a Renyi order must exceed 1, got {}", alpha));
  const double largest = epsilon.value() - std::log1p(-1 / alpha) +
                         (std::log(delta.value()) + std::log(alpha)) / (alpha - 1) -
                         1e-14 * (1 + epsilon.value());
  Filter filter(Currency::renyi, std::max(0.0, largest), adjacency);
  filter.alpha_ = alpha;
  return filter;
}

Filter Filter::basic(const Guarantee& cap) {
  const auto valid = checked(cap);
  Filter filter(Currency::basic, valid.epsilon, valid.adjacency);
  filter.delta_cap_ = valid.delta;
  return filter;
}

double Filter::cost(const Event& event) const {
  if (const auto reason = internal::refusal(event, adjacency_); !reason.empty()) {
    throw base::GuaranteeError(reason);
  }
  double value = infinity;
  switch (currency_) {
    case Currency::zcdp:
      value = zcdp_rho(event, adjacency_);
      break;
    case Currency::gaussian:
      value = internal::squared_mu(event, adjacency_).value_or(infinity);
      break;
    case Currency::renyi:
      if (const auto curve = rdp::curve(event, adjacency_)) value = (*curve)(alpha_);
      break;
    case Currency::basic:
      value = internal::pure_epsilon(event, adjacency_);
      break;
  }
  return value;
}

bool Filter::admit(const Event& event) {
  const double value = cost(event);
  if (std::isinf(value)) {
    throw base::GuaranteeError(
        fmt::format("the event '{}' has no finite bound in this filter's "
                    "currency",
                    kind_name(event)));
  }
  const double after = add_up(spent_, value);
  if (after > cap_) return false;
  spent_ = after;
  return true;
}

bool Filter::admit(const Guarantee& guarantee) {
  const auto valid = checked(guarantee);
  if (currency_ != Currency::basic || valid.adjacency != adjacency_) {
    throw base::UsageError("only a basic filter of the same adjacency takes (epsilon, delta)");
  }
  const double epsilon = add_up(spent_, valid.epsilon);
  const double delta = add_up(delta_spent_, valid.delta);
  if (epsilon > cap_ || delta > delta_cap_) return false;
  spent_ = epsilon;
  delta_spent_ = delta;
  return true;
}

Odometer::Odometer(double first_rho, Delta delta, Adjacency adjacency)
    : first_rho_(first_rho), delta_(delta.value()), adjacency_(adjacency) {
  if (!(first_rho > 0) || std::isinf(first_rho) || delta_ == 0) {
    throw base::UsageError("an odometer needs a positive first cap and a delta above 0");
  }
}

void Odometer::record(const Event& event) { spent_ = add_up(spent_, zcdp_rho(event, adjacency_)); }

double Odometer::epsilon() const {
  if (spent_ == 0) return 0;
  if (std::isinf(spent_)) return infinity;
  double cap = first_rho_;
  double index = 1;
  while (cap < spent_) {
    cap *= 2;
    ++index;
  }
  constexpr double six_over_pi_squared = 0.60792710185402662866;
  return zcdp_epsilon(cap, Delta(delta_ * six_over_pi_squared / (index * index)));
}

}  // namespace tacet::privacy
