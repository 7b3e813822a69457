#include "tacet/numeric/special.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tacet/numeric/erfcx_fraction.h"
#include "tacet/numeric/rounding.h"

namespace tacet::numeric {
namespace {

using internal::inverse_sqrt_pi;

/// erfcx on [0.46875, 4] (Cody 1969).
double erfcx_middle(double x) {
  constexpr std::array c{5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
                         2.98635138197400131e2,  8.81952221241769090e2, 1.71204761263407058e3,
                         2.05107837782607147e3,  1.23033935479799725e3, 2.15311535474403846e-8};
  constexpr std::array d{1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
                         1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
                         3.43936767414372164e3, 1.23033935480374942e3};
  double numerator = c[8] * x;
  double denominator = x;
  for (std::size_t i = 0; i < 7; ++i) {
    numerator = (numerator + c[i]) * x;
    denominator = (denominator + d[i]) * x;
  }
  return (numerator + c[7]) / (denominator + d[7]);
}

/// erfcx above 4 (Cody 1969).
double erfcx_tail(double x) {
  constexpr std::array p{3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
                         1.60837851487422766e-2, 6.58749161529837803e-4, 1.63153871373020978e-2};
  constexpr std::array q{2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1,
                         6.05183413124413191e-2, 2.33520497626869185e-3};
  const double y = 1 / (x * x);
  double numerator = p[5] * y;
  double denominator = y;
  for (std::size_t i = 0; i < 4; ++i) {
    numerator = (numerator + p[i]) * y;
    denominator = (denominator + q[i]) * y;
  }
  const double correction = y * (numerator + p[4]) / (denominator + q[4]);
  return (inverse_sqrt_pi - correction) / x;
}

/// exp(x^2) with the rounding error of the square restored; matters where x^2 is large.
double exp_square(double x) {
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  return std::exp(square) * (1 + rest);
}

/// exp(-x^2 / 2), also with the rounding error of the square restored.
double exp_minus_half_square(double x) {
  const double square = x * x;
  if (square > 1600) return 0;
  const double rest = 0.5 * std::fma(x, x, -square);
  return std::exp(-0.5 * square) * (1 - rest);
}

/// The tail K of erfcx(x) sqrt(pi) = 1 / (x + K), by Laplace's continued fraction.
double continued_fraction_rest(double x) {
  double rest = 0;
  for (int i = internal::fraction_terms(x); i >= 1; --i) rest = (0.5 * i) / (x + rest);
  return rest;
}

}  // namespace

double erfcx(double x) {
  if (std::isnan(x)) return x;
  if (x < 0.46875) return x < -26.7 ? infinity : exp_square(x) * std::erfc(x);
  if (x <= 4) return erfcx_middle(x);
  if (x > 1e150) return inverse_sqrt_pi / x;
  return erfcx_tail(x);
}

double erfcx_slope(double x) {
  if (x <= internal::fraction_from) return 2 * inverse_sqrt_pi - 2 * x * erfcx(x);
  if (!internal::has_fraction(x)) return std::isnan(x) ? x : 0;
  return internal::slope_by_fraction(x, continued_fraction_rest(x));
}

double normal_cdf(double x) {
  if (x < -1) {
    // The split keeps the relative accuracy that erfc(-x / sqrt 2) would lose to the rounded ratio.
    return 0.5 * exp_minus_half_square(x) * erfcx(-x * sqrt_half);
  }
  return 0.5 * std::erfc(-x * sqrt_half);
}

double log_normal_cdf(double x) {
  if (x < -1) {
    if (std::isinf(x)) return -infinity;
    return -0.5 * x * x + std::log(0.5 * erfcx(-x * sqrt_half));
  }
  if (x > 1) return std::log1p(-normal_cdf(-x));
  return std::log(normal_cdf(x));
}

double normal_interval(double a, double b) {
  if (!(a < b)) return 0;
  if (a > 0) {
    const double reflected = -a;
    a = -b;
    b = reflected;
  }
  const double width = b - a;
  const double relative_width = width * std::fmax(1.0, -a);
  if (relative_width < 0.02) {
    // The density's Taylor series around the middle, in Hermite polynomials; the next term is below
    // (0.01)^8 / 9!.
    const double mid = 0.5 * (a + b);
    const double x2 = mid * mid;
    const double h2 = 0.25 * width * width;
    const double he4 = x2 * (x2 - 6) + 3;
    const double he6 = x2 * (x2 * (x2 - 15) + 45) - 15;
    const double series = 1 + h2 * ((x2 - 1) / 6 + h2 * (he4 / 120 + h2 * he6 / 5040));
    return inverse_sqrt_2pi * exp_minus_half_square(mid) * width * series;
  }
  if (relative_width < 0.25) {
    // phi(mid) times the integral of exp(-(x^2 - mid^2)/2): 7-point Gauss-Legendre is exact to
    // rounding on so narrow an interval.
    constexpr std::array nodes{0.94910791234275852453, 0.74153118559939443986,
                               0.40584515137739716691};
    constexpr std::array weights{0.12948496616886969327, 0.27970539148927666790,
                                 0.38183005050511894495};
    constexpr double centre_weight = 0.41795918367346938776;
    const double mid = 0.5 * (a + b);
    const double half = 0.5 * width;
    double sum = centre_weight;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double t = half * nodes[i];
      sum += weights[i] * (std::exp(-t * (mid + 0.5 * t)) + std::exp(t * (mid - 0.5 * t)));
    }
    return inverse_sqrt_2pi * exp_minus_half_square(mid) * half * sum;
  }
  return normal_cdf(b) - normal_cdf(a);
}

double normal_quantile_from_log(double log_p) {
  if (std::isinf(log_p)) return -infinity;
  // Newton on log Phi, which is concave: from the left the iteration climbs monotonically.
  double x = -std::sqrt(std::fmax(0.0, -2 * log_p));
  for (int i = 0; i < 100; ++i) {
    const double value = log_normal_cdf(x);
    // phi / Phi
    const double slope = x < -1 ? 2 * inverse_sqrt_2pi / erfcx(-x * sqrt_half)
                                : inverse_sqrt_2pi * std::exp(-0.5 * x * x) / normal_cdf(x);
    const double step = (log_p - value) / slope;
    x += step;
    if (std::fabs(step) <= 1e-15 * std::fmax(1.0, std::fabs(x))) break;
  }
  return x;
}

double normal_quantile(double p) {
  if (std::isnan(p) || p < 0 || p > 1) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0) return -infinity;
  if (p == 1) return infinity;
  if (p == 0.5) return 0;
  return p < 0.5 ? normal_quantile_from_log(std::log(p))
                 : -normal_quantile_from_log(std::log1p(-p));
}

double log1mexp(double x) {
  // Maechler (2012): the switch at log 2 keeps full accuracy on both sides.
  constexpr double log_2 = 0.69314718055994530942;
  return x > -log_2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

double log1p_exp(double x) { return x > 40 ? x + std::exp(-x) : std::log1p(std::exp(x)); }

double log_add_exp(double a, double b) {
  if (a < b) std::swap(a, b);
  if (std::isinf(b) && b < 0) return a;
  if (std::isinf(a)) return a;
  return a + std::log1p(std::exp(b - a));
}

}  // namespace tacet::numeric
