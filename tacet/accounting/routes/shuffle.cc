#include "tacet/accounting/routes/shuffle.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::shuffle {
namespace {

/// Above the relative rounding of one probability or one sum below.
constexpr double rounding = 1e-12;

/// log n! - log(sqrt(2 pi n) (n/e)^n).
double stirling_error(double n) {
  using numeric::log_sqrt_2pi;
  if (n < 16) return std::lgamma(n + 1) - (n + 0.5) * std::log(n) + n - log_sqrt_2pi;
  const double square = n * n;
  return (1.0 / 12 -
          (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square) /
              square) /
         n;
}

/// (1 + t) log(1 + t) - t for t >= -1, to full relative precision.
double deviance(double t) {
  if (std::fabs(t) > 0.1) return t <= -1 ? 1 : (1 + t) * std::log1p(t) - t;
  // The sum of (-t)^k / (k (k - 1)) over k >= 2.
  double sum = 0;
  for (int k = 18; k >= 2; --k) sum = 1.0 / (k * (k - 1)) - t * sum;
  return t * t * sum;
}

/// e^-exponent, raised by more than the rounding of the exponent.
double raised_exp(double exponent) {
  return std::exp(-exponent) * (1 + numeric::ulps(64) * (4 + exponent));
}

/// P(X = k) for X ~ Bin(n, p), rounded up, without cancellation (Loader 2000): its relative error
/// is a few units of rounding times the exponent, whatever n.
double binomial_probability(double n, double p, double k) {
  const double q = 1 - p;
  if (k == 0) return raised_exp(-n * std::log1p(-p));
  if (k == n) return raised_exp(-n * std::log(p));
  const double off = std::fma(-n, p, k);
  const double exponent = n * p * deviance(off / (n * p)) + n * q * deviance(-off / (n * q));
  const double correction = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
  constexpr double two_pi = 6.28318530717958647693;
  return raised_exp(exponent) * std::exp(correction) * std::sqrt(n / (two_pi * k) / (n - k));
}

/// A lower bound of P(A >= k) / P(A = k - 1) for A ~ Bin(c, 1/2) and 2k >= c + 1, from the
/// continued fraction of the incomplete beta function (DLMF 8.17.22 in even form). All its terms
/// are positive. So its odd convergents lie above it, and all errors are relative.
double survival_ratio_below(double c, double k) {
  const double a = k;
  const double b = c - k + 1;
  if (b <= 0) return 0;
  const auto denominator = [&](double m) {
    return m + 0.5 * m * (b - m) / (a + 2 * m - 1) +
           (a + m) * (0.5 * (a - b) + 1 + 1.5 * m) / (a + 2 * m + 1);
  };
  constexpr int max_terms = 401;
  double value = denominator(0);
  double upper = value;  // also exact if the fraction ends
  double numerators = value;
  double denominators = 0;
  for (int i = 1; i <= max_terms; ++i) {
    const auto m = static_cast<double>(i);
    if (m >= b) {
      upper = value;
      break;
    }
    const double share = (a + m - 1) / (a + 2 * m - 1) * ((a + b + m - 1) / (a + 2 * m - 1));
    const double numerator = 0.25 * share * m * (b - m);
    const double next = denominator(m);
    numerators = next + numerator / numerators;
    denominators = 1 / (next + numerator * denominators);
    const double change = numerators * denominators;
    value *= change;
    if (i % 2 == 0) continue;
    upper = value;
    if (std::fabs(change - 1) < 1e-15) break;
  }
  return 0.5 * b / upper * (1 - rounding);
}

/// delta at c clones, rounded up. It does not increase with c: one more clone adds one Bernoulli
/// draw to the visible count. So the release with c + 1 clones can be computed from the release
/// with c.
auto delta_by_clones(double local_epsilon, double epsilon) {
  const double growth = std::expm1(epsilon);
  const double keep = 1 / (1 + std::exp(-local_epsilon));
  const double gain = keep * -std::expm1(epsilon - local_epsilon);
  const double both = std::tanh(0.5 * local_epsilon) * (2 + growth);
  const double slope = keep * (growth - std::expm1(-local_epsilon)) / both;
  return [=](double c) {
    // For larger counts the likelihood ratio of the report and its clones is above e^epsilon.
    const double threshold = (c + 1) * slope;
    const double k = std::clamp(std::ceil(threshold - 1e-12), std::ceil(0.5 * (c + 1)), c + 1);
    // gain P(A = k - 1) - (e^epsilon - 1) P(A >= k): both tails together.
    const double share =
        gain * (1 + rounding) - growth * survival_ratio_below(c, k) * (1 - rounding);
    // The computed boundary is off by less than `off`, which is below 1/2 for all counts. A value x
    // on the wrong side of it changes the sum by less than its share of the term at k - 1.
    const double off = 1e-12 + threshold * numeric::ulps(16);
    const double missed = 4 * both * off / (c - k + 2);
    return binomial_probability(c, 0.5, k - 1) * (std::max(0.0, share) + missed) * (1 + rounding);
  };
}

/// P(first <= C < first + count) for C ~ Bin(n, p), rounded up. The ratio of neighbours falls, so a
/// geometric sum with the first ratio is a bound.
double block_probability(double n, double p, double first, double count) {
  const double start = binomial_probability(n, p, first) * (1 + rounding);
  if (count == 1 || first == n) return start;
  const double q = 1 - p;
  const double excess = (std::fma(n, p, -first) - q) / ((first + 1) * q);
  if (excess == 0) return start * count;
  return start * std::expm1(count * std::log1p(excess)) / excess * (1 + rounding);
}

void check(std::int64_t reports, double local_epsilon) {
  if (reports < 1 || !(local_epsilon >= 0)) {
    throw base::UsageError("shuffling needs at least one report and a local epsilon of 0 or more");
  }
}

/// e^-local_epsilon, rounded down: with fewer clones the cost is never smaller.
double probability_of_a_clone(double local_epsilon) {
  return std::max(0.0, std::exp(-local_epsilon) * numeric::down_ulps(2));
}

}  // namespace

