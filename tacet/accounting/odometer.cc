#include "tacet/accounting/odometer.h"

#include <cmath>
#include <numbers>

#include "tacet/accounting/filter.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting {

double epsilon_at_any_time(double spent, const GrowingCaps& caps, Delta delta) {
  if (!(caps.first > 0) || std::isinf(caps.first) || !(caps.factor > 1) || delta.value() == 0) {
    throw base::UsageError("an odometer needs a positive first cap and a delta above 0");
  }
  if (spent == 0) return 0;
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
  static_cast<void>(epsilon());  // refuses what is no odometer
}

void Odometer::record(const Event& event) {
  spent_ = numeric::add_up(spent_, zcdp_rho(event, adjacency_));
}

double Odometer::epsilon() const {
  return epsilon_at_any_time(spent_, {.first = first_rho_, .epsilon = zcdp_epsilon}, delta_);
}

}  // namespace tacet::accounting
