#include "tacet/numeric/hat_kernels.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/hat_kernels.cc"
// Vectors without a size known to the compiler cannot be kept in arrays; targets between those that
// machines have would add to every program.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

#ifndef TACET_NUMERIC_HAT_KERNELS_ONCE
#define TACET_NUMERIC_HAT_KERNELS_ONCE
namespace tacet::numeric {
namespace {

// A block is stored column by column. A column has some words more than rows, so that columns do
// not all begin in the same set of the first cache.
constexpr std::size_t column_words = HatBlock::rows + 32;
constexpr std::size_t words_at_once = 8;

std::size_t columns_of(const HatNumbers& numbers) { return numbers.size() + numbers.rest; }

// Rows that are read soon. They are prefetched in shares: a request for all at once would stall.
struct NextRows {
  std::span<const std::int16_t* const> rows;
  std::size_t bytes;

  void fetch_share(std::size_t share, std::size_t shares) const {
    constexpr std::size_t line = 64;
    constexpr int into_second_cache = 2;
    const std::size_t end = rows.size() * (share + 1) / shares;
    for (std::size_t r = rows.size() * share / shares; r < end; ++r) {
      const auto* byte = reinterpret_cast<const char*>(rows[r]);
      for (std::size_t at = 0; at < bytes; at += line) {
        __builtin_prefetch(byte + at, 0, into_second_cache);
      }
    }
  }
};

}  // namespace
}  // namespace tacet::numeric
#endif

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Indices = hn::RebindToSigned<Floats>;
using Positions = hn::Rebind<std::uint16_t, Floats>;
using Words = hn::CappedTag<std::uint16_t, 32>;
using Shorts = hn::RebindToSigned<Words>;
using Ints = hn::CappedTag<std::int32_t, 16>;

// Transposes eight words of eight or sixteen rows into columns.
#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t rows_at_once = words_at_once;

void turn_words(const std::int16_t* const* rows, std::size_t j, std::uint16_t* out) {
  for (std::size_t i = 0; i < rows_at_once; ++i) {
    for (std::size_t k = 0; k < words_at_once; ++k) {
      out[k * column_words + i] = static_cast<std::uint16_t>(rows[i][j + k]);
    }
  }
}
#else
using Ones = hn::CappedTag<std::int16_t, 16>;
constexpr std::size_t rows_at_once = hn::MaxLanes(Ones());

HWY_INLINE hn::Vec<Ones> load_words(const std::int16_t* const* rows, std::size_t j) {
  if constexpr (rows_at_once == words_at_once) {
    return hn::LoadU(Ones(), rows[0] + j);
  } else {
    const hn::Half<Ones> half;
    return hn::Combine(Ones(), hn::LoadU(half, rows[words_at_once] + j),
                       hn::LoadU(half, rows[0] + j));
  }
}

HWY_INLINE void turn_words(const std::int16_t* const* rows, std::size_t j, std::uint16_t* out) {
  const Ones ones;
  const hn::CappedTag<std::int32_t, 8> twos;
  const hn::CappedTag<std::int64_t, 4> fours;
  using Twos = hn::Vec<decltype(twos)>;
  Twos pairs[8];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto one = load_words(rows + 2 * i, j);
    const auto other = load_words(rows + 2 * i + 1, j);
    pairs[i] = hn::BitCast(twos, hn::InterleaveLower(ones, one, other));
    pairs[4 + i] = hn::BitCast(twos, hn::InterleaveUpper(ones, one, other));
  }
  const auto store = [&](std::size_t k, hn::Vec<decltype(fours)> column) HWY_ATTR {
    hn::StoreU(hn::BitCast(ones, column), ones,
               reinterpret_cast<std::int16_t*>(out) + k * column_words);
  };
  for (std::size_t half = 0; half < 2; ++half) {
    const Twos* of = pairs + 4 * half;
    const auto a = hn::BitCast(fours, hn::InterleaveLower(twos, of[0], of[1]));
    const auto b = hn::BitCast(fours, hn::InterleaveUpper(twos, of[0], of[1]));
    const auto c = hn::BitCast(fours, hn::InterleaveLower(twos, of[2], of[3]));
    const auto d = hn::BitCast(fours, hn::InterleaveUpper(twos, of[2], of[3]));
    store(4 * half, hn::InterleaveLower(fours, a, c));
    store(4 * half + 1, hn::InterleaveUpper(fours, a, c));
    store(4 * half + 2, hn::InterleaveLower(fours, b, d));
    store(4 * half + 3, hn::InterleaveUpper(fours, b, d));
  }
}
#endif

