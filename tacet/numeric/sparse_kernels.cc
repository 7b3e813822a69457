#include "tacet/numeric/kernels.h"

#include <bit>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/sparse_kernels.cc"
// Vectors without a size known to the compiler cannot be built from single numbers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(std::endian::native == std::endian::little, "numbers are taken from words by shifts");

// These loops wait for memory even if it is in the first cache, so several columns and values are
// read at once.
HWY_INLINE std::uint64_t load_word(const void* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The sum over all whole groups of four entries.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE double dot_of_fours(const SparseIntegers& row, const double* weights) {
  double even = 0;
  double odd = 0;
  for (std::size_t k = 0; k < row.columns.size() / 4 * 4; k += 2) {
    even += weights[row.columns[k]] * row.values[k];
    odd += weights[row.columns[k + 1]] * row.values[k + 1];
  }
  return even + odd;
}
#else
using Two = hn::FixedTag<double, 2>;

HWY_INLINE hn::Vec<Two> load_two(const double* weights, const std::uint32_t* columns) {
  const hn::FixedTag<double, 1> one;
  const std::uint64_t both = load_word(columns);
  return hn::Combine(Two(), hn::LoadU(one, weights + (both >> 32)),
                     hn::LoadU(one, weights + static_cast<std::uint32_t>(both)));
}

HWY_INLINE double dot_of_fours(const SparseIntegers& row, const double* weights) {
  const Two two;
  const hn::FixedTag<std::int32_t, 4> ints;
  const hn::FixedTag<std::int32_t, 2> half;
  const hn::FixedTag<std::int16_t, 4> shorts;
  const std::size_t size = row.columns.size() / 4 * 4;
  const std::uint32_t* columns = row.columns.data();
  auto first = hn::Zero(two);
  auto second = hn::Zero(two);
  for (std::size_t k = 0; k < size; k += 4) {
    const auto values = hn::PromoteTo(ints, hn::LoadU(shorts, row.values.data() + k));
    first = hn::MulAdd(hn::PromoteTo(two, hn::LowerHalf(half, values)),
                       load_two(weights, columns + k), first);
    second = hn::MulAdd(hn::PromoteTo(two, hn::UpperHalf(half, values)),
                        load_two(weights, columns + k + 2), second);
  }
  return hn::GetLane(hn::SumOfLanes(two, hn::Add(first, second)));
}
#endif

HWY_INLINE double sparse_dot(const SparseIntegers& row, const double* weights) {
  double sum = dot_of_fours(row, weights);
  const std::size_t size = row.columns.size();
  for (std::size_t k = size / 4 * 4; k < size; ++k) sum += weights[row.columns[k]] * row.values[k];
  return sum;
}

void sparse_dots(std::span<const SparseIntegers> rows, std::span<const double> weights,
                 std::span<double> sums) {
  for (std::size_t r = 0; r < rows.size(); ++r) sums[r] = sparse_dot(rows[r], weights.data());
}

HWY_INLINE void add_multiple(const SparseIntegers& row, std::int64_t factor, std::int64_t* sums) {
  const std::size_t size = row.columns.size();
  const std::uint32_t* columns = row.columns.data();
  const std::int16_t* values = row.values.data();
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4) {
    const std::uint64_t one = load_word(columns + k);
    const std::uint64_t other = load_word(columns + k + 2);
    const std::uint64_t four = load_word(values + k);
    sums[static_cast<std::uint32_t>(one)] += factor * static_cast<std::int16_t>(four);
    sums[one >> 32] += factor * static_cast<std::int16_t>(four >> 16);
    sums[static_cast<std::uint32_t>(other)] += factor * static_cast<std::int16_t>(four >> 32);
    sums[other >> 32] += factor * static_cast<std::int16_t>(four >> 48);
  }
  for (; k < size; ++k) sums[columns[k]] += factor * values[k];
}

void add_multiples_sparse(std::span<const SparseIntegers> rows, std::span<const double> factors,
                          std::span<std::int64_t> sums) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    add_multiple(rows[r], static_cast<std::int64_t>(factors[r]), sums.data());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(sparse_dots);
HWY_EXPORT(add_multiples_sparse);

void exact_sparse_dots(std::span<const SparseIntegers> rows, std::span<const double> weights,
                       std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(sparse_dots)(rows, weights, sums);
}

void add_sparse_multiples(std::span<const SparseIntegers> rows, std::span<const double> factors,
                          std::span<std::int64_t> sums) {
  HWY_DYNAMIC_DISPATCH(add_multiples_sparse)(rows, factors, sums);
}

}  // namespace tacet::numeric
#endif
