#include "tacet/numeric/paired_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/paired_sums.cc"
// Vectors without a size known to the compiler cannot be kept in arrays; targets between those that
// machines have would add to every program.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4)
#define HWY_WANT_AVX3_DL
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

#include "tacet/numeric/add_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void paired_block(const std::uint32_t* block, std::span<const std::uint32_t> vectors,
                  std::int32_t* sums, std::size_t columns) {
  const auto low = [](std::uint32_t word) { return static_cast<std::int16_t>(word); };
  const auto high = [](std::uint32_t word) { return static_cast<std::int16_t>(word >> 16); };
  for (std::size_t v = 0; v < paired_vectors; ++v) {
    for (std::size_t c = 0; c < paired_columns; ++c) {
      std::uint32_t sum = 0;
      for (std::size_t p = 0; p < vectors.size() / paired_vectors; ++p) {
        const std::uint32_t one = block[p * paired_columns + c];
        const std::uint32_t other = vectors[p * paired_vectors + v];
        sum += static_cast<std::uint32_t>(low(one) * low(other));
        sum += static_cast<std::uint32_t>(high(one) * high(other));
      }
      sums[v * columns + c] = static_cast<std::int32_t>(sum);
    }
  }
}

#else

using Words = hn::CappedTag<std::int32_t, 16>;
using Shorts = hn::Repartition<std::int16_t, Words>;

// All vectors where there are 32 registers, half of them where there are 16, times two registers of
// columns: sums that stay in registers over all pairs.
constexpr std::size_t at_once = hn::MaxLanes(Words()) == 16 ? paired_vectors : paired_vectors / 2;

HWY_INLINE void add_pairs(const std::uint32_t* row, const std::uint32_t* at, std::size_t pairs,
                          std::int32_t* sums, std::size_t columns) {
  const Words d;
  const Shorts shorts;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Words> left[at_once];
  hn::Vec<Words> right[at_once];
  hn::Vec<Words> left_rest[at_once];
  hn::Vec<Words> right_rest[at_once];
  for (std::size_t v = 0; v < at_once; ++v) {
    left[v] = right[v] = left_rest[v] = right_rest[v] = hn::Zero(d);
  }
  const auto load = [&](const std::uint32_t* from) HWY_ATTR {
    return hn::LoadU(shorts, reinterpret_cast<const std::int16_t*>(from));
  };
  for (std::size_t p = 0; p < pairs; ++p, at += paired_vectors, row += paired_columns) {
    const auto first = load(row);
    const auto second = load(row + lanes);
    for (std::size_t v = 0; v < at_once; ++v) {
      const auto pair = hn::BitCast(shorts, hn::Set(d, static_cast<std::int32_t>(at[v])));
      left[v] = add_products(d, pair, first, left[v], left_rest[v]);
      right[v] = add_products(d, pair, second, right[v], right_rest[v]);
    }
  }
  for (std::size_t v = 0; v < at_once; ++v) {
    std::int32_t* to = sums + v * columns;
    hn::StoreU(hn::RearrangeToOddPlusEven(left[v], left_rest[v]), d, to);
    hn::StoreU(hn::RearrangeToOddPlusEven(right[v], right_rest[v]), d, to + lanes);
  }
}

void paired_block(const std::uint32_t* block, std::span<const std::uint32_t> vectors,
                  std::int32_t* sums, std::size_t columns) {
  const std::size_t step = 2 * hn::Lanes(Words());
  const std::size_t pairs = vectors.size() / paired_vectors;
  for (std::size_t c = 0; c < paired_columns; c += step) {
    for (std::size_t v = 0; v < paired_vectors; v += at_once) {
      add_pairs(block + c, vectors.data() + v, pairs, sums + c + v * columns, columns);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(paired_block);

void multiply_paired(std::span<const std::uint32_t> words,
                     std::span<const std::span<const std::uint32_t>> groups,
                     std::span<std::int32_t> sums) {
  const std::size_t group = sums.size() / groups.size();
  const std::size_t columns = group / paired_vectors;
  const std::size_t block = groups[0].size() / paired_vectors * paired_columns;
  for (std::size_t c = 0; c < columns; c += paired_columns) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      HWY_DYNAMIC_DISPATCH(paired_block)
      (words.data() + c / paired_columns * block, groups[g], sums.data() + g * group + c, columns);
    }
  }
}

}  // namespace tacet::numeric
#endif