void turn_rows(std::span<const std::int16_t* const> rows, std::size_t size,
               std::uint16_t* columns) {
  for (std::size_t i = 0; i < rows.size(); i += rows_at_once) {
    for (std::size_t j = 0; j < size; j += words_at_once) {
      turn_words(rows.data() + i, j, columns + j * column_words + i);
    }
  }
}

// How a table is looked up: in one vector, in two, or in memory. The results are the same.
enum class Lookup { one, two, memory };

template <Lookup way>
HWY_INLINE void add_margins_of(const std::uint16_t* column, const float* table, std::size_t rows,
                               float* sums) {
  const Floats d;
  const Indices ints;
  const Positions words;
  const float* rises = table + HatTable::width;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t next = way == Lookup::two ? lanes : 0;
  const auto values = hn::LoadU(d, table);
  const auto slopes = hn::LoadU(d, rises);
  const auto next_values = hn::LoadU(d, table + next);
  const auto next_slopes = hn::LoadU(d, rises + next);
  for (std::size_t i = 0; i < rows; i += lanes) {
    const auto position = hn::PromoteTo(ints, hn::LoadU(words, column + i));
    const auto interval = hn::ShiftRight<HatNumber::step_bits>(position);
    const auto step =
        hn::ConvertTo(d, hn::And(position, hn::Set(ints, std::int32_t{HatNumber::steps - 1})));
    auto value = values;
    auto slope = slopes;
    // One instruction, if the processor has it.
#if HWY_TARGET == HWY_AVX3
    if constexpr (way == Lookup::two) {
      value = hn::Vec<Floats>{_mm512_permutex2var_ps(values.raw, interval.raw, next_values.raw)};
      slope = hn::Vec<Floats>{_mm512_permutex2var_ps(slopes.raw, interval.raw, next_slopes.raw)};
    } else
#endif
        if constexpr (way == Lookup::memory) {
      value = hn::GatherIndex(d, table, interval);
      slope = hn::GatherIndex(d, rises, interval);
    } else {
      const auto last = hn::Set(ints, static_cast<std::int32_t>(lanes - 1));
      const auto lane = hn::IndicesFromVec(d, hn::And(interval, last));
      value = hn::TableLookupLanes(values, lane);
      slope = hn::TableLookupLanes(slopes, lane);
      if constexpr (way == Lookup::two) {
        const auto behind = hn::RebindMask(d, hn::Gt(interval, last));
        value = hn::IfThenElse(behind, hn::TableLookupLanes(next_values, lane), value);
        slope = hn::IfThenElse(behind, hn::TableLookupLanes(next_slopes, lane), slope);
      }
    }
    // Not fused: the same bits everywhere.
    const auto sum = hn::Add(hn::LoadU(d, sums + i), value);
    hn::StoreU(hn::Add(sum, hn::Mul(slope, step)), d, sums + i);
  }
}

HWY_INLINE void add_rest_margins(const std::uint16_t* column, float weight, std::span<float> sums) {
  const Floats d;
  const hn::Rebind<std::int16_t, Floats> shorts;
  const auto by = hn::Set(d, weight);
  for (std::size_t i = 0; i < sums.size(); i += hn::Lanes(d)) {
    const auto words = hn::BitCast(shorts, hn::LoadU(Positions(), column + i));
    const auto value = hn::ConvertTo(d, hn::PromoteTo(Indices(), words));
    const auto sum = hn::LoadU(d, sums.data() + i);
    hn::StoreU(hn::Add(sum, hn::Mul(by, value)), d, sums.data() + i);
  }
}

void add_margins(const HatNumbers& numbers, const std::uint16_t* columns, const HatTable& table,
                 const NextRows& next, std::span<float> sums) {
  const auto lanes = static_cast<std::int32_t>(hn::Lanes(Floats()));
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    next.fetch_share(j, numbers.size());
    const auto intervals = numbers.list[j].intervals;
    const auto* column = columns + j * column_words;
    const float* of = table.of_numbers() + 2 * HatTable::width * j;
    if (intervals < lanes) {
      add_margins_of<Lookup::one>(column, of, sums.size(), sums.data());
    } else if (lanes == 16) {
      add_margins_of<Lookup::two>(column, of, sums.size(), sums.data());
    } else {
      add_margins_of<Lookup::memory>(column, of, sums.size(), sums.data());
    }
  }
  columns += numbers.size() * column_words;
  for (std::size_t k = 0; k < numbers.rest; ++k) {
    add_rest_margins(columns + k * column_words, table.of_rest()[k], sums);
  }
}

