#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/numeric/roots.h"

/// For tests: compositions whose delta is known in closed form, to hold the accountant against.
namespace tacet::accounting {

/// log of the probability that j of n randomised responses at epsilon e are lies.
inline double log_lies(double n, double j, double e) {
  return std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1) - j * e -
         n * std::log1p(std::exp(-e));
}

/// Factor that covers the rounding of log-factorials up to n ln n and of a sum of n terms.
inline double sum_margin(double n) { return 1 + 4e-16 * n * (2 + std::log(n)) + 1e-13; }

/// delta of `count` adaptive (epsilon, delta_each)-DP releases at `total_epsilon`, the optimal
/// composition theorem (Kairouz, Oh, Viswanath 2015), rounded up.
inline double optimal_composition_delta(Epsilon epsilon, double delta_each, std::int64_t count,
                                        Epsilon total_epsilon) {
  const double e = epsilon.value();
  const auto n = static_cast<double>(count);
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

/// delta at `total_epsilon` of Gaussian noise at `mu` and `count` epsilon-DP releases from the same
/// records, rounded up: randomised response, the worst pure mechanism, moves the profile of the
/// noise by a binomial number of epsilons, and that mixture is the profile of the product.
inline double gaussian_and_pure_delta(double mu, Epsilon epsilon, std::int64_t count,
                                      Epsilon total_epsilon) {
  const double e = epsilon.value();
  const double total = total_epsilon.value();
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

/// The smallest epsilon of the same at `delta`, rounded up.
inline double gaussian_and_pure_epsilon(double mu, Epsilon epsilon, std::int64_t count,
                                        Delta delta) {
  // Basic composition: the noise's own epsilon at delta, and the sum of the pure ones.
  const double largest =
      gaussian::epsilon(mu, delta) + static_cast<double>(count) * epsilon.value() * (1 + 1e-15);
  return numeric::bisect_threshold(
      largest * (1 + 1e-12), 0.0,
      [&](double total) {
        return gaussian_and_pure_delta(mu, epsilon, count, Epsilon(total)) <= delta.value();
      },
      1e-14);
}

}  // namespace tacet::accounting
