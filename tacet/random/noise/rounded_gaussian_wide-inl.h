// Vectors of four words and more, with fused multiply-add. A core starts one or two products per
// cycle and finishes each four cycles later. So sums of products run side by side, and a step that
// waits for a division comes after the divisions of other vectors have begun. Included once per
// instruction set by rounded_gaussian-inl.h; hence no #pragma once.

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/wrapping_sum.h"

HWY_BEFORE_NAMESPACE();
namespace tacet::random::internal {
namespace HWY_NAMESPACE {

/// Constants of the centre, for every vector. The numerator's coefficients include sigma; that
/// costs the same rounding as a product with the quotient would.
template <class Form>
struct CentreOfSigma {
  static constexpr std::size_t terms = std::size(Form::numerator);
  double numerator[terms];
  double reach;

  CentreOfSigma(double sigma, double min_margin)
      : reach(0.5 - std::max(sigma * Form::bound, min_margin)) {
    for (std::size_t i = 0; i < terms; ++i) numerator[i] = sigma * Form::numerator[i];
  }
};

/// Adds the certain ones of |y| < 2^51, rounded, to the values, and returns a bit for each. None is
/// certain if `r` is negative.
HWY_INLINE std::uint64_t add_certain(Double y, Double r, Double reach, std::int64_t* values) {
  const DoubleTag d;
  const IntTag di;
  const auto shift = hn::Set(d, rounding_shift);
  const auto shifted = hn::Add(y, shift);
  const auto off = hn::BitCast(di, hn::Sub(y, hn::Sub(shifted, shift)));
  // A word with all bits set is a NaN, which is below nothing. That saves a comparison.
  const auto distance =
      hn::Or(hn::And(off, hn::Set(di, INT64_MAX)), hn::BroadcastSignBit(hn::BitCast(di, r)));
  const auto certain = hn::Lt(hn::BitCast(d, distance), reach);
  const auto integer = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift));
  const auto sum =
      hn::Add(hn::LoadU(di, values), hn::IfThenElseZero(hn::RebindMask(di, certain), integer));
  hn::StoreU(sum, di, values);
  return mask_bits(certain);
}

/// Computes the draws of 64 words that lie in the centre. Returns a bit for each word that is left:
/// in the tails, or undecided.
template <class Form>
HWY_INLINE std::uint64_t resolve_centre(const std::uint64_t* words, std::int64_t* values,
                                        const CentreOfSigma<Form>& centre) {
  constexpr std::size_t together = 4;
  constexpr std::size_t terms = CentreOfSigma<Form>::terms;
  const DoubleTag d;
  const WordTag du;
  const std::size_t lanes = hn::Lanes(d);
  const auto reach = hn::Set(d, centre.reach);
  std::uint64_t resolved = 0;
  for (std::size_t i = 0; i < 64; i += together * lanes) {
    Double q[together], r[together], p[together], s[together];
    for (std::size_t u = 0; u < together; ++u) {
      q[u] = middle_of_cell(d, hn::LoadU(du, words + i + u * lanes));
      r[u] = hn::NegMulAdd(q[u], q[u], hn::Set(d, table::centre_square));
      p[u] = hn::Set(d, centre.numerator[terms - 1]);
      s[u] = hn::Set(d, Form::denominator[terms - 1]);
    }
#pragma GCC unroll 8
    for (std::size_t k = terms - 1; k-- > 0;) {
      for (std::size_t u = 0; u < together; ++u) {
        p[u] = hn::MulAdd(p[u], r[u], hn::Set(d, centre.numerator[k]));
        s[u] = hn::MulAdd(s[u], r[u], hn::Set(d, Form::denominator[k]));
      }
    }
    for (std::size_t u = 0; u < together; ++u) p[u] = hn::Div(hn::Mul(q[u], p[u]), s[u]);
    for (std::size_t u = 0; u < together; ++u) {
      const std::size_t begin = i + u * lanes;
      resolved |= add_certain(p[u], r[u], reach, values + begin) << begin;
    }
  }
  return ~resolved;
}

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

/// Words of the far tails and of the centre are few among those left. They are computed one by one,
/// so that one bound is enough for all others.
constexpr int near_octave = 14;
constexpr double near_begin = 1.0 / (1 << near_octave);
constexpr double near_end = 0x1p-4;