// Sums of products of 16-bit integers with 16-bit factors. Kept are the sum modulo 2^32, and the
// sum of the products without their last 16 bits. Together they determine the sum.
template <typename IntegersAt>
HWY_INLINE void add_products(const IntegersAt& integers_at, std::span<const std::int16_t> factors,
                             std::int32_t* sums) {
  const Shorts shorts;
  const Ints ints;
  auto low = hn::Load(ints, sums);
  auto high = hn::Load(ints, sums + 16);
  for (std::size_t i = 0; i < factors.size(); i += hn::Lanes(shorts)) {
    // Which products go into the second sum depends on the processor; both together are all of
    // them.
    auto others = hn::Zero(ints);
    const auto some = hn::ReorderWidenMulAccumulate(
        ints, integers_at(i), hn::LoadU(shorts, factors.data() + i), hn::Zero(ints), others);
    const auto products = hn::RearrangeToOddPlusEven(some, others);
    low = hn::Add(low, products);
    high = hn::Add(high, hn::ShiftRight<16>(products));
  }
  hn::Store(low, ints, sums);
  hn::Store(high, ints, sums + 16);
}

// Adds factors times the distance of positions behind each of the first eight knots, modulo 2^32.
// Differences from one knot to the next are small.
HWY_INLINE void add_knots(const std::uint16_t* column, const std::int16_t* factors,
                          std::size_t rows, std::int32_t* sums) {
  constexpr std::size_t knots = HatSums::few_intervals;
  const Words words;
  const Shorts shorts;
  const Ints ints;
  hn::Vec<Ints> totals[knots];
  hn::Vec<Ints> others[knots];  // both together are all products, as in add_products
  for (std::size_t k = 0; k < knots; ++k) totals[k] = others[k] = hn::Zero(ints);
  for (std::size_t i = 0; i < rows; i += hn::Lanes(words)) {
    const auto position = hn::LoadU(words, column + i);
    const auto factor = hn::LoadU(shorts, factors + i);
    for (std::size_t k = 0; k < knots; ++k) {
      const auto behind = hn::SaturatedSub(
          position, hn::Set(words, static_cast<std::uint16_t>(k << HatNumber::step_bits)));
      totals[k] = hn::ReorderWidenMulAccumulate(ints, hn::BitCast(shorts, behind), factor,
                                                totals[k], others[k]);
    }
  }
  for (std::size_t k = 0; k < knots; ++k) {
    const auto added = hn::RearrangeToOddPlusEven(totals[k], others[k]);
    hn::Store(hn::Add(hn::Load(ints, sums + 16 * k), added), ints, sums + 16 * k);
  }
}

void add_columns(const HatNumbers& numbers, const std::uint16_t* columns,
                 std::span<const std::int16_t> factors, bool adds_knots, std::int32_t* sums) {
  const Words words;
  const Shorts shorts;
  const auto* column = columns;
  for (const auto& number : numbers.list) {
    const auto by = hn::Set(words, number.factor);
    const auto offset = hn::Set(shorts, number.offset);
    const auto line = [&](std::size_t i) HWY_ATTR {
      const auto shifted = hn::ShiftLeftSame(hn::LoadU(words, column + i), number.shift);
      return hn::Sub(hn::BitCast(shorts, hn::MulHigh(shifted, by)), offset);
    };
    add_products(line, factors, sums);
    column += column_words;
    sums += 2 * 16;
  }
  for (std::size_t k = 0; k < numbers.rest; ++k) {
    const auto words_at = [&](std::size_t i) HWY_ATTR {
      return hn::BitCast(shorts, hn::LoadU(words, column + i));
    };
    add_products(words_at, factors, sums);
    column += column_words;
    sums += 2 * 16;
  }
  for (std::size_t j = 0; adds_knots && j < numbers.size(); ++j) {
    add_knots(columns + j * column_words, factors.data(), factors.size(), sums);
    sums += HatSums::few_intervals * 16;
  }
}

