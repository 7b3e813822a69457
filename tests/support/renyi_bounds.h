#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/base/error.h"

/// For tests: Renyi divergences and laws that no accountant needs, to hold others against.
namespace tacet::accounting {

namespace rdp {

/// The order of neighbours opposite to that of poisson_gaussian(), by the trapezoid rule: E[(1 - q
/// + q e^u)^(1 - alpha)], u = (2x - 1) / (2 sigma^2), without the two first Taylor terms, whose
/// means are 1 and 0. For rates and noise of which extended precision keeps the rest.
inline double poisson_gaussian_reverse(double q, double sigma, double alpha) {
  if (q == 1) return gaussian(1 / sigma, alpha);
  const long double power = 1 - static_cast<long double>(alpha);
  const double variance = sigma * sigma;
  const double step = std::min(sigma / 4, variance / 2);
  const double reach = 13 * sigma;
  long double sum = 0;
  for (double i = 0; - reach + i * step <= 1 + reach; ++i) {
    const long double x = -reach + i * step;
    const long double t = q * std::expm1((2 * x - 1) / (2 * variance));
    const long double excess = std::fabs(power * t) < 1e-6L
                                   ? power * (power - 1) / 2 * t * t * (1 + (power - 2) / 3 * t)
                                   : std::expm1(power * std::log1p(t)) - power * t;
    sum += excess * std::exp(-x * x / (2 * variance));
  }
  const long double sqrt_2pi = 2.5066282746310005024L;
  return static_cast<double>(std::log1p(sum * step / (sigma * sqrt_2pi))) / (alpha - 1);
}

/// delta at epsilon of a mechanism with Renyi bound `value` at order alpha (Canonne, Kamath,
/// Steinke 2020, proposition 12).
inline double to_delta(double alpha, double value, double epsilon) {
  return std::exp((alpha - 1) * (value - epsilon + std::log1p(-1 / alpha))) / alpha;
}

}  // namespace rdp

namespace repetition {

/// Poisson repetition in Renyi terms (Papernot, Steinke 2022, theorem 6); mean of at least 1.
inline double poisson_rdp(double mean, double alpha, double base_value,
                          const std::function<double(double)>& base_delta) {
  const double epsilon = std::log1p(1 / (alpha - 1));
  return base_value + mean * base_delta(epsilon) + std::log(mean) / (alpha - 1);
}

/// E[x^K] for x in [0, 1]: at 1 - p, the probability that no run comes from the best fraction p.
inline double generating_function(const Law& law, double x) {
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial: {
      const double log_gamma = std::log(law.gamma);
      const double log_inner = std::log1p(-(1 - law.gamma) * x);
      if (std::fabs(law.eta) < 1e-20) return log_inner / log_gamma;
      const double exponent = -law.eta * log_inner;
      const double largest = -law.eta * log_gamma;
      if (largest > 700) return std::exp(exponent - largest) * -std::expm1(-exponent);
      return std::expm1(exponent) / std::expm1(largest);
    }
    case RepetitionLaw::poisson:
      return std::exp(law.mean * (x - 1));
    case RepetitionLaw::binomial:
      return std::pow(1 - law.probability * (1 - x), static_cast<double>(law.trials));
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

}  // namespace repetition
}  // namespace tacet::accounting
