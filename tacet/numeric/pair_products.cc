#include "tacet/numeric/pair_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/pair_products.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void interleave(std::span<const std::int16_t* const> rows, std::size_t columns,
                std::span<std::uint32_t> words, std::size_t stride) {
  for (std::size_t r = 0; r < rows.size(); r += 2) {
    const std::int16_t* even = rows[r];
    const std::int16_t* odd = r + 1 < rows.size() ? rows[r + 1] : nullptr;
    std::uint32_t* to = words.data() + r / 2 * stride;
    std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::int16_t, 16> shorts;
    const std::size_t lanes = hn::Lanes(shorts);
    auto* places = reinterpret_cast<std::int16_t*>(to);
    for (; odd != nullptr && j + lanes <= columns; j += lanes) {
      hn::StoreInterleaved2(hn::LoadU(shorts, even + j), hn::LoadU(shorts, odd + j), shorts,
                            places + 2 * j);
    }
#endif
    for (; j < columns; ++j) to[j] = paired(even[j], odd != nullptr ? odd[j] : std::int16_t{0});
  }
}

#if HWY_TARGET == HWY_SCALAR

void products(std::span<const std::uint32_t> words, std::size_t stride, const Panel& panel,
              std::span<std::int64_t> sums) {
  for (std::size_t at = 0; at + stride <= words.size(); at += stride) {
    for (std::size_t j = 0; j < panel.count; ++j) {
      const std::uint32_t one = words[at + panel.first + j];
      for (std::size_t k = panel.first + j; k < panel.columns; ++k) {
        const std::uint32_t other = words[at + k];
        sums[j * stride + k] +=
            static_cast<std::int16_t>(one) * static_cast<std::int16_t>(other) +
            static_cast<std::int16_t>(one >> 16) * static_cast<std::int16_t>(other >> 16);
      }
    }
  }
}

#else

using Words = hn::CappedTag<std::int32_t, 16>;
using Shorts = hn::Repartition<std::int16_t, Words>;
using Longs = hn::Repartition<std::int64_t, Words>;

HWY_INLINE hn::Vec<Shorts> load_pairs(const std::uint32_t* from) {
  return hn::LoadU(Shorts(), reinterpret_cast<const std::int16_t*>(from));
}

HWY_INLINE hn::Vec<Shorts> same_pair(std::uint32_t pair) {
  return hn::BitCast(Shorts(), hn::Set(Words(), static_cast<std::int32_t>(pair)));
}

HWY_INLINE void add_wide(hn::Vec<Words> values, std::int64_t* to) {
  const Longs longs;
  const hn::Half<Words> half;
  const std::size_t lanes = hn::Lanes(longs);
  const auto low = hn::PromoteTo(longs, hn::LowerHalf(half, values));
  const auto high = hn::PromoteTo(longs, hn::UpperHalf(half, values));
  hn::StoreU(hn::Add(hn::LoadU(longs, to), low), longs, to);
  hn::StoreU(hn::Add(hn::LoadU(longs, to + lanes), high), longs, to + lanes);
}

// Four columns times two vectors of columns: eight sums that stay in registers over all rows. The
// second sum of ReorderWidenMulAccumulate is unused on x86.
HWY_INLINE void add_block(std::span<const std::uint32_t> words, std::size_t stride, std::size_t j,
                          std::size_t k, std::int64_t* sums) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), b0 = hn::Zero(d), b1 = hn::Zero(d);
  auto c0 = hn::Zero(d), c1 = hn::Zero(d), e0 = hn::Zero(d), e1 = hn::Zero(d);
  auto ra0 = hn::Zero(d), ra1 = hn::Zero(d), rb0 = hn::Zero(d), rb1 = hn::Zero(d);
  auto rc0 = hn::Zero(d), rc1 = hn::Zero(d), re0 = hn::Zero(d), re1 = hn::Zero(d);
  const std::uint32_t* end = words.data() + words.size();
  for (const std::uint32_t* row = words.data(); row != end; row += stride) {
    const auto first = load_pairs(row + k);
    const auto second = load_pairs(row + k + lanes);
    const auto pa = same_pair(row[j]);
    a0 = hn::ReorderWidenMulAccumulate(d, pa, first, a0, ra0);
    a1 = hn::ReorderWidenMulAccumulate(d, pa, second, a1, ra1);
    const auto pb = same_pair(row[j + 1]);
    b0 = hn::ReorderWidenMulAccumulate(d, pb, first, b0, rb0);
    b1 = hn::ReorderWidenMulAccumulate(d, pb, second, b1, rb1);
    const auto pc = same_pair(row[j + 2]);
    c0 = hn::ReorderWidenMulAccumulate(d, pc, first, c0, rc0);
    c1 = hn::ReorderWidenMulAccumulate(d, pc, second, c1, rc1);
    const auto pe = same_pair(row[j + 3]);
    e0 = hn::ReorderWidenMulAccumulate(d, pe, first, e0, re0);
    e1 = hn::ReorderWidenMulAccumulate(d, pe, second, e1, re1);
  }
  std::int64_t* to = sums + k;
  add_wide(hn::RearrangeToOddPlusEven(a0, ra0), to);
  add_wide(hn::RearrangeToOddPlusEven(a1, ra1), to + lanes);
  add_wide(hn::RearrangeToOddPlusEven(b0, rb0), to + stride);
  add_wide(hn::RearrangeToOddPlusEven(b1, rb1), to + stride + lanes);
  add_wide(hn::RearrangeToOddPlusEven(c0, rc0), to + 2 * stride);
  add_wide(hn::RearrangeToOddPlusEven(c1, rc1), to + 2 * stride + lanes);
  add_wide(hn::RearrangeToOddPlusEven(e0, re0), to + 3 * stride);
  add_wide(hn::RearrangeToOddPlusEven(e1, re1), to + 3 * stride + lanes);
}

void products(std::span<const std::uint32_t> words, std::size_t stride, const Panel& panel,
              std::span<std::int64_t> sums) {
  const std::size_t step = 2 * hn::Lanes(Words());
  for (std::size_t j = 0; j < panel.count; j += panel_step) {
    const std::size_t first = panel.first + j;
    for (std::size_t k = first / step * step; k < panel.columns; k += step) {
      add_block(words, stride, first, k, sums.data() + j * stride);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(interleave);
HWY_EXPORT(products);

std::size_t pair_stride(std::size_t columns) {
  constexpr std::size_t widest = 32;  // two vectors of 16 words
  return (columns + widest - 1) / widest * widest;
}

void pair_rows(std::span<const std::int16_t* const> rows, std::size_t columns,
               std::span<std::uint32_t> words, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(interleave)(rows, columns, words, stride);
}

void add_pair_products(std::span<const std::uint32_t> words, std::size_t stride, const Panel& panel,
                       std::span<std::int64_t> sums) {
  HWY_DYNAMIC_DISPATCH(products)(words, stride, panel, sums);
}

}  // namespace tacet::numeric
#endif