/// Finds for each word of the list the row of its coefficients and its place within their piece.
/// The place is NaN for words that are computed one by one. This loop is separate from the next
/// one, which depends on both results.
HWY_INLINE void place_tails(GaussianBatch& batch, std::size_t count) {
  static_assert(table::tail_terms == 8);
  constexpr int row_shift = 3;
  constexpr std::int64_t first_row = std::int64_t{table::first_piece} << row_shift;
  const DoubleTag d;
  const IntTag di;
  for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
    const auto s =
        hn::Xor(hn::BitCast(di, hn::Load(WordTag(), batch.listed + k)), hn::Set(di, INT64_MIN));
    const auto tail = hn::Sub(hn::Set(di, INT64_MAX), hn::Xor(s, hn::BroadcastSignBit(s)));
    const auto t = hn::Mul(hn::Add(hn::ConvertTo(d, tail), hn::Set(d, 0.5)), hn::Set(d, 0x1p-64));
    const auto nearer = hn::Min(hn::Max(t, hn::Set(d, near_begin)), hn::Set(d, near_end));
    const auto bits = hn::BitCast(di, nearer);
    const auto row = hn::And(hn::ShiftRight<table::piece_shift - row_shift>(bits),
                             hn::Set(di, -(std::int64_t{1} << row_shift)));
    hn::Store(hn::Sub(row, hn::Set(di, first_row)), di, batch.rows + k);
    const auto middle = hn::BitCast(
        d, hn::Or(hn::And(bits, hn::Set(di, static_cast<std::int64_t>(table::piece_mask))),
                  hn::Set(di, static_cast<std::int64_t>(table::piece_middle))));
    const auto x = hn::IfThenElse(hn::Eq(nearer, t), hn::Sub(t, middle), hn::NaN(d));
    hn::Store(x, d, batch.offsets + k);
  }
}

/// Four words of the tails from `k` on, by the same steps as a single one. Bit i of the result is
/// set if integer i is certain; other integers are 0.
HWY_INLINE unsigned tail_values(const GaussianBatch& batch, std::size_t k, double reach,
                                std::int64_t* integers) {
  const Four d;
  const hn::RebindToSigned<Four> di;
  const std::int64_t* const places = batch.rows + k;
  const double* const rows[4] = {
      table::tail_coefficients + places[0], table::tail_coefficients + places[1],
      table::tail_coefficients + places[2], table::tail_coefficients + places[3]};
  const auto x = hn::Load(d, batch.offsets + k);
  const Columns high = columns_of(rows, 4);
  const Columns low = columns_of(rows, 0);
  auto z = high.of[3];
  for (std::size_t i = 3; i-- > 0;) z = hn::MulAdd(z, x, high.of[i]);
  for (std::size_t i = 4; i-- > 0;) z = hn::MulAdd(z, x, low.of[i]);
  const auto words = hn::BitCast(di, hn::Load(hn::RebindToUnsigned<Four>(), batch.listed + k));
  const auto sign = hn::BitCast(d, hn::AndNot(words, hn::Set(di, INT64_MIN)));
  const auto y = hn::Xor(hn::Mul(hn::Set(d, batch.sigma), z), sign);
  const auto shift = hn::Set(d, rounding_shift);
  const auto shifted = hn::Add(y, shift);
  const auto off = hn::Abs(hn::Sub(y, hn::Sub(shifted, shift)));
  const auto certain = hn::Lt(off, hn::Set(d, reach));
  const auto integer = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift));
  hn::Store(hn::IfThenElseZero(hn::RebindMask(di, certain), integer), di, integers);
  std::uint8_t mask[8];
  hn::StoreMaskBits(d, certain, mask);
  return mask[0] & 15U;
}

/// Computes the words of the tails on the list. Writes the undecided ones to batch.undecided and
/// returns how many there are.
HWY_INLINE std::size_t resolve_tails(GaussianBatch& batch, std::int64_t* values,
                                     std::size_t count) {
  constexpr std::size_t near_piece = std::size_t{30 - near_octave} << 4;
  const double reach =
      0.5 - std::max(batch.sigma * table::tail_margins[near_piece], batch.min_margin);
  if (count == 0) return 0;
  // padding with words of the centre, which add nothing
  for (std::size_t k = count; k < count + 8; ++k) {
    batch.listed[k] = std::uint64_t{1} << 63;
    batch.places[k] = batch.places[0];
  }
  place_tails(batch, count);
  HWY_ALIGN std::int64_t integers[4];
  std::size_t left = 0;
  for (std::size_t k = 0; k < count; k += 4) {
    const unsigned certain = tail_values(batch, k, reach, integers);
    for (std::size_t i = 0; i < 4; ++i) {
      auto& value = values[batch.places[k + i]];
      value = wrapping_sum(value, integers[i]);
    }
    if (HWY_LIKELY(certain == 15U)) continue;
    for (std::size_t i = 0; i < 4 && k + i < count; ++i) {
      if (((certain >> i) & 1U) == 0) batch.undecided[left++] = static_cast<std::uint32_t>(k + i);
    }
  }
  return left;
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();
