#pragma once

#include <array>
#include <cstddef>

/// Constants that the exponential functions of this module share, so that they give the same bits.
namespace tacet::numeric::internal {

// ln 2 in two parts; the first has 32 trailing zero bits, so k * ln2_high is exact for |k| < 2^11.
inline constexpr double ln2_high = 0x1.62e42fee00000p-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double log2_e = 0x1.71547652b82fep+0;

// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer for |x| < 2^51.
inline constexpr double rounding_shift = 0x1.8p52;

// Beyond these e^x is 0 or infinite.
inline constexpr double exp_is_zero_below = -745.1332191019412;
inline constexpr double exp_is_infinite_from = 709.782712893384;

// Taylor's series of e^r on |r| <= ln(2)/2, highest term first: the term of order 14 is below
// 2^-57.
inline constexpr std::array exp_terms = {1.0 / 6227020800.0,
                                         1.0 / 479001600.0,
                                         1.0 / 39916800.0,
                                         1.0 / 3628800.0,
                                         1.0 / 362880.0,
                                         1.0 / 40320.0,
                                         1.0 / 5040.0,
                                         1.0 / 720.0,
                                         1.0 / 120.0,
                                         1.0 / 24.0,
                                         1.0 / 6.0,
                                         0.5,
                                         1.0,
                                         1.0};

inline double exp_of_rest(double r) {
  double p = exp_terms[0];
  for (std::size_t i = 1; i < exp_terms.size(); ++i) p = p * r + exp_terms[i];
  return p;
}

}  // namespace tacet::numeric::internal
