#include "tacet/accounting/routes/repetition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::repetition {

Law law_of(const RandomlyRepeated& event) {
  return {event.law, event.eta, event.gamma, event.mean, event.trials, event.probability};
}

namespace {

using numeric::infinity;

/// For a shape this close to 0, e^(eta log gamma) - 1 has no digits left. To double precision the
/// law is the one of shape 0 (logarithmic).
bool is_logarithmic(const Law& law) { return std::fabs(law.eta) < 1e-20; }

/// log |gamma^-eta - 1|, also if the power overflows.
double log_normaliser(const Law& law) {
  const double exponent = -law.eta * std::log(law.gamma);
  return exponent > 700 ? exponent : std::log(std::fabs(std::expm1(exponent)));
}

/// A logarithm as a sum of terms that may cancel.
struct LogSum {
  double value = 0;
  double magnitude = 0;

  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
  }
  /// More than the rounding of each term, of its argument, and of the sum.
  [[nodiscard]] double error() const { return numeric::ulps(16) * (1 + magnitude); }
};

/// log P(K = k); k >= 1 for the truncated law, k <= trials for the binomial one.
LogSum log_probability(const Law& law, double k) {
  LogSum log;
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial:
      log.add(k * std::log1p(-law.gamma));
      if (is_logarithmic(law)) {
        log.add(-std::log(k));
        log.add(-std::log(-std::log(law.gamma)));
        return log;
      }
      // eta / (gamma^-eta - 1) times the product of (l + eta) / (l + 1) over 1 <= l < k; If eta is
      // negative, so is the other factor.
      log.add(std::log(std::fabs(law.eta)));
      log.add(-log_normaliser(law));
      log.add(std::lgamma(k + law.eta));
      log.add(-std::lgamma(1 + law.eta));
      log.add(-std::lgamma(k + 1));
      return log;
    case RepetitionLaw::poisson:
      log.add(k * std::log(law.mean));
      log.add(-law.mean);
      log.add(-std::lgamma(k + 1));
      return log;
    case RepetitionLaw::binomial: {
      const auto n = static_cast<double>(law.trials);
      const double rest = std::max(0.0, n - k);
      log.add(std::lgamma(n + 1));
      log.add(-std::lgamma(k + 1));
      log.add(-std::lgamma(rest + 1));
      log.add(k * std::log(law.probability));
      log.add(rest * std::log1p(-law.probability));
      return log;
    }
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

/// P(K = k + 1) / P(K = k).
double ratio_after(const Law& law, double k) {
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial:
      return (k + law.eta) / (k + 1) * (1 - law.gamma);
    case RepetitionLaw::poisson:
      return law.mean / (k + 1);
    case RepetitionLaw::binomial:
      return (static_cast<double>(law.trials) - k) / (k + 1) * law.probability /
             (1 - law.probability);
  }
  throw base::InternalError("a repetition law outside its enumeration");
}

/// A bound of P(K > k) / P(K = k) from the largest ratio of later neighbours; infinity if that
/// ratio is not clearly below 1.
double rest_after(const Law& law, double k) {
  // For shapes up to 1 the ratios increase to 1 - gamma; all others decrease.
  if (law.kind == RepetitionLaw::truncated_negative_binomial && law.eta <= 1) {
    return (1 - law.gamma) / law.gamma;
  }
  const double ratio = ratio_after(law, k);
  constexpr double clearly_below = 1 - 1e-6;
  return ratio < clearly_below ? ratio / (1 - ratio) : infinity;
}

}  // namespace

