#include "tacet/random/exact/exact_normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    256, 256, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;

constexpr int max_bits = 512;
// Beyond x = 40 the upper tail is below 2^-1150, which is finer than any cell that is compared.
constexpr int tail_end = 40;

/// scaled 2^-p as a double to about 50 bits, for any p.
template <class Fixed>
double value_of(const Fixed& scaled, int p) {
  const int dropped = std::max(p - 60, 0);
  return std::ldexp(static_cast<double>(Fixed(scaled >> dropped)), dropped - p);
}

/// x = odd / (2 sigma) rounded down to a multiple of 2^-precision. sigma = mantissa 2^exponent.
Integer scaled_quotient(std::uint64_t odd, double sigma, int precision) {
  int exponent = 0;
  const double fraction = std::frexp(sigma, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int shift = precision - 1 - (exponent - 53);
  Integer numerator = odd;
  Integer denominator = mantissa;
  if (shift >= 0) {
    numerator <<= shift;
  } else {
    denominator <<= -shift;
  }
  return numerator / denominator;
}

/// Bounds of (Phi(x) - 1/2) 2^p for an x in [x_scaled, x_scaled + 1] 2^-p, from
///   Phi(x) - 1/2 = x / sqrt(2 pi) * sum_n (-y)^n / (n! (2n + 1)),  y = x^2/2.
/// With units of 2^-p: y is rounded down by at most 1, which moves the sum (an integral of
/// exp(-y s^2) over [0, 1]) by at most 1/3. Rounding each term t_n = t_{n-1} y / n down by at most
/// one unit gives it an error of at most sum_i y^i / i! <= e^y, so the N terms used err by at most
/// N (e^y + 1) together; the rest of the alternating series is below the first term left out, at
/// most e^y + 2. Multiplying by x / sqrt(2 pi) < 0.4 x and the roundings there add at most 4; the
/// distance of x from x_scaled adds less than 1.
template <class Fixed>
NormalBracket normal_bracket(const Integer& x_scaled, int p) {
  const Fixed x(x_scaled);
  const Fixed y = (x * x) >> (p + 1);
  const double y_value = value_of(y, p);
  Fixed term = Fixed(1) << p;
  Fixed even = term;
  Fixed odd = 0;
  unsigned n = 0;
  while (term != 0 || n <= y_value) {
    ++n;
    term = ((term * y) >> p) / n;
    (n % 2 == 0 ? even : odd) += term / (2 * n + 1);
  }
  // e^y as mantissa 2^exponent, since it overflows a double beyond y = 709.
  const double power = y_value * std::numbers::log2e;
  const int exponent = static_cast<int>(power);
  const double mantissa = std::exp2(power - exponent) * 1.001 + std::ldexp(3.0, -exponent);
  const double x_value = value_of(x_scaled, p) + 1e-9;
  const double scaled_error = 0.4 * x_value * (n + 3.0) * mantissa * 1.001 + 8.0;
  const Integer error = Integer(std::ceil(scaled_error)) << exponent;
  const Fixed product = (x * Fixed(even - odd)) >> p;
  const Integer middle(
      (product * static_cast<Fixed>(Integer(scaled_normal_constant() >> (2048 - p)))) >> p);
  return {middle - error, middle + error};
}

/// The number of bits of e^y for y = x^2/2, plus one.
int growth_bits(const Integer& x_scaled, int p) {
  const double x = value_of(x_scaled, p);
  return static_cast<int>(std::ceil(x * x / 2 * std::numbers::log2e)) + 1;
}

double guessed_magnitude(const CentredUniform& uniform) {
  const auto centre = static_cast<double>(Integer(2 * uniform.low() + 1));
  const double q = std::ldexp(centre, -uniform.bits() - 1);
  const Integer tail_cells = (Integer(1) << uniform.bits()) - 1 - 2 * uniform.low();
  const double tail =
      std::max(std::ldexp(static_cast<double>(tail_cells), -uniform.bits() - 1), 1e-300);
  const double root = std::sqrt(2 * std::numbers::pi);
  double z = q < 0.25 ? q * root : std::sqrt(-2 * std::log(2 * tail));
  for (int i = 0; i < 60; ++i) {
    const double miss = q < 0.25 ? q - std::erf(z / std::numbers::sqrt2) / 2
                                 : std::erfc(z / std::numbers::sqrt2) / 2 - tail;
    // Halley's step: from either side it neither overshoots far nor stalls.
    const double newton = miss * root * std::exp(z * z / 2);
    const double step = std::clamp(newton / (1 + std::max(-0.5, z * newton / 2)), -1.0, 1.0);
    z = std::max(z + step, 0.0);
    if (std::fabs(step) <= 1e-16 * z) break;
  }
  return z;
}

std::uint64_t nearest_magnitude(double guess) {
  return static_cast<std::uint64_t>(std::fabs(guess) + 0.5);
}

}  // namespace

