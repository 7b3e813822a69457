#include "tacet/run/split_budget.h"

#include <algorithm>

#include "tacet/accounting/calibrate.h"
#include "tacet/privacy/decimal.h"

namespace tacet::run {

double largest_share(const SharedBudget& budget) {
  // The share is rounded down by more than the sum of all parts can be rounded up.
  constexpr double spare = 1e-12;
  const double epsilon = privacy::decimal_down(budget.asked.epsilon);
  const double summed = epsilon / budget.parts * (1 - spare);
  static_cast<void>(budget.event(summed));  // what is too little for exact noise says so
  if (budget.left.value() == 0) return summed;
  const double noise =
      accounting::min_noise([&](double scale) { return budget.event(1 / scale); },
                            {privacy::Epsilon(epsilon), budget.left, budget.asked.adjacency});
  return std::max(summed, 1 / noise);
}

}  // namespace tacet::run
