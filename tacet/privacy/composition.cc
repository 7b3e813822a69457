#include "tacet/privacy/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/accountant.h"

namespace tacet::privacy {

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

double optimal_composition_delta(Epsilon epsilon, double delta_each, std::int64_t count,
                                 Epsilon total_epsilon) {
  if (count < 1) throw base::UsageError(fmt::format("the count must be 1 or more, got {}", count));
  if (!(delta_each >= 0 && delta_each <= 1)) {
    throw base::UsageError(fmt::format("delta must lie in [0, 1], got {}", delta_each));
  }
  const double e = epsilon.value();
  const auto n = static_cast<double>(count);
  if (std::isinf(e)) return 1;
  double sum = 0;
  for (double j = 0; j <= n; ++j) {
    // Loss (n - 2j) epsilon with probability C(n, j) e^{(n-j) epsilon} / (1 + e^epsilon)^n.
    const double excess = total_epsilon.value() - (n - 2 * j) * e;
    if (excess >= 0) break;
    const double log_mass = std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) -
                            j * e - n * std::log1p(std::exp(-e));
    sum += -std::expm1(excess) * std::exp(log_mass);
  }
  // Rounding of log-factorials up to n ln n.
  const double pure = std::min(1.0, sum * (1 + 4e-16 * n * (2 + std::log(n)) + 1e-13));
  if (delta_each == 0) return pure;
  const double all_kept = n * std::log1p(-std::min(delta_each, 1 - 1e-16));
  return std::min(1.0, (1 - std::exp(all_kept) * (1 - pure)) * (1 + 1e-15) + 1e-300);
}

Guarantee advanced_composition(const Guarantee& each, std::int64_t count, double slack) {
  const auto valid = checked(each);
  if (count < 1) throw base::UsageError(fmt::format("the count must be 1 or more, got {}", count));
  if (!(slack > 0 && slack < 1)) {
    throw base::UsageError(fmt::format("the slack must lie in (0, 1), got {}", slack));
  }
  const auto n = static_cast<double>(count);
  const double e = valid.epsilon;
  const double total = e * std::sqrt(-2 * n * std::log(slack)) + n * e * std::expm1(e);
  return {total * (1 + 1e-15), std::min(1.0, n * valid.delta + slack), valid.adjacency};
}

}  // namespace tacet::privacy