const Integer& scaled_normal_constant() {
  static const Integer value(
      "0x662114cf50d942343f2cf1402eae38bfd3829f30512706d8c0471b4802639d2e"
      "9df8ac55447d3db723f5d3abb374e88deb14277970be1513278e993445f08cff"
      "98282e1fd947ce4b4ecdbd6e65c23395cacb544de69eea32c276937b1bc56769"
      "1c1cec4882c77aacefe1f6708329ab3fc8d2ab2435ee45c9150c426bbb49487e"
      "480d8928e623122d2369599582a3983769e7329865c92193ed298857cb81ab87"
      "659565e91e51487afe60871d04a18e432e6bff594c697ed53f9d0aaf01aa890d"
      "8b742ca9e5ec8b5ea95546cad1961020feb8ed1ea218282c79079f714f4a0bfd"
      "a67f0e5ab81ec651ef4167fcf0e311b0d6b17578cbb5c65b311eb9071956748d");
  return value;
}

NormalBracket centred_normal(const Integer& x_scaled, int p) {
  return normal_bracket<Integer>(x_scaled, p);
}

CentredUniform::CentredUniform(std::uint64_t word, const MoreBits& more)
    : more_(more), negative_((word >> 63) == 0) {
  // U - 1/2 lies in [s, s + 1] 2^-64, where s is the word with its first bit inverted, read as
  // two's complement. Below zero the one's complement of s gives the magnitude.
  const std::uint64_t centred = word ^ (std::uint64_t{1} << 63);
  low_ = negative_ ? ~centred : centred;
}

void CentredUniform::extend() {
  if (bits_ >= max_bits) {
    throw base::InternalError("512 random bits did not decide one draw; the generator is broken");
  }
  const std::uint64_t next = more_(bits_ / 64 - 1);
  low_ = (low_ << 64) + (negative_ ? ~next : next);
  bits_ += 64;
}

NormalBracket centred_normal_at(std::uint64_t odd, double sigma, int p) {
  if (static_cast<double>(odd) / 2 > 1.001 * tail_end * sigma) {
    // Phi(x) - 1/2 lies between 1/2 - 2^-1150 and 1/2.
    const Integer half = Integer(1) << (p - 1);
    return {half - (Integer(1) << std::max(0, p - 1150)), half};
  }
  // Room for the error bound of normal_bracket, with N < 2^13 and x < 2^6, and for e^y.
  const int draft = p + 32;
  const int growth = growth_bits(scaled_quotient(odd, sigma, draft), draft);
  const int fine = draft + growth;
  const Integer x = scaled_quotient(odd, sigma, fine);
  const NormalBracket bound = 2 * (fine + growth) + 8 <= 256 ? normal_bracket<Wide>(x, fine)
                                                             : normal_bracket<Integer>(x, fine);
  const int shift = fine - p;
  return {bound.low >> shift, (bound.high >> shift) + 1};
}

Side compare_with_normal(const CentredUniform& uniform, std::uint64_t odd, double sigma) {
  // bits beyond those of the cell, so that the bounds rarely straddle its ends
  constexpr int more = 24;
  const NormalBracket bound = centred_normal_at(odd, sigma, uniform.bits() + more);
  if (((uniform.low() + 1) << more) <= bound.low) return Side::below;
  if ((uniform.low() << more) >= bound.high) return Side::above;
  return Side::overlapping;
}

std::int64_t invert_rounded_normal(CentredUniform& uniform, double sigma, double guess) {
  std::uint64_t k = nearest_magnitude(guess);
  std::uint64_t stride = 1;
  int last_direction = 0;
  while (true) {
    const Side lower = k == 0 ? Side::above : compare_with_normal(uniform, 2 * k - 1, sigma);
    int direction = 0;
    if (lower == Side::below) {
      direction = -1;
    } else {
      const Side upper = compare_with_normal(uniform, 2 * k + 1, sigma);
      if (upper == Side::above) {
        direction = 1;
      } else if (lower == Side::above && upper == Side::below) {
        const auto magnitude = static_cast<std::int64_t>(k);
        return uniform.negative() ? -magnitude : magnitude;
      }
    }
    if (direction == 0) {
      // In the far tails one more word moves the inverse by many integers, so begin again from it.
      uniform.extend();
      k = nearest_magnitude(approximate_rounded_normal(uniform, sigma));
      stride = 1;
    } else {
      stride = direction == last_direction ? 2 * stride : 1;
      k = direction > 0 ? k + stride : k - std::min(k, stride);
    }
    last_direction = direction;
  }
}

double approximate_rounded_normal(const CentredUniform& uniform, double sigma) {
  const double z = sigma * guessed_magnitude(uniform);
  return uniform.negative() ? -z : z;
}

}  // namespace tacet::random::internal
