// Turns one word, or one vector of words, into noise. Included once per instruction set by
// rounded_gaussian-inl.h; hence no #pragma once.

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/wrapping_sum.h"

HWY_BEFORE_NAMESPACE();
namespace tacet::random::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace table = inverse_normal;

using DoubleTag = hn::ScalableTag<double>;
using IntTag = hn::RebindToSigned<DoubleTag>;
using WordTag = hn::RebindToUnsigned<DoubleTag>;
using Double = hn::Vec<DoubleTag>;
using Int = hn::Vec<IntTag>;
using Word = hn::Vec<WordTag>;

/// Adding 3 * 2^51 to |y| < 2^51 rounds y to the nearest integer, and leaves it in the low bits.
constexpr double rounding_shift = 6755399441055744.0;

using Decided = hn::Mask<DoubleTag>;

/// a b + c, with one rounding if the processor has that instruction.
HWY_INLINE double fused(double a, double b, double c) {
#if HWY_NATIVE_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The nearest integers, and which of them are certain. (Vectors of unknown length cannot be
/// members of a struct.)
HWY_INLINE Int round_certainly(Double y, Double reach, Decided& decided) {
  const DoubleTag d;
  const IntTag di;
  const auto shift = hn::Set(d, rounding_shift);
  const auto shifted = hn::Add(y, shift);
  const auto nearest = hn::Sub(shifted, shift);
  decided = hn::Lt(hn::Abs(hn::Sub(y, nearest)), reach);
  return hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift));
}

/// A rational approximation of the centre.
struct Fine {
  static constexpr auto& numerator = table::centre_numerator;
  static constexpr auto& denominator = table::centre_denominator;
  static constexpr double bound = table::centre_margin[0];
};
struct Coarse {
  static constexpr auto& numerator = table::coarse_numerator;
  static constexpr auto& denominator = table::coarse_denominator;
  static constexpr double bound = table::coarse_margin[0];
};

/// Rounds `y` to the nearest integer. Returns whether that is certain: `y` may be off by `margin`.
HWY_INLINE bool round_certainly(double y, double margin, std::int64_t& integer) {
  const double shifted = y + rounding_shift;
  integer = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(rounding_shift);
  return std::fabs(y - (shifted - rounding_shift)) < 0.5 - margin;
}

/// U - 1/2 at the middle of the 52-bit cell of each word, exactly.
template <class D>
HWY_INLINE hn::Vec<D> middle_of_cell(D d, hn::Vec<hn::RebindToUnsigned<D>> word) {
  const hn::RebindToUnsigned<D> du;
  const auto one_to_two = hn::Or(hn::ShiftRight<12>(word), hn::Set(du, 0x3FF0000000000000U));
  return hn::Add(hn::Sub(hn::BitCast(d, one_to_two), hn::Set(d, 1.5)), hn::Set(d, 0x1p-53));
}

/// sigma times the centre's approximation.
template <class Form, class D>
HWY_INLINE hn::Vec<D> centre_value(D d, hn::Vec<D> q, hn::Vec<D> sigma) {
  constexpr std::size_t terms = std::size(Form::numerator);
  const auto r = hn::NegMulAdd(q, q, hn::Set(d, table::centre_square));
  auto p = hn::Set(d, Form::numerator[terms - 1]);
  auto s = hn::Set(d, Form::denominator[terms - 1]);
  for (std::size_t i = terms - 1; i-- > 0;) {
    p = hn::MulAdd(p, r, hn::Set(d, Form::numerator[i]));
    s = hn::MulAdd(s, r, hn::Set(d, Form::denominator[i]));
  }
  return hn::Mul(sigma, hn::Div(hn::Mul(q, p), s));
}

/// One word of the tails. An eighth of all words lie there, and gathering eight coefficients and a
/// bound for several words takes longer. False unless the integer is certain.
HWY_INLINE bool tail_value(std::uint64_t word, double sigma, double min_margin,
                           std::int64_t& integer) {
  const auto s = static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63));
  const std::int64_t tail = INT64_MAX - (s ^ (s >> 63));
  if (static_cast<std::uint64_t>(tail) < table::tail_start) return false;
  const double t = (static_cast<double>(tail) + 0.5) * 0x1p-64;
  const auto bits = std::bit_cast<std::uint64_t>(t);
  const std::uint64_t piece = (bits >> table::piece_shift) - table::first_piece;
  const auto middle = std::bit_cast<double>((bits & table::piece_mask) | table::piece_middle);
  const double x = t - middle;
  const double* const coefficients = table::tail_coefficients + piece * table::tail_terms;
  double z = coefficients[table::tail_terms - 1];
  for (std::size_t i = table::tail_terms - 1; i-- > 0;) z = fused(z, x, coefficients[i]);
  const double margin = std::max(sigma * table::tail_margins[piece], min_margin);
  return round_certainly(std::copysign(sigma * z, static_cast<double>(s)), margin, integer);
}

/// One word of the centre, as precisely as doubles allow.
HWY_INLINE bool fine_value(std::uint64_t word, double sigma, double min_margin,
                           std::int64_t& integer) {
  const hn::CappedTag<double, 1> d;
  const auto q = middle_of_cell(d, hn::Set(hn::RebindToUnsigned<decltype(d)>(), word));
  const auto value = centre_value<Fine>(d, q, hn::Set(d, sigma));
  return round_certainly(hn::GetLane(value), std::max(sigma * Fine::bound, min_margin), integer);
}

HWY_INLINE bool one_value(std::uint64_t word, double sigma, double min_margin,
                          std::int64_t& integer) {
  const auto s = static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63));
  const std::int64_t tail = INT64_MAX - (s ^ (s >> 63));
  return static_cast<std::uint64_t>(tail) >= table::tail_end
             ? fine_value(word, sigma, min_margin, integer)
             : tail_value(word, sigma, min_margin, integer);
}

template <class M>
HWY_INLINE std::uint64_t mask_bits(M mask) {
  constexpr std::size_t max_lanes = HWY_MAX_BYTES / sizeof(double);
  // Reads only the bytes that were written: a wider read would wait until the store has left its
  // buffer.
  std::uint8_t bytes[8];
  hn::StoreMaskBits(DoubleTag(), mask, bytes);
  std::uint64_t bits = bytes[0];
  for (std::size_t i = 1; i < (max_lanes + 7) / 8; ++i) {
    if (8 * i < hn::Lanes(DoubleTag())) bits |= std::uint64_t{bytes[i]} << (8 * i);
  }
  return bits;
}

/// Lists the words begin + i for each bit i that is set, after `count` others. It handles four bits
/// at a time, since a processor mispredicts the end of a loop over the bits.
HWY_INLINE std::size_t list_words(GaussianBatch& batch, const std::uint64_t* words,
                                  std::uint64_t bits, std::size_t begin, std::size_t count) {
  const std::size_t end = count + hwy::PopCount(bits);
  for (std::size_t k = count; k < end; k += 4) {
    for (std::size_t i = 0; i < 4; ++i, bits &= bits - 1) {
      const std::size_t place =
          begin + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits | std::uint64_t{1} << 63);
      batch.places[k + i] = static_cast<std::uint32_t>(place);
      batch.listed[k + i] = words[place];
    }
  }
  return end;
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();
