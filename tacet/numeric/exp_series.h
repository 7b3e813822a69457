#pragma once

/// What the exponential functions of this module share, so that they give the same bits.
namespace tacet::numeric::internal {

// ln 2 in two parts; the first has 32 trailing zero bits, so k * ln2_high is exact for |k| < 2^11.
inline constexpr double ln2_high = 0x1.62e42fee00000p-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double log2_e = 0x1.71547652b82fep+0;

// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer for |x| < 2^51.
inline constexpr double rounding_shift = 0x1.8p52;

// Taylor's series of e^r on |r| <= ln(2)/2: the term of order 14 is below 2^-57.
inline double exp_of_rest(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  return p * r + 1.0;
}

}  // namespace tacet::numeric::internal
