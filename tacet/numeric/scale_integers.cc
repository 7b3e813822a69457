#include "tacet/numeric/kernels.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/scale_integers.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void scale_to_doubles(const std::int64_t* integers, double unit, double* out, std::size_t size,
                      bool past_caches) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto u = hn::Set(d, unit);
  const std::size_t lanes = hn::Lanes(d);
  const auto product = [&](std::size_t j) {
    return hn::Mul(hn::ConvertTo(d, hn::LoadU(di, integers + j)), u);
  };
  std::size_t j = 0;
  if (past_caches) {
    const std::size_t bytes = lanes * sizeof(double);
    for (; j < size && reinterpret_cast<std::uintptr_t>(out + j) % bytes != 0; ++j) {
      out[j] = static_cast<double>(integers[j]) * unit;
    }
    for (; j + lanes <= size; j += lanes) hn::Stream(product(j), d, out + j);
    hwy::FlushStream();
  }
  for (; j + lanes <= size; j += lanes) hn::StoreU(product(j), d, out + j);
  for (; j < size; ++j) out[j] = static_cast<double>(integers[j]) * unit;
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(scale_to_doubles);

void scale_integers(std::span<const std::int64_t> integers, double unit, std::span<double> out,
                    bool past_caches) {
  HWY_DYNAMIC_DISPATCH(scale_to_doubles)
  (integers.data(), unit, out.data(), integers.size(), past_caches);
}

}  // namespace tacet::numeric
#endif
