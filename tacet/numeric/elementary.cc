#include "tacet/numeric/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "tacet/numeric/exp_series.h"

namespace tacet::numeric {

using internal::exp_of_rest;
using internal::ln2_high;
using internal::ln2_low;
using internal::log2_e;
using internal::rounding_shift;

namespace {

double power_of_two(std::int64_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

double exp(double x) {
  if (!(x < internal::exp_is_infinite_from)) {
    return std::isnan(x) ? x : std::numeric_limits<double>::infinity();
  }
  if (x < internal::exp_is_zero_below) return 0;
  const double k = (x * log2_e + rounding_shift) - rounding_shift;
  const double r = (x - k * ln2_high) - k * ln2_low;
  const double p = exp_of_rest(r);
  const auto exponent = static_cast<std::int64_t>(k);
  if (exponent > 1023) return p * power_of_two(1023) * 2;
  if (exponent >= -1021) return p * power_of_two(exponent);
  return p * power_of_two(exponent + 60) * 0x1p-60;
}

double log(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // m in [1/2, 1)
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh((m-1)/(m+1)), |s| <= 0.1716: the term s^23/23 is below 2^-63.
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double p = 1.0 / 23;
  for (const double c : {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                         1.0 / 7, 1.0 / 5, 1.0 / 3}) {
    p = p * s2 + c;
  }
  const double k = exponent;
  return k * ln2_high + (2 * s + (2 * s * s2 * p + k * ln2_low));
}

double softplus(double x) {
  if (x > 37) return x + exp(-x);
  if (x < -37) return exp(x);
  return x > 0 ? x + log(1 + exp(-x)) : log(1 + exp(x));
}

double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + exp(-x));
  const double e = exp(x);
  return e / (1 + e);
}

SineCosine sine_cosine(double turns) {
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, ties to the even one. What is
  // left is exact, as is what follows.
  const bool small = std::abs(turns) < 0x1p51;
  const double part =
      small ? turns - ((turns + rounding_shift) - rounding_shift) : std::remainder(turns, 1.0);
  const double quarter = (4 * part + rounding_shift) - rounding_shift;
  const double x = 6.283185307179586 * (part - quarter / 4);
  // Taylor's series on |x| <= pi/4: the terms of order 17 and 18 are below 2^-53.
  const double x2 = x * x;
  double s = 1.0 / 1307674368000.0;
  for (const double c : {1.0 / 6227020800.0, 1.0 / 39916800.0, 1.0 / 362880.0, 1.0 / 5040.0,
                         1.0 / 120.0, 1.0 / 6.0, 1.0}) {
    s = c - s * x2;
  }
  double c = 1.0 / 20922789888000.0;
  for (const double next : {1.0 / 87178291200.0, 1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0,
                            1.0 / 720.0, 1.0 / 24.0, 0.5, 1.0}) {
    c = next - c * x2;
  }
  s *= x;
  switch (static_cast<int>(quarter)) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case -1:
      return {-c, s};
    default:  // half a turn
      return {-s, -c};
  }
}

}  // namespace tacet::numeric
