#include "tacet/accounting/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"

namespace tacet::accounting {

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

namespace {

void need_count(std::int64_t count) {
  if (count < 1) throw base::UsageError(fmt::format("the count must be 1 or more, got {}", count));
}

/// log of the probability that j of n randomised responses at epsilon e are lies.
double log_lies(double n, double j, double e) {
  return std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) - j * e -
         n * std::log1p(std::exp(-e));
}

/// Factor that covers the rounding of log-factorials up to n ln n and of a sum of n terms.
double sum_margin(double n) { return 1 + 4e-16 * n * (2 + std::log(n)) + 1e-13; }

}  // namespace

double optimal_composition_delta(Epsilon epsilon, double delta_each, std::int64_t count,
                                 Epsilon total_epsilon) {
  need_count(count);
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
    sum += -std::expm1(excess) * std::exp(log_lies(n, j, e));
  }
  const double pure = std::min(1.0, sum * sum_margin(n));
  if (delta_each == 0) return pure;
  const double all_kept = n * std::log1p(-std::min(delta_each, 1 - 1e-16));
  return std::min(1.0, (1 - std::exp(all_kept) * (1 - pure)) * (1 + 1e-15) + 1e-300);
}

double gaussian_and_pure_delta(double mu, Epsilon epsilon, std::int64_t count,
                               Epsilon total_epsilon) {
  need_count(count);
  const double e = epsilon.value();
  const double total = total_epsilon.value();
  if (std::isinf(total) || (mu == 0 && e == 0)) return 0;
  if (std::isinf(e)) return 1;
  const auto n = static_cast<double>(count);
  double sum = 0;
  for (double j = 0; j <= n; ++j) {
    const double rest = total - (n - 2 * j) * e;
    // The shifted epsilon carries an absolute error, which moves log delta by at most as much times
    // its slope, |rest| / mu^2 + 1; one place further down covers it.
    const double dominating = rest - 4e-16 * (total + n * e);
    sum += std::exp(log_lies(n, j, e) + gaussian::log_delta(mu, dominating)) *
           (1 + gaussian::relative_error(mu, dominating));
  }
  return std::min(1.0, sum * sum_margin(n));
}

double gaussian_and_pure_epsilon(double mu, Epsilon epsilon, std::int64_t count, Delta delta) {
  need_count(count);
  if (mu == 0) {
    return epsilon_interval(Repeated{count, PureDp{epsilon.value(), Adjacency::add_remove}},
                            Adjacency::add_remove, delta)
        .upper;
  }
  if (delta.value() == 0 || std::isinf(mu) || std::isinf(epsilon.value())) return HUGE_VAL;
  // Basic composition: the noise's own epsilon at delta, and the sum of the pure ones.
  const double largest =
      gaussian::epsilon(mu, delta) + static_cast<double>(count) * epsilon.value() * (1 + 1e-15);
  return numeric::bisect_border(
      largest * (1 + 1e-12), 0.0,
      [&](double total) {
        return gaussian_and_pure_delta(mu, epsilon, count, Epsilon(total)) <= delta.value();
      },
      1e-14);
}

}  // namespace tacet::accounting
