// Included once per instruction set by rounded_gaussian_kernel.cc; hence no #pragma once.

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/noise/rounded_gaussian_kernel.h"
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

/// a b + c, with one rounding where the processor has that.
HWY_INLINE double fused(double a, double b, double c) {
#if HWY_NATIVE_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The nearest integers, and which of them are certain. (Vectors of unknown length can be no member
/// of a struct.)
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

/// The nearest integer of one, and whether it is certain.
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

/// A word of the tails, one by itself: they are an eighth of all, and to gather eight coefficients
/// and a bound for several of them takes longer. False unless the integer is certain.
HWY_INLINE bool tail_value(std::uint64_t word, double sigma, double least_margin,
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
  const double margin = std::max(sigma * table::tail_margins[piece], least_margin);
  return round_certainly(std::copysign(sigma * z, static_cast<double>(s)), margin, integer);
}

#undef TACET_TAILS_BY_FOUR
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
#define TACET_TAILS_BY_FOUR 1

using Four = hn::FixedTag<double, 4>;

/// Element i of each of four rows of coefficients, for four i.
struct Columns {
  hn::Vec<Four> of[4];
};
HWY_INLINE Columns columns_of(const double* const* rows, std::size_t first) {
  const Four d;
  const auto a = hn::Load(d, rows[0] + first);
  const auto b = hn::Load(d, rows[1] + first);
  const auto c = hn::Load(d, rows[2] + first);
  const auto e = hn::Load(d, rows[3] + first);
  const auto low_ab = hn::InterleaveLower(d, a, b);
  const auto low_ce = hn::InterleaveLower(d, c, e);
  const auto high_ab = hn::InterleaveUpper(d, a, b);
  const auto high_ce = hn::InterleaveUpper(d, c, e);
  return {{hn::ConcatLowerLower(d, low_ce, low_ab), hn::ConcatLowerLower(d, high_ce, high_ab),
           hn::ConcatUpperUpper(d, low_ce, low_ab), hn::ConcatUpperUpper(d, high_ce, high_ab)}};
}

/// Four words of the tails, by the same steps as one. Bit i of what it returns: integer i is
/// certain. Words of the far tails and of the centre, of which there are few, are left to be done
/// alone, so that one bound serves the others.
HWY_INLINE unsigned tail_values(const std::uint64_t* words, double sigma, double least_margin,
                                std::int64_t* integers) {
  static_assert(table::tail_terms == 8);
  constexpr int near_octave = 14;
  constexpr std::size_t near_piece = std::size_t{30 - near_octave} << 4;
  const Four d;
  const hn::RebindToSigned<Four> di;
  const auto s = hn::Xor(hn::BitCast(di, hn::LoadU(hn::RebindToUnsigned<Four>(), words)),
                         hn::Set(di, INT64_MIN));
  const auto tail = hn::Sub(hn::Set(di, INT64_MAX), hn::Xor(s, hn::BroadcastSignBit(s)));
  const auto t = hn::Mul(hn::Add(hn::ConvertTo(d, tail), hn::Set(d, 0.5)), hn::Set(d, 0x1p-64));
  constexpr double near_end = 1.0 / (1 << near_octave);
  const auto near = hn::And(hn::Ge(t, hn::Set(d, near_end)), hn::Le(t, hn::Set(d, 0x1p-4)));
  const auto bits = hn::BitCast(di, hn::IfThenElse(near, t, hn::Set(d, near_end)));
  HWY_ALIGN std::int64_t pieces[4];
  hn::Store(hn::ShiftRight<table::piece_shift>(bits), di, pieces);
  const double* rows[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto piece = static_cast<std::uint64_t>(pieces[i]) - table::first_piece;
    rows[i] = table::tail_coefficients + piece * table::tail_terms;
  }
  const auto middle = hn::BitCast(
      d, hn::Or(hn::And(bits, hn::Set(di, static_cast<std::int64_t>(table::piece_mask))),
                hn::Set(di, static_cast<std::int64_t>(table::piece_middle))));
  const auto x = hn::Sub(t, middle);
  const Columns high = columns_of(rows, 4);
  const Columns low = columns_of(rows, 0);
  auto z = high.of[3];
  for (std::size_t i = 3; i-- > 0;) z = hn::MulAdd(z, x, high.of[i]);
  for (std::size_t i = 4; i-- > 0;) z = hn::MulAdd(z, x, low.of[i]);
  const double margin = std::max(sigma * table::tail_margins[near_piece], least_margin);
  const auto sign = hn::BitCast(d, hn::And(s, hn::Set(di, INT64_MIN)));
  const auto y = hn::Xor(hn::Mul(hn::Set(d, sigma), z), sign);
  const auto shift = hn::Set(d, rounding_shift);
  const auto shifted = hn::Add(y, shift);
  const auto off = hn::Abs(hn::Sub(y, hn::Sub(shifted, shift)));
  hn::Store(hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift)), di, integers);
  const auto certain = hn::And(near, hn::Lt(off, hn::Set(d, 0.5 - margin)));
  std::uint8_t mask[8];
  hn::StoreMaskBits(d, certain, mask);
  return mask[0] & 15U;
}
#endif

/// A word of the centre by itself, as exact as doubles are.
HWY_INLINE bool fine_value(std::uint64_t word, double sigma, double least_margin,
                           std::int64_t& integer) {
  const hn::CappedTag<double, 1> d;
  const auto q = middle_of_cell(d, hn::Set(hn::RebindToUnsigned<decltype(d)>(), word));
  const auto value = centre_value<Fine>(d, q, hn::Set(d, sigma));
  return round_certainly(hn::GetLane(value), std::max(sigma * Fine::bound, least_margin), integer);
}

