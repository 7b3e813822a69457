#include "tacet/numeric/kernels.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/kernels.cc"
// Vectors without a size known to the compiler cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Ints = hn::Rebind<std::int32_t, Doubles>;
using Shorts = hn::Rebind<std::int16_t, Doubles>;

HWY_INLINE hn::Vec<Doubles> load_row(const std::int16_t* from) {
  return hn::PromoteTo(Doubles(), hn::PromoteTo(Ints(), hn::LoadU(Shorts(), from)));
}

// The columns after the last whole vector are read again together with some before them, which
// count as 0. So no read leaves the row, and no column needs scalar code.
struct Tail {
  Tail(std::size_t columns, std::size_t lanes)
      : rest(columns % lanes), begin(columns - lanes), known(hn::FirstN(Doubles(), lanes - rest)) {}

  [[nodiscard]] HWY_INLINE hn::Vec<Doubles> only_new(hn::Vec<Doubles> values) const {
    return hn::IfThenZeroElse(known, values);
  }

  std::size_t rest;
  std::size_t begin;
  hn::Mask<Doubles> known;
};

template <std::size_t count>
HWY_INLINE void several_dots(const std::int16_t* const* rows, std::span<const double> weights,
                             const Tail& tail, hn::Vec<Doubles> tail_weights, double* sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Doubles> totals[count];
  for (std::size_t r = 0; r < count; ++r) totals[r] = hn::Zero(d);
  for (std::size_t j = 0; j + lanes <= weights.size(); j += lanes) {
    const auto weight = hn::LoadU(d, weights.data() + j);
    for (std::size_t r = 0; r < count; ++r) {
      totals[r] = hn::MulAdd(load_row(rows[r] + j), weight, totals[r]);
    }
  }
  for (std::size_t r = 0; r < count && tail.rest > 0; ++r) {
    totals[r] = hn::MulAdd(load_row(rows[r] + tail.begin), tail_weights, totals[r]);
  }
  for (std::size_t r = 0; r < count; ++r) sums[r] = hn::GetLane(hn::SumOfLanes(d, totals[r]));
}

void narrow_dots(std::span<const std::int16_t* const> rows, std::span<const double> weights,
                 std::span<double> sums) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double total = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) total += rows[r][j] * weights[j];
    sums[r] = total;
  }
}

void dots(std::span<const std::int16_t* const> rows, std::span<const double> weights,
          std::span<double> sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  if (weights.size() < lanes) return narrow_dots(rows, weights, sums);
  const Tail tail(weights.size(), lanes);
  const auto tail_weights = tail.only_new(hn::LoadU(d, weights.data() + tail.begin));
  std::size_t r = 0;
  for (; r + 4 <= rows.size(); r += 4) {
    several_dots<4>(rows.data() + r, weights, tail, tail_weights, sums.data() + r);
  }
  for (; r < rows.size(); ++r) {
    several_dots<1>(rows.data() + r, weights, tail, tail_weights, sums.data() + r);
  }
}

template <std::size_t count>
HWY_INLINE void add_several(const std::int16_t* const* rows, const double* factors,
                            std::span<double> sums, const Tail& tail, hn::Vec<Doubles>& tail_sum) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Doubles> by[count];
  for (std::size_t r = 0; r < count; ++r) by[r] = hn::Set(d, factors[r]);
  for (std::size_t j = 0; j + lanes <= sums.size(); j += lanes) {
    auto total = hn::LoadU(d, sums.data() + j);
    for (std::size_t r = 0; r < count; ++r) {
      total = hn::MulAdd(load_row(rows[r] + j), by[r], total);
    }
    hn::StoreU(total, d, sums.data() + j);
  }
  for (std::size_t r = 0; r < count && tail.rest > 0; ++r) {
    tail_sum = hn::MulAdd(load_row(rows[r] + tail.begin), by[r], tail_sum);
  }
}

void add_narrow_multiples(std::span<const std::int16_t* const> rows,
                          std::span<const double> factors, std::span<double> sums) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += rows[r][j] * factors[r];
  }
}

void add_multiples(std::span<const std::int16_t* const> rows, std::span<const double> factors,
                   std::span<double> sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  if (sums.size() < lanes) return add_narrow_multiples(rows, factors, sums);
  const Tail tail(sums.size(), lanes);
  auto tail_sum = hn::Zero(d);
  std::size_t r = 0;
  for (; r + 8 <= rows.size(); r += 8) {
    add_several<8>(rows.data() + r, factors.data() + r, sums, tail, tail_sum);
  }
  for (; r < rows.size(); ++r) {
    add_several<1>(rows.data() + r, factors.data() + r, sums, tail, tail_sum);
  }
  double* end = sums.data() + tail.begin;
  hn::StoreU(hn::Add(hn::LoadU(d, end), tail.only_new(tail_sum)), d, end);
}

const char* target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(dots);
HWY_EXPORT(add_multiples);
HWY_EXPORT(target);

void exact_dots(std::span<const std::int16_t* const> rows, std::span<const double> weights,
                std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(dots)(rows, weights, sums);
}

void add_exact_multiples(std::span<const std::int16_t* const> rows, std::span<const double> factors,
                         std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(add_multiples)(rows, factors, sums);
}

std::string_view kernel_target() { return HWY_DYNAMIC_DISPATCH(target)(); }

}  // namespace tacet::numeric
#endif
