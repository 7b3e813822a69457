#include "tacet/random/noise/rounded_gaussian.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/random/noise/rounded_gaussian_kernel.cc"
#include <hwy/foreach_target.h>

#include "tacet/random/noise/rounded_gaussian-inl.h"

#if HWY_ONCE
namespace tacet::random::internal {

HWY_EXPORT(resolve);

std::size_t resolve_gaussians(GaussianBatch& batch, std::size_t begin, std::int64_t* values,
                              std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(resolve)(batch, batch.words + begin, values, count);
}

}  // namespace tacet::random::internal
#endif
