#include "tacet/numeric/short_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/short_sums.cc"
// Vectors without a size known to the compiler cannot be kept in arrays; targets between those that
// machines have would add to every program.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4)
#define HWY_WANT_AVX3_DL
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

#include "tacet/numeric/add_products-inl.h"

#ifndef TACET_NUMERIC_SHORT_SUMS_COMMON
#define TACET_NUMERIC_SHORT_SUMS_COMMON
namespace tacet::numeric {

constexpr std::size_t weight_pieces = 3;
constexpr int weight_bits = 14;
constexpr int factor_bits = 15;
/// The number of integers in the widest vector; these sums are not used for fewer columns.
constexpr std::size_t max_lanes = 32;

/// The pieces of the factors of two neighbouring rows, in one word, for a limited number of rows. A
/// low piece is at most 2^14 in size and an integer of a row 2^11, so 32 products stay within 2^30;
/// the same holds for high pieces.
struct FactorPieces {
  static constexpr std::size_t max_rows = 32;
  std::array<const std::int16_t*, max_rows> rows;
  std::array<const std::int16_t*, max_rows> next;
  std::array<std::uint32_t, max_rows / 2> low;
  std::array<std::uint32_t, max_rows / 2> high;
  std::size_t pairs;  ///< even
};

}  // namespace tacet::numeric
#endif

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void short_dots(const ShortRows& all, const std::int16_t* pieces, std::size_t columns,
                double* sums) {
  const auto rows = all.rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double total = 0;
    for (std::size_t p = weight_pieces; p-- > 0;) {
      std::int32_t sum = 0;
      for (std::size_t j = 0; j < columns; ++j) sum += rows[r][j] * pieces[p * columns + j];
      total = total * (1 << weight_bits) + sum;
    }
    sums[r] = total;
  }
}

void short_multiples(const FactorPieces& by, std::span<double> sums) {
  const auto product = [](std::uint32_t pair, std::int16_t even, std::int16_t odd) {
    return static_cast<std::int16_t>(pair) * even + static_cast<std::int16_t>(pair >> 16) * odd;
  };
  for (std::size_t j = 0; j < sums.size(); ++j) {
    double low = 0;
    double high = 0;
    for (std::size_t p = 0; p < by.pairs; ++p) {
      low += product(by.low[p], by.rows[2 * p][j], by.rows[2 * p + 1][j]);
      high += product(by.high[p], by.rows[2 * p][j], by.rows[2 * p + 1][j]);
    }
    sums[j] += low + high * (1 << factor_bits);
  }
}

#else

using Shorts = hn::CappedTag<std::int16_t, max_lanes>;
using Words = hn::Repartition<std::int32_t, Shorts>;
using Sum = hn::Vec<Words>;
constexpr std::size_t count = 4;  // rows at once

// A line of memory holds max_lanes integers, so one prefetch per call is enough.
HWY_INLINE void fetch(const std::int16_t* row, std::size_t j) {
  constexpr int into_second_cache = 2;
  if (j % max_lanes == 0) __builtin_prefetch(row + j, 0, into_second_cache);
}

// Adds the parts of a longer vector up to one vector of 16 bytes.
template <class Vector>
HWY_INLINE auto add_blocks(Vector blocks) {
  const hn::DFromV<Vector> d;
  if constexpr (hn::MaxLanes(d) == count) {
    return blocks;
  } else {
    const hn::Half<decltype(d)> half;
    return add_blocks(hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks)));
  }
}

// The sums of the lanes of each of four vectors, side by side.
HWY_INLINE auto lane_sums(const Sum* of) {
  const Words d;
  const hn::Repartition<std::int64_t, Words> twos;
  const auto fold = [&](Sum a, Sum b) HWY_ATTR {
    return hn::BitCast(twos, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  const auto one = fold(of[0], of[1]);
  const auto other = fold(of[2], of[3]);
  return add_blocks(hn::Add(hn::BitCast(d, hn::InterleaveLower(twos, one, other)),
                            hn::BitCast(d, hn::InterleaveUpper(twos, one, other))));
}

// Prefetches the even rows of the next ones; short_multiples prefetches the odd ones.
HWY_INLINE void several_dots(const std::int16_t* const* rows, const std::int16_t* const* next,
                             const std::int16_t* pieces, std::size_t columns, double* sums) {
  const Shorts shorts;
  const Words d;
  const std::size_t lanes = hn::Lanes(shorts);
  Sum totals[count][weight_pieces];
  Sum others[count][weight_pieces];
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t p = 0; p < weight_pieces; ++p) totals[r][p] = others[r][p] = hn::Zero(d);
  }
  // The last columns are read together with columns before them, which count as 0 the second time.
  const auto add = [&](std::size_t j, auto only_new) HWY_ATTR {
    hn::Vec<Shorts> piece[weight_pieces];
    for (std::size_t p = 0; p < weight_pieces; ++p) {
      piece[p] = only_new(hn::LoadU(shorts, pieces + p * columns + j));
    }
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = hn::LoadU(shorts, rows[r] + j);
      if (r % 2 == 0) fetch(next[r], j);
      for (std::size_t p = 0; p < weight_pieces; ++p) {
        totals[r][p] = add_products(d, row, piece[p], totals[r][p], others[r][p]);
      }
    }
  };
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    add(j, [](hn::Vec<Shorts> all) HWY_ATTR { return all; });
  }
  if (j < columns) {
    const auto known = hn::FirstN(shorts, j + lanes - columns);
    add(columns - lanes,
        [&](hn::Vec<Shorts> all) HWY_ATTR { return hn::IfThenZeroElse(known, all); });
  }
  for (std::size_t r = 0; r < count; ++r) sums[r] = 0;
  for (std::size_t p = weight_pieces; p-- > 0;) {
    Sum of_rows[count];
    for (std::size_t r = 0; r < count; ++r) {
      of_rows[r] = hn::RearrangeToOddPlusEven(totals[r][p], others[r][p]);
    }
    std::int32_t words[count];
    hn::StoreU(lane_sums(of_rows), hn::CappedTag<std::int32_t, count>(), words);
    for (std::size_t r = 0; r < count; ++r) sums[r] = sums[r] * (1 << weight_bits) + words[r];
  }
}

