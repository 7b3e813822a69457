#include "tacet/accounting/routes/gaussian.h"

#include <array>
#include <cmath>
#include <limits>

#include "tacet/accounting/routes/memo_cache.h"
#include "tacet/base/error.h"
#include "tacet/numeric/erfcx_each.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::gaussian {
namespace {

using numeric::erfcx;

using numeric::infinity;
constexpr double log_2 = 0.69314718055994530942;
using numeric::sqrt_half;
using numeric::unit_roundoff;

/// erfcx(mid - half) - erfcx(mid + half) as the integral of -erfcx', 16-point Gauss-Legendre.
double erfcx_difference_by_quadrature(double mid, double half) {
  constexpr std::array nodes{0.09501250983763744019, 0.28160355077925891323, 0.45801677765722738634,
                             0.61787624440264374845, 0.75540440835500303390, 0.86563120238783174388,
                             0.94457502307323257608, 0.98940093499164993260};
  constexpr std::array weights{0.18945061045506849629, 0.18260341504492358887,
                               0.16915651939500253819, 0.14959598881657673208,
                               0.12462897125553387205, 0.09515851168249278481,
                               0.06225352393864789286, 0.02715245941175409485};
  std::array<double, 2 * nodes.size()> slopes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    slopes[2 * i] = mid - half * nodes[i];
    slopes[2 * i + 1] = mid + half * nodes[i];
  }
  numeric::erfcx_slope_each(slopes);
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += weights[i] * (slopes[2 * i] + slopes[2 * i + 1]);
  }
  return half * sum;
}

/// For epsilon >= 0 and 0 < mu < infinity. With a = (epsilon/mu - mu/2)/sqrt 2 and
/// b = a + mu/sqrt 2, b^2 - a^2 = epsilon, so e^epsilon erfc(b) = e^{-a^2} erfcx(b).
double log_delta_forward(double mu, double epsilon) {
  const double ratio = epsilon / mu;
  const double a = (ratio - 0.5 * mu) * sqrt_half;
  const double b = (ratio + 0.5 * mu) * sqrt_half;
  const double width = mu * sqrt_half;
  if (std::isinf(a)) return a > 0 ? -infinity : 0;
  if (width < std::fmax(1.0, 0.25 * b)) {
    // Uses the width itself and not b - a, which would be all rounding for small mu.
    const double change = erfcx_difference_by_quadrature(ratio * sqrt_half, 0.5 * width);
    return -a * a - log_2 + std::log(change);
  }
  if (a >= 0) return -a * a - log_2 + std::log(erfcx(a) - erfcx(b));
  return std::log1p(-0.5 * std::exp(-a * a) * (erfcx(-a) + erfcx(b)));
}

/// Whether delta at epsilon >= 0 is below the smallest double. It is below exp(-a^2), and exp(-784)
/// is.
bool vanishes(double mu, double epsilon) {
  constexpr double far = 28;
  return (epsilon / mu - 0.5 * mu) * sqrt_half > far;
}

void check_mu(double mu) {
  if (!(mu >= 0)) throw base::UsageError("mu (distance over noise) must be 0 or more, got {}", mu);
}

/// Whether (epsilon, delta) certainly holds: the computed delta, raised by its error bound, stays
/// at or below the target.
bool certainly_below(double mu, double epsilon, double delta) {
  const double slack = relative_error(mu, epsilon) + 4 * unit_roundoff * std::fabs(std::log(delta));
  return log_delta(mu, epsilon) + slack <= std::log(delta);
}

/// Whether (epsilon, delta) certainly fails.
bool certainly_above(double mu, double epsilon, double delta) {
  const double slack = relative_error(mu, epsilon) + 4 * unit_roundoff * std::fabs(std::log(delta));
  return log_delta(mu, epsilon) - slack > std::log(delta);
}

double min_epsilon(double mu, double target) {
  if (certainly_below(mu, 0, target)) return 0;
  // P(loss > e) bounds delta(e), and Gaussian tails are below exp(-x^2 / 2).
  double high = 0.5 * mu * mu + mu * (std::sqrt(-2 * std::log(target)) + 1);
  while (!certainly_below(mu, high, target)) {
    high *= 2;
    if (std::isinf(high)) return high;
  }
  return numeric::bisect_threshold(high, 0.0,
                                   [&](double e) { return certainly_below(mu, e, target); });
}

