#include "tacet/privacy/shuffle.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"

namespace tacet::privacy::shuffle {
namespace {

double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// P(A >= k) for A ~ Bin(c, 1/2).
double survival(double c, double k) {
  if (k <= 0) return 1;
  if (k > c) return 0;
  return boost::math::ibeta(k, c - k + 1, 0.5);
}

double log_pmf(double c, double k) {
  if (k < 0 || k > c) return -HUGE_VAL;
  return log_binomial(c, k) - c * 0.69314718055994530942;
}

void check(std::int64_t reports, double local_epsilon) {
  if (reports < 1 || !(local_epsilon >= 0)) {
    throw base::UsageError("shuffling needs at least one report and a local epsilon of 0 or more");
  }
}

}  // namespace

double clones_delta(std::int64_t reports, double local_epsilon, double epsilon,
                    double clone_probability) {
  check(reports, local_epsilon);
  if (epsilon >= local_epsilon) return 0;
  if (local_epsilon > 300) return 1;
  const double keep = 1 / (1 + std::exp(-local_epsilon));
  const double ratio = std::exp(epsilon);
  const double gain = keep - ratio * (1 - keep);
  if (gain <= 0) return 0;
  const auto others = static_cast<double>(reports - 1);
  const double centre = others * clone_probability;
  const double spread = std::sqrt(others * clone_probability * (1 - clone_probability));
  const double low = std::max(0.0, std::floor(centre - 12 * spread - 60));
  const double high = std::min(others, std::ceil(centre + 12 * spread + 60));
  const double slope = (ratio * keep - (1 - keep)) / ((2 * keep - 1) * (1 + ratio));
  double sum = 0;
  double covered = 0;
  for (double c = low; c <= high; ++c) {
    const double log_weight = log_binomial(others, c) + c * std::log(clone_probability) +
                              (others - c) * std::log1p(-clone_probability);
    const double weight = clone_probability >= 1 ? (c == others ? 1 : 0) : std::exp(log_weight);
    covered += weight;
    const double k = std::ceil((c + 1) * slope - 1e-12);
    // gain P(A >= k - 1) + (1 - keep - ratio keep) P(A >= k), the two tails joined.
    const double above = gain * std::exp(log_pmf(c, k - 1));
    const double below = (ratio - 1) * survival(c, k);
    sum += weight * std::max(0.0, above * (1 + 1e-11) - below * (1 - 1e-11));
  }
  // The counts left out lie beyond 12 standard deviations (Bernstein's inequality).
  const double omitted = (low > 0 || high < others) ? 2 * std::exp(-60) : 0;
  return std::min(1.0, sum + omitted);
}

double clones_delta(std::int64_t reports, double local_epsilon, double epsilon) {
  return clones_delta(reports, local_epsilon, epsilon, std::exp(-local_epsilon));
}

double clones_epsilon(std::int64_t reports, double local_epsilon, double delta,
                      double clone_probability) {
  check(reports, local_epsilon);
  if (delta == 0 || local_epsilon == 0) return local_epsilon;
  return numeric::bisect_border(
      local_epsilon, 0.0,
      [&](double epsilon) {
        return clones_delta(reports, local_epsilon, epsilon, clone_probability) <= delta;
      },
      1e-9);
}

double clones_epsilon(std::int64_t reports, double local_epsilon, double delta) {
  return clones_epsilon(reports, local_epsilon, delta, std::exp(-local_epsilon));
}

double closed_form_epsilon(std::int64_t reports, double local_epsilon, double delta) {
  check(reports, local_epsilon);
  const auto n = static_cast<double>(reports);
  if (!(local_epsilon <= std::log(n / (16 * std::log(2 / delta))))) return local_epsilon;
  const double e = std::exp(local_epsilon);
  return std::log1p((e - 1) / (e + 1) * (8 * std::sqrt(e * std::log(4 / delta) / n) + 8 * e / n));
}

double closed_form_epsilon_2022(std::int64_t reports, double local_epsilon, double delta) {
  check(reports, local_epsilon);
  const auto n = static_cast<double>(reports);
  if (!(local_epsilon <= std::log(n / (8 * std::log(2 / delta)) - 1))) return local_epsilon;
  const double e = std::exp(local_epsilon);
  return std::log1p((e - 1) * (4 * std::sqrt(2 * std::log(4 / delta) / ((e + 1) * n)) + 4 / n));
}

}  // namespace tacet::privacy::shuffle
