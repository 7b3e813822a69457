// Proves, by interval arithmetic over every sub-interval and not by sampling, that the error bounds
// in inverse_normal_table.inc hold: for every word of a region, the double the samplers compute for
// sigma = 1 differs from the inverse normal of every U in the word's cell by at most the bound.
//
// On a sub-interval with middle c and half-width h the error A - z of the approximation in exact
// arithmetic is expanded to order n: its Taylor coefficients at c are enclosed with 160 bits, the
// n-th one over the whole sub-interval with the same recurrences on wide intervals (R. Moore 1966).
// z satisfies dz/dU = g, dg/dU = z g^2 with g = sqrt(2 pi) exp(z^2/2), and its value at c comes
// from the certified distribution function of exact_normal.h. Rounding errors of the evaluation are
// bounded by running error analysis, with or without fused multiply-add.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/exact/inverse_normal.h"

namespace tacet::random::internal {
namespace inverse_normal_certificate_test {

namespace table = inverse_normal;
using boost::multiprecision::cpp_int;
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    160, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;

constexpr double half_ulp = 0x1p-53;
constexpr int order = 12;

/// [low, high]. Every operation rounds outward by a few units of the 160 bits; the results of the
/// library's operations are rounded to nearest.
struct Interval {
  Real low;
  Real high;
  Interval() : low(0), high(0) {}
  Interval(double value) : low(value), high(value) {}  // NOLINT: numbers are intervals
  Interval(Real a, Real b) : low(std::move(a)), high(std::move(b)) {}
};

Interval outward(const Real& low, const Real& high) {
  const Real unit = std::ldexp(1.0, -156);
  return {low - abs(low) * unit, high + abs(high) * unit};
}
Interval operator+(const Interval& a, const Interval& b) {
  return outward(a.low + b.low, a.high + b.high);
}
Interval operator-(const Interval& a, const Interval& b) {
  return outward(a.low - b.high, a.high - b.low);
}
Interval operator*(const Interval& a, const Interval& b) {
  const Real p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return outward(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
Interval operator/(const Interval& a, const Interval& b) {
  EXPECT_TRUE(b.low > 0 || b.high < 0);
  const Real p[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return outward(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
double magnitude(const Interval& a) {
  const Real m = std::max(abs(a.low), abs(a.high));
  return static_cast<double>(m) * (1 + 0x1p-50);
}

/// Taylor coefficients up to `order`.
struct Series {
  std::array<Interval, order + 1> coefficients;
  Interval& operator[](int i) { return coefficients[static_cast<std::size_t>(i)]; }
  const Interval& operator[](int i) const { return coefficients[static_cast<std::size_t>(i)]; }
};

Series operator*(const Series& a, const Series& b) {
  Series product;
  for (int i = 0; i <= order; ++i) {
    for (int j = 0; j <= i; ++j) product[i] = product[i] + a[j] * b[i - j];
  }
  return product;
}

Series operator/(const Series& a, const Series& b) {
  Series quotient;
  for (int i = 0; i <= order; ++i) {
    Interval rest = a[i];
    for (int j = 0; j < i; ++j) rest = rest - quotient[j] * b[i - j];
    quotient[i] = rest / b[0];
  }
  return quotient;
}

/// sum_i coefficients[i] x^i.
Series polynomial(std::span<const double> coefficients, const Series& x) {
  Series sum;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    sum = sum * x;
    sum[0] = sum[0] + Interval(coefficients[i]);
  }
  return sum;
}

Interval exponential(const Interval& x) {
  // exp(x) = exp(x / 1024)^1024; for |y| < 1/32 the 28 terms leave less than 2^-200.
  const Interval y = x / Interval(1024);
  EXPECT_LT(magnitude(y), 1.0 / 32);
  Interval sum = 1;
  for (int i = 28; i > 0; --i) sum = Interval(1) + sum * y / Interval(i);
  sum = sum + Interval(Real(-std::ldexp(1.0, -190)), Real(std::ldexp(1.0, -190)));
  for (int i = 0; i < 10; ++i) sum = sum * sum;
  return sum;
}

Interval root_two_pi() {
  Real constant(scaled_normal_constant());
  return Interval(1) / outward(ldexp(constant, -2048), ldexp(constant, -2048));
}

/// z >= 0 with Phi(z) - 1/2 = q, enclosed. q is exact.
Interval inverse(const Real& q) {
  constexpr int p = 240;
  const cpp_int wanted(ldexp(q, p));
  Real z = 0;
  Real last = 1;
  for (int i = 0; i < 200 && abs(last) > ldexp(Real(1), -100); ++i) {
    const NormalBracket value = centred_normal(cpp_int(ldexp(z, p)), p);
    last = ldexp(Real(wanted - value.low), -p) * sqrt(Real(6.2831853)) * exp(Real(z * z / 2));
    last = std::min(std::max(last, Real(-0.5)), Real(0.5));
    z += last;
  }
  // Down here the density is above 2^-33: a distance d in probability is below 2^33 d in z.
  const cpp_int z_scaled(ldexp(z, p));
  const NormalBracket value = centred_normal(z_scaled, p);
  const cpp_int miss =
      std::max(cpp_int(abs(value.low - wanted)), cpp_int(abs(value.high - wanted))) + 1;
  const Real reach = ldexp(Real(miss), 33 - p) + ldexp(Real(1), -150);
  EXPECT_LT(reach, ldexp(Real(1), -80));
  EXPECT_LT(z, 6.5);
  return {z - reach, z + reach};
}

/// Taylor coefficients of the inverse normal as a function of U, from its value.
Series inverse_series(const Interval& value) {
  Series z;
  Series g;
  z[0] = value;
  g[0] = root_two_pi() * exponential(value * value / Interval(2));
  for (int i = 0; i < order; ++i) {
    z[i + 1] = g[i] / Interval(i + 1);
    Interval next;
    for (int j = 0; j <= i; ++j) {
      Interval slope;  // coefficient j of z z'
      for (int k = 0; k <= j; ++k) slope = slope + z[k] * z[j - k + 1] * Interval(j - k + 1);
      next = next + slope * g[i - j];
    }
    g[i + 1] = next / Interval(i + 1);
  }
  return z;
}

/// Bound of |sum_i e_i s^i| for |s| <= h, the coefficients below `order` taken at the middle.
double taylor_bound(const Series& middle, const Series& wide, double h) {
  double bound = 0;
  double power = 1;
  for (int i = 0; i < order; ++i, power *= h * (1 + 0x1p-50)) bound += magnitude(middle[i]) * power;
  return (bound + magnitude(wide[order]) * power) * (1 + 0x1p-40);
}

/// Horner's rule in doubles for |x| <= x_most with each step rounded twice: bounds of the value and
/// of the error (N. Higham, Accuracy and Stability, section 5.1).
struct Evaluated {
  double value = 0;
  double error = 0;
};
Evaluated horner_error(std::span<const double> coefficients, double x_most) {
  Evaluated sum;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    const double product = sum.value * x_most;
    const double total = product + std::fabs(coefficients[i]);
    sum.error = (sum.error * x_most * (1 + 2 * half_ulp) + half_ulp * (product + total)) * 1.0001;
    sum.value = total * (1 + 0x1p-40);
  }
  return sum;
}

Series variable(const Interval& value, double slope) {
  Series x;
  x[0] = value;
  x[1] = slope;
  return x;
}

/// One of the two approximations of the centre.
struct Ratio {
  std::span<const double> numerator;
  std::span<const double> denominator;
  double bound;
};
const Ratio fine{table::centre_numerator, table::centre_denominator, table::centre_margin[0]};
const Ratio coarse{table::coarse_numerator, table::coarse_denominator, table::coarse_margin[0]};

/// A(q) = q P(r)/Q(r), r = 49/256 - q^2, as series around an interval.
struct CentreForm {
  Series numerator;
  Series denominator;
  Series value;
};
CentreForm centre_form(const Ratio& ratio, const Interval& at) {
  const Series q = variable(at, 1);
  Series r = q * q;
  for (Interval& coefficient : r.coefficients) coefficient = Interval(0) - coefficient;
  r[0] = r[0] + Interval(table::centre_square);
  CentreForm form;
  form.numerator = polynomial(ratio.numerator, r);
  form.denominator = polynomial(ratio.denominator, r);
  form.value = q * form.numerator / form.denominator;
  return form;
}

/// Largest error, for sigma = 1, of words whose cells have their middle q in [low, high], q >= 0.
double centre_error(const Ratio& ratio, double low, double high) {
  const double middle = low + (high - low) / 2;
  const double h = (high - low) / 2 * (1 + 0x1p-50);
  const Interval wide{Real(low), Real(high)};
  const Interval z_wide = hull(inverse(Real(low)), inverse(Real(high) + std::ldexp(1.0, -52)));
  Series error = centre_form(ratio, Interval(middle)).value;
  const Series z = inverse_series(inverse(Real(middle)));
  const CentreForm form = centre_form(ratio, wide);
  Series error_wide = form.value;
  const Series z_series_wide = inverse_series(z_wide);
  for (int i = 0; i <= order; ++i) {
    error[i] = error[i] - z[i];
    error_wide[i] = error_wide[i] - z_series_wide[i];
  }
  const double approximation = taylor_bound(error, error_wide, h);

  // q is exact; r carries the rounding of q^2 and of the difference, and moves P/Q by its slope.
  const double q_most = high;
  const double r_most = table::centre_square - low * low;
  const double r_error = half_ulp * (q_most * q_most + r_most) * 1.0001;
  const Series r = variable(Interval(table::centre_square) - wide * wide, 1);
  const Series slopes = polynomial(ratio.numerator, r) / polynomial(ratio.denominator, r);
  const Evaluated p = horner_error(ratio.numerator, r_most);
  const Evaluated s = horner_error(ratio.denominator, r_most);
  const double p_least = static_cast<double>(form.numerator[0].low);
  const double s_least = static_cast<double>(form.denominator[0].low);
  const double z_most = magnitude(form.value[0]);
  // Three more roundings: with q, with the denominator, and with sigma, be it the quotient's or
  // that of each coefficient of the numerator, whose terms are all positive.
  const double rounding = (q_most * magnitude(slopes[1]) * r_error +
                           z_most * (p.error / p_least + s.error / s_least + 3 * half_ulp)) *
                          1.001;
  const double cell = magnitude(z_series_wide[1]) * 0x1p-53;
  return approximation + rounding + cell;
}

double worst_of_centre(const Ratio& ratio) {
  // Finer where the derivatives of the inverse grow.
  double worst = 0;
  const auto cover = [&](double low, double high, int parts) {
    const double width = (high - low) / parts;
    for (int i = 0; i < parts; ++i) {
      worst = std::max(worst, centre_error(ratio, low + i * width, low + (i + 1) * width));
    }
  };
  cover(0, 0.375, 96);
  cover(0.375, 0.4375, 64);
  return worst;
}

// Room for the rounding of 1/2 minus the margin, 2^-55, against margins of 0.08 bound or more.
TEST(InverseNormalCertificate, CentreKeepsItsBound) {
  EXPECT_LT(worst_of_centre(fine) * 1.05, fine.bound);
}

TEST(InverseNormalCertificate, TheCoarseFormOfTheCentreKeepsItsBound) {
  EXPECT_LT(worst_of_centre(coarse) * 1.01, coarse.bound);
}

/// Largest error of words whose rounded tail probability lies in [low, high] within one piece.
double tail_error(std::size_t piece, double low, double high) {
  const double centre = std::ldexp(1 + (static_cast<double>(piece % 16) + 0.5) / 16,
                                   static_cast<int>(piece / 16) - 30);
  const double middle = low + (high - low) / 2;
  const double h = (high - low) / 2 * (1 + 0x1p-50);
  const auto coefficients =
      std::span(table::tail_coefficients).subspan(piece * table::tail_terms, table::tail_terms);
  // As functions of U = 1 - t; the approximation's variable is t - centre.
  const auto approximate = [&](const Interval& t) {
    return polynomial(coefficients, variable(t - Interval(centre), -1));
  };
  // The cell and the rounding of t reach a little further than the piece.
  const Real ends[] = {Real(low) * (1 - std::ldexp(1.0, -32)),
                       Real(high) * (1 + std::ldexp(1.0, -32))};
  const Interval z_wide = hull(inverse(Real(0.5) - ends[1]), inverse(Real(0.5) - ends[0]));
  Series error = approximate(Interval(middle));
  const Series z = inverse_series(inverse(Real(0.5) - Real(middle)));
  Series error_wide = approximate(Interval(Real(low), Real(high)));
  const Series z_series_wide = inverse_series(z_wide);
  for (int i = 0; i <= order; ++i) {
    error[i] = error[i] - z[i];
    error_wide[i] = error_wide[i] - z_series_wide[i];
  }
  const double approximation = taylor_bound(error, error_wide, h);
  const double x_most = std::max(std::fabs(low - centre), std::fabs(high - centre));
  const Evaluated value = horner_error(coefficients, x_most);
  const double rounding = value.error + value.value * half_ulp;
  // t is rounded twice, as an integer and with its half.
  const double cell = magnitude(z_series_wide[1]) * (0x1p-65 + 2.01 * half_ulp * high);
  return approximation + rounding + cell;
}

void expect_tail_keeps_bounds(int parts, std::size_t every) {
  double max_used = 0;
  for (std::size_t piece = 0; piece < table::tail_pieces; piece += every) {
    const double octave = std::ldexp(1.0, static_cast<int>(piece / 16) - 30);
    const double low = octave * (1 + static_cast<double>(piece % 16) / 16);
    const double width = octave / 16 / parts;
    for (int part = 0; part < parts; ++part) {
      const double error = tail_error(piece, low + part * width, low + (part + 1) * width);
      max_used = std::max(max_used, error / table::tail_margins[piece]);
    }
  }
  EXPECT_LT(max_used * 1.05, 1);  // with room as in the centre
}

// What is proved for the margins holds for the bounds.
TEST(InverseNormalCertificate, BoundsAreWiderThanMargins) {
  EXPECT_LT(table::centre_margin[0], table::centre_bound[0]);
  for (std::size_t piece = 0; piece < table::tail_pieces; ++piece) {
    ASSERT_LT(table::tail_margins[piece], table::tail_bounds[piece]) << piece;
  }
}

// 416 is a multiple of 16: the piece beyond the top is among those looked at. The long tier proves
// all of them.
TEST(InverseNormalCertificate, TailKeepsItsBounds) { expect_tail_keeps_bounds(8, 16); }

TEST(InverseNormalCertificateLong, EveryPieceOfTheTailKeepsItsBound) {
  expect_tail_keeps_bounds(16, 1);
}

// The certificate must be able to fail: a table with one coefficient off by a few units of its last
// place stays within the allowance, one off by 2^-40 does not.
TEST(InverseNormalCertificate, NoticesAnErrorOfTheSizeItExcludes) {
  const double error = tail_error(40, std::ldexp(1 + 8.0 / 16, -28), std::ldexp(1 + 9.0 / 16, -28));
  EXPECT_LT(error, table::tail_margins[40]);
  // The neighbouring piece's polynomial does not fit here.
  EXPECT_GT(tail_error(41, std::ldexp(1 + 6.0 / 16, -28), std::ldexp(1 + 7.0 / 16, -28)),
            table::tail_margins[41]);
}

TEST(ExactNormal, ItsConstantIsOneOverTheRootOfTwoPi) {
  using Longer = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
      2200, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;
  const Longer pi = boost::math::constants::pi<Longer>();
  const cpp_int expected(ldexp(Longer(1 / sqrt(Longer(2 * pi))), 2048));
  EXPECT_EQ(scaled_normal_constant(), expected);
}

TEST(ExactNormal, TheDistributionFunctionContainsReferenceValues) {
  // Phi(x) - 1/2, reference values computed at 60 digits.
  struct Row {
    const char* x;
    const char* value;
  };
  using Longer = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
      300, boost::multiprecision::digit_base_2, void, std::int32_t, -16000, 16000>>;
  for (const Row& row : {Row{"0.125", "0.04973822483011289297929562991047023997323991114844750125"},
                         Row{"1", "0.341344746068542948585232545632037922477912966726604391"},
                         Row{"3.5", "0.4997673709209644749636500741132720152264512506641109588"},
                         Row{"9", "0.4999999999999999998871411594046159352264497924031252742"}}) {
    const int p = 160;
    const NormalBracket bound = centred_normal(cpp_int(ldexp(Longer(row.x), p)), p);
    const cpp_int value(ldexp(Longer(row.value), p));
    EXPECT_LE(bound.low, value) << row.x;
    EXPECT_GE(bound.high, value) << row.x;
    EXPECT_LT(bound.high - bound.low, cpp_int(1) << 70) << row.x;
  }
}

}  // namespace inverse_normal_certificate_test
}  // namespace tacet::random::internal