double clones_delta(std::int64_t reports, double local_epsilon, double epsilon,
                    std::optional<double> given_probability) {
  check(reports, local_epsilon);
  const double clone_probability =
      given_probability.value_or(probability_of_a_clone(local_epsilon));
  if (epsilon >= local_epsilon) return 0;
  if (local_epsilon > 300) return 1;
  // Larger numbers of reports count as this one: with fewer clones the cost is never smaller.
  const double others = std::min(static_cast<double>(reports - 1), 0x1p46);
  const auto delta = delta_by_clones(local_epsilon, epsilon);
  // Factors among the smallest doubles lose their digits, so a smaller delta is stated as this one.
  constexpr double min = 1e-300;
  if (clone_probability >= 1) return std::clamp(delta(others), min, 1.0);
  // By Bernstein's inequality, each side beyond `reach` has a probability of at most e^-60.
  const double variance = others * clone_probability * (1 - clone_probability);
  const double reach = 21 + std::sqrt(400 + 120 * variance);
  const double centre = others * clone_probability;
  const double low = std::max(0.0, std::floor(centre - reach));
  const double high = std::min(others, std::ceil(centre + reach));
  const double omitted = (low > 0 || high < others) ? 2 * std::exp(-60) : 0;
  // Blocks of counts, each with the delta of its smallest count. Up to about 10^6 reports a block
  // is a single count, and there are never more than a few thousand blocks. Far from the centre
  // there is almost no probability.
  constexpr double max_blocks = 6600;
  constexpr double central = 6.5;
  const double spread = std::sqrt(variance);
  const double fine = std::max(1.0, std::ceil(2 * central * spread / max_blocks));
  const double coarse = std::max(fine, std::ceil(spread / 20));
  double sum = 0;
  for (double c = low, width = 0; c <= high; c += width) {
    width = std::fabs(c - centre) <= central * spread ? fine : coarse;
    sum +=
        block_probability(others, clone_probability, c, std::min(width, high - c + 1)) * delta(c);
  }
  return std::clamp(sum * (1 + rounding) + omitted, min, 1.0);
}

double clones_epsilon(std::int64_t reports, double local_epsilon, double delta,
                      std::optional<double> clone_probability) {
  check(reports, local_epsilon);
  if (delta == 0 || local_epsilon == 0) return local_epsilon;
  const auto holds = [&](double epsilon) {
    return clones_delta(reports, local_epsilon, epsilon, clone_probability) <= delta;
  };
  return holds(0) ? 0 : numeric::bisect_threshold(local_epsilon, 0.0, holds, 1e-9);
}

}  // namespace tacet::accounting::shuffle
