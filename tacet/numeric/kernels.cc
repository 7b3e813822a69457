#include "tacet/numeric/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/kernels.cc"
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

void dots(std::span<const std::int16_t* const> rows, std::span<const double> weights,
          std::span<double> sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t columns = weights.size();
  const double* w = weights.data();
  std::size_t r = 0;
  for (; r + 2 <= rows.size(); r += 2) {
    auto first = hn::Zero(d);
    auto second = hn::Zero(d);
    std::size_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      const auto weight = hn::LoadU(d, w + j);
      first = hn::MulAdd(load_row(rows[r] + j), weight, first);
      second = hn::MulAdd(load_row(rows[r + 1] + j), weight, second);
    }
    double a = hn::GetLane(hn::SumOfLanes(d, first));
    double b = hn::GetLane(hn::SumOfLanes(d, second));
    for (; j < columns; ++j) {
      a += rows[r][j] * w[j];
      b += rows[r + 1][j] * w[j];
    }
    sums[r] = a;
    sums[r + 1] = b;
  }
  for (; r < rows.size(); ++r) {
    auto total = hn::Zero(d);
    std::size_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      total = hn::MulAdd(load_row(rows[r] + j), hn::LoadU(d, w + j), total);
    }
    double a = hn::GetLane(hn::SumOfLanes(d, total));
    for (; j < columns; ++j) a += rows[r][j] * w[j];
    sums[r] = a;
  }
}

void add_multiples(std::span<const std::int16_t* const> rows, std::span<const double> factors,
                   std::span<double> sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t columns = sums.size();
  double* s = sums.data();
  std::size_t r = 0;
  for (; r + 4 <= rows.size(); r += 4) {
    const auto f0 = hn::Set(d, factors[r]);
    const auto f1 = hn::Set(d, factors[r + 1]);
    const auto f2 = hn::Set(d, factors[r + 2]);
    const auto f3 = hn::Set(d, factors[r + 3]);
    std::size_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      auto total = hn::LoadU(d, s + j);
      total = hn::MulAdd(load_row(rows[r] + j), f0, total);
      total = hn::MulAdd(load_row(rows[r + 1] + j), f1, total);
      total = hn::MulAdd(load_row(rows[r + 2] + j), f2, total);
      total = hn::MulAdd(load_row(rows[r + 3] + j), f3, total);
      hn::StoreU(total, d, s + j);
    }
    for (; j < columns; ++j) {
      s[j] += rows[r][j] * factors[r] + rows[r + 1][j] * factors[r + 1] +
              rows[r + 2][j] * factors[r + 2] + rows[r + 3][j] * factors[r + 3];
    }
  }
  for (; r < rows.size(); ++r) {
    const auto factor = hn::Set(d, factors[r]);
    std::size_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      hn::StoreU(hn::MulAdd(load_row(rows[r] + j), factor, hn::LoadU(d, s + j)), d, s + j);
    }
    for (; j < columns; ++j) s[j] += rows[r][j] * factors[r];
  }
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