HWY_INLINE bool one_value(std::uint64_t word, double sigma, double least_margin,
                          std::int64_t& integer) {
  const auto s = static_cast<std::int64_t>(word ^ (std::uint64_t{1} << 63));
  const std::int64_t tail = INT64_MAX - (s ^ (s >> 63));
  return static_cast<std::uint64_t>(tail) >= table::tail_end
             ? fine_value(word, sigma, least_margin, integer)
             : tail_value(word, sigma, least_margin, integer);
}

template <class M>
HWY_INLINE std::uint64_t mask_bits(M mask) {
  constexpr std::size_t most_lanes = HWY_MAX_BYTES / sizeof(double);
  // Only the bytes written are read: a wider read would wait for the store to leave its buffer.
  std::uint8_t bytes[8];
  hn::StoreMaskBits(DoubleTag(), mask, bytes);
  std::uint64_t bits = bytes[0];
  for (std::size_t i = 1; i < (most_lanes + 7) / 8; ++i) {
    if (8 * i < hn::Lanes(DoubleTag())) bits |= std::uint64_t{bytes[i]} << (8 * i);
  }
  return bits;
}

/// Lists the words begin + i for each bit i, behind `count` others. Four at a time: a processor
/// would guess wrongly where a loop over the bits ends.
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

/// Settles the centre's draws of 64 words; a bit for each that is left, of the tails or doubtful.
template <class Form>
HWY_INLINE std::uint64_t settle_centre(const std::uint64_t* words, std::int64_t* values,
                                       Double sigma, Double reach) {
  const DoubleTag d;
  const IntTag di;
  const WordTag du;
  constexpr std::uint64_t middle_word = std::uint64_t{1} << 63;
  [[maybe_unused]] const auto last_of_centre =
      hn::Set(di, INT64_MAX - static_cast<std::int64_t>(table::tail_end));
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto q = middle_of_cell(d, hn::LoadU(du, words + i));
    Decided decided;
    const auto integer = round_certainly(centre_value<Form>(d, q, sigma), reach, decided);
    Decided settled;
    if constexpr (HWY_TARGET == HWY_SCALAR) {
      // By integers: of doubles comes a branch here, which a processor guesses wrongly.
      const auto w = hn::BitCast(di, hn::Xor(hn::LoadU(du, words + i), hn::Set(du, middle_word)));
      const auto in_tail = hn::Gt(hn::Xor(w, hn::BroadcastSignBit(w)), last_of_centre);
      settled = hn::AndNot(hn::RebindMask(d, in_tail), decided);
    } else {
      settled = hn::And(decided, hn::Lt(hn::Abs(q), hn::Set(d, table::centre_end)));
    }
    const auto sum = hn::Add(hn::LoadU(di, values + i),
                             hn::IfThenElseZero(hn::RebindMask(di, settled), integer));
    hn::StoreU(sum, di, values + i);
    left |= mask_bits(hn::Not(settled)) << i;
  }
  return left;
}

/// Settles the words of the list; returns how many stay undecided.
HWY_INLINE std::size_t settle_list(GaussianBatch& batch, std::int64_t* values, std::size_t count) {
  std::size_t undecided = 0;
  const auto settle_one = [&](std::size_t k) {
    const std::uint32_t j = batch.places[k];
    std::int64_t integer = 0;
    if (one_value(batch.listed[k], batch.sigma, batch.least_margin, integer)) {
      values[j] = wrapping_sum(values[j], integer);
    } else {
      batch.undecided[undecided++] = j;
    }
  };
  std::size_t k = 0;
#ifdef TACET_TAILS_BY_FOUR
  HWY_ALIGN std::int64_t integers[4];
  for (; k + 4 <= count; k += 4) {
    const unsigned certain =
        tail_values(batch.listed + k, batch.sigma, batch.least_margin, integers);
    for (std::size_t i = 0; i < 4; ++i) {
      if (((certain >> i) & 1) != 0) {
        auto& value = values[batch.places[k + i]];
        value = wrapping_sum(value, integers[i]);
      } else {
        settle_one(k + i);
      }
    }
  }
#endif
  for (; k < count; ++k) settle_one(k);
  return undecided;
}

template <class Form>
HWY_INLINE std::size_t settle_by(GaussianBatch& batch, const std::uint64_t* words,
                                 std::int64_t* values, std::size_t count) {
  const DoubleTag d;
  const auto sigma = hn::Set(d, batch.sigma);
  const auto reach = hn::Set(d, 0.5 - std::max(batch.sigma * Form::bound, batch.least_margin));
  std::size_t left = 0;
  for (std::size_t begin = 0; begin < count; begin += 64) {
    const std::uint64_t bits = settle_centre<Form>(words + begin, values + begin, sigma, reach);
    left = list_words(batch, words, bits, begin, left);
  }
  return settle_list(batch, values, left);
}

std::size_t settle(GaussianBatch& batch, const std::uint64_t* words, std::int64_t* values,
                   std::size_t count) {
  // Above it the coarse form leaves too many doubtful.
  constexpr double most_coarse = 0x1p26;
  return batch.sigma <= most_coarse ? settle_by<Coarse>(batch, words, values, count)
                                    : settle_by<Fine>(batch, words, values, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();