double mean(const Law& law) {
  switch (law.kind) {
    case RepetitionLaw::truncated_negative_binomial: {
      const double log_gamma = std::log(law.gamma);
      if (is_logarithmic(law)) return (1 / law.gamma - 1) / -log_gamma;
      if (law.eta * log_gamma > 700) {
        // gamma^eta - 1, a factor of the divisor, overflows. The logarithm of the mean, up to 750
        // and rounded up, is that of |eta| (1 - gamma) / gamma^(1 + eta).
        const double log_mean =
            std::log(-law.eta) + std::log1p(-law.gamma) - (1 + law.eta) * log_gamma;
        return std::exp(log_mean) * (1 + 1e-12);
      }
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
  if (k < 0) return 0;
  if (law.kind == RepetitionLaw::truncated_negative_binomial && k < 1) return 0;
  if (law.kind == RepetitionLaw::binomial && k > law.trials) return 0;
  return std::exp(log_probability(law, static_cast<double>(k)).value);
}

double tail(const Law& law, std::int64_t cap) {
  if (law.kind == RepetitionLaw::binomial && cap >= law.trials) return 0;
  const double first = static_cast<double>(cap) + 1;
  // Before the mode there is no cheap bound of the tail.
  if (!(ratio_after(law, first) < 1)) return 1;
  const auto start = log_probability(law, first);
  // P(K > cap) / P(K = cap + 1): the first terms by their ratios, then a bound of the rest.
  constexpr int max_terms = 1'000'000;
  double sum = 0;
  double term = 1;
  double rest = infinity;
  double k = first;
  for (int i = 0; i < max_terms; ++i, ++k) {
    sum += term;
    rest = term * rest_after(law, k);
    if (rest <= 1e-6 * sum) break;
    term *= std::max(0.0, ratio_after(law, k));
  }
  const double total = (sum + rest) * (1 + 1e-8);  // for a million ratios with a few roundings each
  const double log_total = start.value + start.error() + std::log(total);
  if (!(log_total < 0)) return 1;
  // Never 0, however rare it is.
  return std::max(std::exp(log_total), std::numeric_limits<double>::denorm_min());
}

double gamma_for_mean(double eta, double wanted) {
  if (!(wanted > 1) || !(eta > -1)) {
    throw base::UsageError("repetition needs a mean above 1 and a shape above -1");
  }
  const auto at = [&](double log_gamma) {
    return mean({RepetitionLaw::truncated_negative_binomial, eta, std::exp(log_gamma)});
  };
  const double log_gamma =
      numeric::bisect_threshold(-700.0, -1e-12, [&](double value) { return at(value) >= wanted; });
  return std::exp(log_gamma);
}

namespace {

/// The smallest x with gamma (e^x - 1) >= (1 - gamma) delta(x), to the relative `tolerance` and
/// rounded up. It is at most -log gamma, since delta <= 1.
double best_ratio(double gamma, const std::function<double(double)>& base_delta, double tolerance) {
  const auto bisected = [&](double from) {
    const auto beyond = [&](double x) {
      return gamma * std::expm1(x) >= (1 - gamma) * base_delta(x);
    };
    return numeric::bisect_threshold(from, 0.0, beyond, tolerance);
  };
  const double max = -std::log(gamma) * (1 + 1e-12);
  constexpr double fine = 1e-8;
  if (tolerance < fine) return bisected(max);
  // The x at which gamma (e^x - 1) equals (1 - gamma) delta.
  const auto crossing = [gamma](double delta) { return std::log1p((1 - gamma) / gamma * delta); };
  const double high = std::min(max, crossing(base_delta(0)) * (1 + 1e-12));
  const double delta_high = base_delta(high);
  const double low = crossing(delta_high);
  if (!(low > 0 && low < high)) return bisected(high);
  const auto excess = [gamma](double x, double delta) {
    return std::log(gamma * std::expm1(x)) - std::log((1 - gamma) * delta);
  };
  const double above = excess(high, delta_high);
  const double below = excess(low, base_delta(low));
  if (below >= 0) return low;
  if (!(above >= 0)) return high;
  return numeric::bracket_root(
             {high, above}, {low, below}, [&](double x) { return excess(x, base_delta(x)); },
             tolerance * low)
      .first;
}

}  // namespace

ProfileBound profile_bound(const Law& law, const std::function<double(double)>& base_delta,
                           const std::optional<ProfileBound>& known, double tolerance) {
  const double scale = mean(law) * (1 + 1e-12);
  if (law.kind == RepetitionLaw::truncated_negative_binomial) {
    // The margin on the shift covers the rounding of this comparison.
    if (known &&
        law.gamma * std::expm1(known->first) >= (1 - law.gamma) * base_delta(known->first)) {
      return *known;
    }
    const double first = best_ratio(law.gamma, base_delta, tolerance);
    return {scale, (1 + law.eta) * first * (1 + 1e-12), first};
  }
  const double distance = std::min(1.0, base_delta(0));
  double shift = law.mean * distance * (1 + 1e-12);
  if (law.kind == RepetitionLaw::binomial) {
    const double ratio = law.probability * distance / (1 - law.probability);
    shift = static_cast<double>(law.trials - 1) * std::log1p(ratio) * (1 + 1e-12);
  }
  return known && known->shift >= shift ? *known : ProfileBound{scale, shift, 0};
}

double pure_epsilon(const Law& law, double base_epsilon) {
  if (base_epsilon == 0) return 0;
  const auto profile = [&](double e) {
    // (e^b - e^x) / (1 + e^b), also if the exponentials overflow.
    return std::max(0.0, -std::expm1(e - base_epsilon) / (1 + std::exp(-base_epsilon)));
  };
  return numeric::round_up(base_epsilon + profile_bound(law, profile).shift);
}

int depth(const Event& whole) {
  return fold<int>(whole, [](const Event& event, std::span<const int> within) {
    const int deepest = within.empty() ? 0 : std::ranges::max(within);
    return deepest + (event.as<RandomlyRepeated>() != nullptr ? 1 : 0);
  });
}

}  // namespace tacet::accounting::repetition