std::size_t sum_lanes() { return hn::Lanes(Ints()); }

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(turn_rows);
HWY_EXPORT(add_margins);
HWY_EXPORT(add_columns);
HWY_EXPORT(sum_lanes);

HatBlock::HatBlock(const HatNumbers& numbers)
    : numbers_(numbers),
      pointers_(rows),
      columns_((columns_of(numbers) + words_at_once) * column_words / 32) {}

void HatBlock::read(std::span<const std::int16_t* const> packed,
                    std::span<const std::int16_t* const> next) {
  next_ = next;
  count_ = packed.size();
  padded_ = (count_ + 31) / 32 * 32;
  std::ranges::copy(packed, pointers_.begin());
  // Rows that fill up the block; they have factor 0.
  std::fill(pointers_.begin() + static_cast<std::ptrdiff_t>(count_),
            pointers_.begin() + static_cast<std::ptrdiff_t>(padded_), packed[0]);
  HWY_DYNAMIC_DISPATCH(turn_rows)
  (std::span(pointers_).first(padded_), columns_of(numbers_), columns_[0].word);
}

void HatBlock::margins(const HatTable& table, std::span<float, rows> sums) const {
  std::ranges::fill(sums, 0.0F);
  HWY_DYNAMIC_DISPATCH(add_margins)
  (numbers_, columns_[0].word, table, {next_, numbers_.words() * sizeof(std::int16_t)},
   sums.first(padded_));
}

void HatBlock::add_multiples(std::span<const double> factors, HatSums& sums) {
  alignas(64) std::int16_t digits[HatSums::digits][rows] = {};
  std::int32_t largest = 0;
  std::int32_t all = 0;  // of a block: below 2^27
  std::int32_t any_high = 0;
  for (std::size_t r = 0; r < count_; ++r) {
    const auto factor = static_cast<std::int32_t>(factors[r]);
    constexpr std::int32_t half = 1 << (HatSums::digit_bits - 1);
    const std::int32_t high = (factor + half) >> HatSums::digit_bits;
    digits[0][r] = static_cast<std::int16_t>(factor - (high << HatSums::digit_bits));
    digits[1][r] = static_cast<std::int16_t>(high);
    any_high |= high;
    largest = std::max(largest, std::abs(factor));
    all += factor;
  }
  sums.factors_ += all;
  // The number of rows that meet in a lane. Each adds a digit times 2^8 steps, and those of a block
  // fit. Lines count vectors of two rows; 2^16 of them would be too many, and a digit is at least
  // 2^7.
  const auto in_lane = static_cast<std::int64_t>(padded_ / HWY_DYNAMIC_DISPATCH(sum_lanes)())
                       << HatNumber::step_bits;
  const std::int64_t more = in_lane * std::clamp(largest, 1 << 7, 1 << (HatSums::digit_bits - 1));
  constexpr std::int64_t room = std::numeric_limits<std::int32_t>::max();
  if (sums.lane_filled_ + more > room) sums.flush_lanes();
  sums.lane_filled_ += more;
  for (std::size_t digit = 0; digit < (any_high != 0 ? 2U : 1U); ++digit) {
    HWY_DYNAMIC_DISPATCH(add_columns)
    (numbers_, columns_[0].word, std::span<const std::int16_t>(digits[digit]).first(padded_),
     !sums.counts_cells_, sums.digit_lanes(digit)->lane);
  }
  if (!sums.counts_cells_) return;
  const std::int64_t filled = std::int64_t{largest} * static_cast<std::int64_t>(count_);
  constexpr std::int64_t max = std::int64_t{1} << (HatSums::low_bits - 1 - HatNumber::step_bits);
  if (sums.cells_filled_ + filled >= max) sums.flush_cells();
  sums.cells_filled_ += filled;
  static_assert(std::endian::native == std::endian::little, "positions are read as bytes");
  for (std::size_t r = 0; r < count_; ++r) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(pointers_[r]);
    const auto factor = static_cast<std::int64_t>(factors[r]);
    const std::int64_t high = factor * (std::int64_t{1} << HatSums::low_bits);
    std::int64_t* cell = sums.cells_.data();
#pragma GCC unroll 8
    for (std::size_t j = 0; j < numbers_.size(); ++j) {
      cell[bytes[2 * j + 1]] += bytes[2 * j] * factor + high;
      cell += HatSums::cells;
    }
  }
}

}  // namespace tacet::numeric
#endif
