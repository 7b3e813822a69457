// Included once per instruction set by rounded_gaussian_kernel.cc; hence no #pragma once.

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/noise/rounded_gaussian_kernel.h"

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

/// sigma times the centre's approximation at the middle of the 52-bit cell of each word.
HWY_INLINE Double centre_value(Word word, Double sigma) {
  const DoubleTag d;
  const WordTag du;
  const auto one_to_two = hn::Or(hn::ShiftRight<12>(word), hn::Set(du, 0x3FF0000000000000U));
  const auto q = hn::Add(hn::Sub(hn::BitCast(d, one_to_two), hn::Set(d, 1.5)), hn::Set(d, 0x1p-53));
  const auto r = hn::NegMulAdd(q, q, hn::Set(d, table::centre_square));
  auto p = hn::Set(d, table::centre_numerator[table::centre_terms - 1]);
  auto s = hn::Set(d, table::centre_denominator[table::centre_terms - 1]);
  for (std::size_t i = table::centre_terms - 1; i-- > 0;) {
    p = hn::MulAdd(p, r, hn::Set(d, table::centre_numerator[i]));
    s = hn::MulAdd(s, r, hn::Set(d, table::centre_denominator[i]));
  }
  return hn::Mul(sigma, hn::Div(hn::Mul(q, p), s));
}

HWY_INLINE Int centred(Word word) {
  const IntTag di;
  return hn::BitCast(di, hn::Xor(word, hn::Set(WordTag(), std::uint64_t{1} << 63)));
}

/// |U - 1/2| in cells of 2^-64, rounded down: the one's complement magnitude.
HWY_INLINE Int magnitude(Int s) { return hn::Xor(s, hn::BroadcastSignBit(s)); }

/// One vector of words of the tails.
HWY_INLINE Int tail_value(Word word, Double sigma, Double least_margin, Decided& decided) {
  const DoubleTag d;
  const IntTag di;
  const auto s = centred(word);
  const auto tail = hn::Sub(hn::Set(di, INT64_MAX), magnitude(s));
  const auto t = hn::Mul(hn::Add(hn::ConvertTo(d, tail), hn::Set(d, 0.5)), hn::Set(d, 0x1p-64));
  const auto bits = hn::BitCast(di, t);
  const auto start = hn::Set(di, static_cast<std::int64_t>(table::first_piece));
  const auto raw_piece = hn::Sub(hn::ShiftRight<table::piece_shift>(bits), start);
  const auto in_table = hn::Gt(raw_piece, hn::Set(di, -1));
  const auto piece = hn::IfThenElseZero(in_table, raw_piece);
  const auto centre = hn::BitCast(
      d, hn::Or(hn::And(bits, hn::Set(di, static_cast<std::int64_t>(table::piece_mask))),
                hn::Set(di, static_cast<std::int64_t>(table::piece_middle))));
  const auto x = hn::Sub(t, centre);
  constexpr std::size_t last = (table::tail_terms - 1) * table::tail_pieces;
  auto z = hn::GatherIndex(d, table::tail_coefficients + last, piece);
  for (std::size_t i = table::tail_terms - 1; i-- > 0;) {
    z = hn::MulAdd(z, x,
                   hn::GatherIndex(d, table::tail_coefficients + i * table::tail_pieces, piece));
  }
  const auto bound = hn::GatherIndex(d, table::tail_bounds, piece);
  const auto margin = hn::Max(hn::Mul(sigma, bound), least_margin);
  const auto reach = hn::Sub(hn::Set(d, 0.5), margin);
  const auto sign = hn::BitCast(d, hn::And(s, hn::Set(di, INT64_MIN)));
  const auto integer = round_certainly(hn::Xor(hn::Mul(sigma, z), sign), reach, decided);
  decided = hn::And(decided, hn::RebindMask(d, in_table));
  return integer;
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

std::size_t settle_tails(GaussianBatch& batch, std::size_t count, std::size_t undecided) {
  const DoubleTag d;
  const IntTag di;
  const WordTag du;
  const std::size_t lanes = hn::Lanes(d);
  const auto sigma = hn::Set(d, batch.sigma);
  const auto least_margin = hn::Set(d, batch.least_margin);
  for (std::size_t i = 0; i < lanes; ++i) batch.tail_words[count + i] = table::tail_start;
  HWY_ALIGN std::int64_t integers[HWY_MAX_BYTES / sizeof(std::int64_t)];
  for (std::size_t i = 0; i < count; i += lanes) {
    Decided certain;
    const auto word = hn::LoadU(du, batch.tail_words + i);
    hn::Store(tail_value(word, sigma, least_margin, certain), di, integers);
    const std::uint64_t decided = mask_bits(certain);
    for (std::size_t lane = 0; lane < lanes && i + lane < count; ++lane) {
      const std::uint64_t j = batch.tail_places[i + lane];
      if (((decided >> lane) & 1) != 0) {
        batch.values[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(batch.values[j]) +
                                                    static_cast<std::uint64_t>(integers[lane]));
      } else {
        batch.undecided[undecided++] = static_cast<std::uint32_t>(j);
      }
    }
  }
  return undecided;
}

struct Places {
  std::uint64_t tails = 0;
  std::uint64_t undecided = 0;
};

/// Settles the centre's draws of 64 words; a bit each for those of the tails and the doubtful ones.
HWY_INLINE Places settle_centre(GaussianBatch& batch, std::size_t begin, Double sigma,
                                Double reach) {
  const DoubleTag d;
  const IntTag di;
  const WordTag du;
  const auto last_of_centre = hn::Set(di, INT64_MAX - static_cast<std::int64_t>(table::tail_end));
  Places places;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto word = hn::LoadU(du, batch.words + begin + i);
    Decided decided;
    const auto integer = round_certainly(centre_value(word, sigma), reach, decided);
    const auto in_tail = hn::RebindMask(d, hn::Gt(magnitude(centred(word)), last_of_centre));
    const auto settled = hn::AndNot(in_tail, decided);
    const auto sum = hn::Add(hn::LoadU(di, batch.values + begin + i),
                             hn::IfThenElseZero(hn::RebindMask(di, settled), integer));
    hn::StoreU(sum, di, batch.values + begin + i);
    places.tails |= mask_bits(in_tail) << i;
    places.undecided |= mask_bits(hn::Not(hn::Or(decided, in_tail))) << i;
  }
  return places;
}

std::size_t settle(GaussianBatch& batch, std::size_t count) {
  const DoubleTag d;
  const auto sigma = hn::Set(d, batch.sigma);
  const double margin = batch.sigma * table::centre_bound[0];
  const auto reach = hn::Set(d, 0.5 - (margin > batch.least_margin ? margin : batch.least_margin));
  std::size_t tails = 0;
  std::size_t undecided = 0;
  for (std::size_t begin = 0; begin < count; begin += 64) {
    Places places = settle_centre(batch, begin, sigma, reach);
    for (; places.tails != 0; places.tails &= places.tails - 1) {
      const std::size_t j = begin + hwy::Num0BitsBelowLS1Bit_Nonzero64(places.tails);
      batch.tail_words[tails] = batch.words[j];
      batch.tail_places[tails++] = static_cast<std::uint32_t>(j);
    }
    for (; places.undecided != 0; places.undecided &= places.undecided - 1) {
      const std::size_t j = begin + hwy::Num0BitsBelowLS1Bit_Nonzero64(places.undecided);
      batch.undecided[undecided++] = static_cast<std::uint32_t>(j);
    }
  }
  return settle_tails(batch, tails, undecided);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();
