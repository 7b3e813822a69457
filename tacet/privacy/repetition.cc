#include "tacet/privacy/repetition.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/privacy/structure.h"

namespace tacet::privacy::repetition {

Law law_of(const RandomlyRepeated& event) {
  return {event.law, event.eta, event.gamma, event.mean, event.trials, event.probability};
}

double mean(const Law& law) {
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial: {
      const double log_gamma = std::log(law.gamma);
      if (law.eta == 0) return (1 / law.gamma - 1) / -log_gamma;
      return law.eta * (1 - law.gamma) / (law.gamma * -std::expm1(law.eta * log_gamma));
    }
    case RepetitionLaw::poisson:
      return law.mean;
    case RepetitionLaw::binomial:
      return static_cast<double>(law.trials) * law.probability;
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

double probability(const Law& law, std::int64_t k) {
  const auto x = static_cast<double>(k);
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial: {
      if (k < 1) return 0;
      const double log_rest = x * std::log1p(-law.gamma);
      if (law.eta == 0) return std::exp(log_rest) / (x * -std::log(law.gamma));
      // Product of (l + eta) / (l + 1) over l < k; eta itself may be negative, as is then the
      // normalising constant.
      const double product =
          std::exp(std::lgamma(x + law.eta) - std::lgamma(1 + law.eta) - std::lgamma(x + 1));
      const double scale = std::expm1(-law.eta * std::log(law.gamma));
      return law.eta / scale * product * std::exp(log_rest);
    }
    case RepetitionLaw::poisson:
      return std::exp(x * std::log(law.mean) - law.mean - std::lgamma(x + 1));
    case RepetitionLaw::binomial: {
      const auto n = static_cast<double>(law.trials);
      if (k > law.trials) return 0;
      return std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                      x * std::log(law.probability) + (n - x) * std::log1p(-law.probability));
    }
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

double tail(const Law& law, std::int64_t cap) {
  // Terms beyond the cap fall geometrically in the end; the last one bounds the rest.
  constexpr std::int64_t most_terms = 20'000'000;
  double sum = 0;
  double last = probability(law, cap + 1);
  for (std::int64_t k = cap + 1; k < cap + most_terms; ++k) {
    const double term = probability(law, k);
    sum += term;
    const double ratio = k > cap + 1 && last > 0 ? term / last : 1;
    if (term == 0 || (ratio < 1 && term * ratio / (1 - ratio) < 1e-6 * sum)) {
      return std::min(1.0, (sum + (ratio < 1 ? term * ratio / (1 - ratio) : 0)) * (1 + 1e-5));
    }
    last = term;
  }
  return 1;
}

double generating_function(const Law& law, double x) {
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial: {
      const double log_gamma = std::log(law.gamma);
      const double log_inner = std::log1p(-(1 - law.gamma) * x);
      if (law.eta == 0) return log_inner / log_gamma;
      return std::expm1(-law.eta * log_inner) / std::expm1(-law.eta * log_gamma);
    }
    case RepetitionLaw::poisson:
      return std::exp(law.mean * (x - 1));
    case RepetitionLaw::binomial:
      return std::pow(1 - law.probability * (1 - x), static_cast<double>(law.trials));
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

double gamma_for_mean(double eta, double wanted) {
  if (!(wanted > 1) || !(eta > -1)) {
    throw base::UsageError("repetition needs a mean above 1 and a shape above -1");
  }
  const auto at = [&](double log_gamma) {
    return mean({RepetitionLaw::truncated_negative_binomial, eta, std::exp(log_gamma)});
  };
  const double log_gamma =
      numeric::bisect_border(-700.0, -1e-12, [&](double value) { return at(value) >= wanted; });
  return std::exp(log_gamma);
}

ProfileBound profile_bound(const Law& law, const std::function<double(double)>& base_delta) {
  const double scale = mean(law) * (1 + 1e-12);
  if (law.kind == RepetitionLaw::truncated_negative_binomial) {
    // The root of gamma (e^x - 1) = (1 - gamma) delta(x); delta <= 1 puts it below -log gamma.
    const auto beyond = [&](double x) {
      return law.gamma * std::expm1(x) >= (1 - law.gamma) * base_delta(x);
    };
    const double first =
        numeric::bisect_border(-std::log(law.gamma) * (1 + 1e-12), 0.0, beyond, 1e-10);
    return {scale, (1 + law.eta) * first * (1 + 1e-12), first};
  }
  const double distance = std::min(1.0, base_delta(0));
  if (law.kind == RepetitionLaw::poisson) {
    return {scale, law.mean * distance * (1 + 1e-12), 0};
  }
  const double ratio = law.probability * distance / (1 - law.probability);
  return {scale, static_cast<double>(law.trials - 1) * std::log1p(ratio) * (1 + 1e-12), 0};
}

double pure_epsilon(const Law& law, double base_epsilon) {
  if (base_epsilon == 0) return 0;
  const auto profile = [&](double e) {
    // (e^b - e^x) / (1 + e^b), also where the exponentials overflow.
    return std::max(0.0, -std::expm1(e - base_epsilon) / (1 + std::exp(-base_epsilon)));
  };
  return internal::round_up(base_epsilon + profile_bound(law, profile).shift);
}

double poisson_rdp(double mean_count, double alpha, double base_value,
                   const std::function<double(double)>& base_delta) {
  if (!(mean_count >= 1)) throw base::UsageError("the Renyi bound needs a mean of at least 1");
  const double epsilon = std::log1p(1 / (alpha - 1));
  return (base_value + mean_count * base_delta(epsilon) + std::log(mean_count) / (alpha - 1)) *
         (1 + 1e-12);
}

}  // namespace tacet::privacy::repetition