double max_mu(double epsilon, double target) {
  const auto holds = [&](double log_mu) {
    return certainly_below(std::exp(log_mu), epsilon, target);
  };
  // delta(0) = erf(mu / sqrt 8) >= mu / (2 sqrt 2 pi) for mu <= 1 So the smallest solution, at
  // epsilon 0, is near delta sqrt(2 pi), and a fifth of that keeps (epsilon, delta) for every
  // epsilon.
  const double low = std::log(target) - 1;
  double high = 1;
  while (holds(high)) high += 1 + std::fabs(high);
  const double log_mu = numeric::bisect_threshold(low, high, holds, 1e-9);
  // The last digits are found in mu itself, since exp would blur them.
  double inside = std::exp(log_mu);
  double outside = inside * (1 + 1e-6);
  const auto safe = [&](double mu) { return certainly_below(mu, epsilon, target); };
  while (!safe(inside)) inside *= 1 - 1e-12;
  while (safe(outside)) outside *= 1 + 1e-6;
  return numeric::bisect_threshold(inside, outside, safe);
}

}  // namespace

double relative_error(double mu, double epsilon) {
  if (mu == 0) return 0;
  const double a = (epsilon / mu - 0.5 * mu) * sqrt_half;
  return 1e-13 + 16 * unit_roundoff * a * a;
}

double log_delta(double mu, double epsilon) {
  check_mu(mu);
  if (std::isnan(epsilon)) throw base::UsageError("epsilon is not a number");
  if (std::isinf(epsilon)) return epsilon > 0 ? -infinity : 0;
  if (mu == 0) return epsilon >= 0 ? -infinity : std::log(-std::expm1(epsilon));
  if (std::isinf(mu)) return 0;
  if (epsilon >= 0) return log_delta_forward(mu, epsilon);
  // The pair is symmetric: delta(-e) = 1 - e^-e + e^-e delta(e).
  if (vanishes(mu, -epsilon)) return std::log(-std::expm1(epsilon));
  return std::log(-std::expm1(epsilon) + std::exp(epsilon + log_delta_forward(mu, -epsilon)));
}

double delta(double mu, double epsilon) {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  const bool positive = mu > 0 && std::isfinite(mu) && std::isfinite(epsilon);
  if (positive && vanishes(mu, epsilon)) return smallest;
  return numeric::exp_of_upper(log_delta(mu, epsilon));
}

double epsilon(double mu, Delta delta) {
  check_mu(mu);
  if (mu == 0) return 0;
  if (delta.value() == 0 || std::isinf(mu)) return infinity;
  thread_local MemoCache<2> cache;
  return cache({mu, delta.value()}, [&] { return min_epsilon(mu, delta.value()); });
}

double epsilon_below(double mu, Delta delta) {
  const double upper = epsilon(mu, delta);
  if (std::isinf(upper)) return upper;
  const double target = delta.value();
  if (upper == 0) return 0;
  thread_local MemoCache<2> cache;
  return cache({mu, target}, [&] {
    if (!certainly_above(mu, 0, target)) return 0.0;
    return numeric::bisect_threshold(0.0, upper,
                                     [&](double e) { return certainly_above(mu, e, target); });
  });
}

constexpr double largest_epsilon = 1e4;  // delta is evaluated to full precision up to here

double mu_for(Epsilon epsilon, Delta delta) {
  if (std::isinf(epsilon.value())) return infinity;
  if (epsilon.value() > largest_epsilon) {
    throw base::UsageError(
        "epsilon must be at most {}, or inf for no protection at all, got {}; nothing is protected "
        "long before that",
        largest_epsilon, epsilon.value());
  }
  if (delta.value() == 0) return 0;
  thread_local MemoCache<2> cache;
  return cache({epsilon.value(), delta.value()},
               [&] { return max_mu(epsilon.value(), delta.value()); });
}

double sigma_for(double sensitivity, Epsilon epsilon, Delta delta) {
  if (!(sensitivity >= 0) || std::isinf(sensitivity)) {
    throw base::UsageError("the sensitivity must be finite and 0 or more, got {}", sensitivity);
  }
  if (sensitivity == 0) return 0;
  const double mu = mu_for(epsilon, delta);
  if (std::isinf(mu)) return 0;
  if (mu == 0) return infinity;
  double sigma = sensitivity / mu;
  // The guarantee is that of the mu that the rounded sigma gives, so raise sigma until that mu is
  // small enough.
  while (std::fma(sigma, mu, -sensitivity) < 0) sigma = std::nextafter(sigma, infinity);
  return sigma;
}

double compose(double mu, std::int64_t count) {
  check_mu(mu);
  if (count < 0) throw base::UsageError("the count must be 0 or more, got {}", count);
  if (count == 0 || mu == 0) return 0;
  if (count == 1) return mu;
  const double total = mu * std::sqrt(static_cast<double>(count));
  return std::nextafter(std::nextafter(total, infinity), infinity);
}

}  // namespace tacet::accounting::gaussian