void short_dots(const ShortRows& all, const std::int16_t* pieces, std::size_t columns,
                double* sums) {
  const auto [rows, next] = all;
  for (std::size_t r = 0; r < rows.size(); r += count) {
    // The last row takes the place of missing ones.
    const std::size_t left = rows.size() - r;
    const std::int16_t* some[count];
    const std::int16_t* ahead[count];
    double dots[count];
    for (std::size_t k = 0; k < count; ++k) {
      some[k] = rows[r + (k < left ? k : left - 1)];
      ahead[k] = next[r + (k < left ? k : left - 1)];
    }
    several_dots(some, ahead, pieces, columns, dots);
    for (std::size_t k = 0; k < count && k < left; ++k) sums[r + k] = dots[k];
  }
}

// Adds the sums of four neighbouring columns.
HWY_INLINE void add_four(const std::int32_t* low, const std::int32_t* high, double* to) {
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<std::int32_t, decltype(d)> ints;
  const auto unit = hn::Set(d, 1 << factor_bits);
  for (std::size_t k = 0; k < 4; k += hn::Lanes(d)) {
    const auto sum = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(ints, high + k)), unit,
                                hn::PromoteTo(d, hn::LoadU(ints, low + k)));
    hn::StoreU(hn::Add(hn::LoadU(d, to + k), sum), d, to + k);
  }
}

// Sums over about 16 rows of eight columns: low and high pieces of the first four columns, and of
// the others.
struct ColumnSums {
  Sum sums[4];
  Sum others[4];

  HWY_INLINE ColumnSums() {
    for (std::size_t k = 0; k < 4; ++k) sums[k] = others[k] = hn::Zero(Words());
  }
  // The integers of two rows are interleaved within 16 bytes. So the columns of a vector come out
  // in groups of four, in two vectors by turns.
  HWY_INLINE void add(const FactorPieces& by, std::size_t p, std::size_t j) {
    const Shorts shorts;
    const Words d;
    const auto even = hn::LoadU(shorts, by.rows[2 * p] + j);
    const auto odd = hn::LoadU(shorts, by.rows[2 * p + 1] + j);
    fetch(by.next[2 * p + 1], j);
    const auto low = hn::BitCast(shorts, hn::Set(d, static_cast<std::int32_t>(by.low[p])));
    const auto high = hn::BitCast(shorts, hn::Set(d, static_cast<std::int32_t>(by.high[p])));
    const auto first = hn::InterleaveLower(shorts, even, odd);
    const auto second = hn::InterleaveUpper(shorts, even, odd);
    sums[0] = add_products(d, first, low, sums[0], others[0]);
    sums[1] = add_products(d, first, high, sums[1], others[1]);
    sums[2] = add_products(d, second, low, sums[2], others[2]);
    sums[3] = add_products(d, second, high, sums[3], others[3]);
  }
  HWY_INLINE Sum total(std::size_t k) const {
    return hn::RearrangeToOddPlusEven(sums[k], others[k]);
  }
};

// A multiply-and-add takes as long as several simple instructions; two independent sums hide that.
#if HWY_TARGET == HWY_AVX3_DL
constexpr std::size_t pairs_at_once = 2;
#else
constexpr std::size_t pairs_at_once = 1;
#endif

