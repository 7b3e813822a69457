#include "tacet/audit/one_run.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::audit {
namespace {

void check(const Guesses& guesses, double delta) {
  constexpr std::int64_t max = std::int64_t{1} << 30;
  if (guesses.canaries < 1 || guesses.canaries > max || guesses.right < 0 ||
      guesses.right > guesses.made || guesses.made > guesses.canaries) {
    throw base::UsageError("of {} canaries {} were guessed and {} rightly; that cannot be",
                           guesses.canaries, guesses.made, guesses.right);
  }
  if (!(delta >= 0 && delta <= 1)) throw base::UsageError("delta must be 0 to 1, got {}", delta);
}

/// The largest epsilon whose p-value is below `level`; p-values rise with epsilon.
double largest_refuted(const std::function<double(double)>& p_value, double level) {
  if (p_value(0) >= level) return 0;
  double low = 0;
  double high = 1;
  while (p_value(high) < level && high < 64) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > numeric::ulps(4) * high; ++i) {
    const double middle = (low + high) / 2;
    (p_value(middle) < level ? low : high) = middle;
  }
  return low;
}

}  // namespace

double one_run_p_value(const Guesses& guesses, double epsilon, double delta) {
  check(guesses, delta);
  if (!(epsilon >= 0)) throw base::UsageError("epsilon must be at least 0, got {}", epsilon);
  if (guesses.right == 0) return 1;
  const auto guessed = static_cast<double>(guesses.made);
  const boost::math::binomial law(guessed, 1 / (1 + std::exp(-epsilon)));
  const auto v = guesses.right;
  const double beta = boost::math::cdf(boost::math::complement(law, static_cast<double>(v - 1)));
  // Each from the one before, by its logarithm: far out a number may vanish and later ones not.
  const double odds = -epsilon;  // ln of (1 - q)/q
  double log_mass = std::lgamma(guessed + 1) - std::lgamma(static_cast<double>(v) + 1) -
                    std::lgamma(guessed - static_cast<double>(v) + 1) +
                    (guessed - static_cast<double>(v)) * odds -
                    guessed * std::log1p(std::exp(odds));
  double alpha = 0;
  double between = 0;  // P(v > W >= v - i)
  for (std::int64_t i = 1; i <= v; ++i) {
    const auto w = static_cast<double>(v - i);
    log_mass += std::log((w + 1) / (guessed - w)) + odds;
    between += std::exp(log_mass);
    alpha = std::max(alpha, between / static_cast<double>(i));
  }
  return std::min(1.0, beta + 2 * static_cast<double>(guesses.canaries) * delta * alpha);
}

double one_run_bound(const Guesses& guesses, double delta, double level) {
  return one_run_bound_of_copies(guesses, 1, delta, level);
}

double one_run_bound_of_copies(const Guesses& guesses, std::int64_t copies, double delta,
                               double level) {
  check(guesses, delta);
  if (copies < 1) throw base::UsageError("a canary is one record or more, got {}", copies);
  if (!(level > 0 && level < 1))
    throw base::UsageError("a level is between 0 and 1, got {}", level);
  const auto times = static_cast<double>(copies);
  return largest_refuted(
      [&](double epsilon) {
        const double grown =
            epsilon > 0 ? std::expm1(times * epsilon) / std::expm1(epsilon) : times;
        return one_run_p_value(guesses, times * epsilon, std::min(1.0, delta * grown));
      },
      level);
}

}  // namespace tacet::audit