HWY_NOINLINE void add_columns(const FactorPieces& by, std::size_t j, double* to) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  ColumnSums some[pairs_at_once];
  for (std::size_t p = 0; p < by.pairs; p += pairs_at_once) {
    for (std::size_t k = 0; k < pairs_at_once; ++k) some[k].add(by, p + k, j);
  }
  alignas(64) std::int32_t words[4][max_lanes / 2];
  for (std::size_t k = 0; k < 4; ++k) {
    auto total = some[0].total(k);
    if (pairs_at_once == 2) total = hn::Add(total, some[pairs_at_once - 1].total(k));
    hn::Store(total, d, words[k]);
  }
  for (std::size_t k = 0; k < lanes; k += 4) {
    add_four(words[0] + k, words[1] + k, to + 2 * k);
    add_four(words[2] + k, words[3] + k, to + 2 * k + 4);
  }
}

void short_multiples(const FactorPieces& by, std::span<double> sums) {
  const std::size_t lanes = hn::Lanes(Shorts());
  std::size_t j = 0;
  for (; j + lanes <= sums.size(); j += lanes) add_columns(by, j, sums.data() + j);
  if (j == sums.size()) return;
  double last[max_lanes] = {};
  add_columns(by, sums.size() - lanes, last);
  for (; j < sums.size(); ++j) sums[j] += last[j + lanes - sums.size()];
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {
namespace {

/// Takes the lowest bits off an integer; the rest is a multiple of 2^bits.
std::int16_t take_piece(std::int64_t& integer, int bits) {
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  const std::int64_t piece = ((integer + half) & (2 * half - 1)) - half;
  integer = (integer - piece) >> bits;
  return static_cast<std::int16_t>(piece);
}

/// False if a factor does not fit its pieces.
bool split(const ShortRows& some, std::span<const double> factors, FactorPieces& out) {
  const auto [rows, next] = some;
  constexpr double limit = 1 << (2 * factor_bits - 1);
  out.pairs = (rows.size() + 3) / 4 * 2;  // two pairs are done at once
  for (std::size_t r = 0; r < 2 * out.pairs; ++r) {
    // the rows after the last one are the last one with factor 0
    const bool beyond = r >= rows.size();
    const std::size_t row = beyond ? rows.size() - 1 : r;
    out.rows[r] = rows[row];
    out.next[r] = next[row];
    const double factor = beyond ? 0 : factors[r];
    if (!(std::fabs(factor) < limit)) return false;
    auto integer = static_cast<std::int64_t>(factor);
    const auto low = static_cast<std::uint16_t>(take_piece(integer, factor_bits));
    const auto high = static_cast<std::uint16_t>(integer);
    const int place = r % 2 == 0 ? 0 : 16;
    if (place == 0) out.low[r / 2] = out.high[r / 2] = 0;
    out.low[r / 2] |= std::uint32_t{low} << place;
    out.high[r / 2] |= std::uint32_t{high} << place;
  }
  return true;
}

}  // namespace

HWY_EXPORT(short_dots);
HWY_EXPORT(short_multiples);

bool ShortWeights::fit(std::span<const double> weights, std::int64_t row_square) {
  constexpr double limit = 0x1p41;  // the highest piece then has 14 bits with its sign
  // A sum of |piece * integer| is at most 2^13 sqrt(columns) sqrt(row_square), which has to be
  // below 2^31 (Cauchy, Schwarz).
  constexpr double max_squares = 0x1p36;
  if (weights.size() < max_lanes) return false;
  if (static_cast<double>(weights.size()) * static_cast<double>(row_square) >= max_squares) {
    return false;
  }
  return std::ranges::all_of(weights, [](double w) { return std::fabs(w) < limit; });
}

ShortWeights::ShortWeights(std::span<const double> weights)
    : pieces_(weight_pieces * weights.size()) {
  for (std::size_t j = 0; j < weights.size(); ++j) {
    auto integer = static_cast<std::int64_t>(weights[j]);
    for (std::size_t p = 0; p + 1 < weight_pieces; ++p) {
      pieces_[p * weights.size() + j] = take_piece(integer, weight_bits);
    }
    pieces_[(weight_pieces - 1) * weights.size() + j] = static_cast<std::int16_t>(integer);
  }
}

void exact_dots(const ShortRows& rows, const ShortWeights& weights, std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(short_dots)(rows, weights.pieces(), weights.columns(), sums.data());
}

void add_short_multiples(const ShortRows& rows, std::span<const double> factors,
                         std::span<double> sums) {
  FactorPieces pieces;
  for (std::size_t r = 0; r < factors.size(); r += FactorPieces::max_rows) {
    const std::size_t count = std::min(FactorPieces::max_rows, factors.size() - r);
    const ShortRows some(rows.rows.subspan(r, count), rows.next.subspan(r, count));
    if (sums.size() >= max_lanes && split(some, factors.subspan(r, count), pieces)) {
      HWY_DYNAMIC_DISPATCH(short_multiples)(pieces, sums);
    } else {
      add_exact_multiples(some.rows, factors.subspan(r, count), sums);
    }
  }
}

}  // namespace tacet::numeric
#endif
