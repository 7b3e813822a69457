#include "tacet/numeric/panel_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/panel_products.cc"
// Vectors without a size known to the compiler cannot be kept in arrays; targets between those that
// machines have would add to every program.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, panel_columns / 2>;

// Two registers of columns times each row: sums that stay in registers over all products.
template <std::size_t rows>
HWY_INLINE void add_products(const double* left, std::size_t stride, const double* panel,
                             std::size_t inner, double* out) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes> sums[rows][2];
  for (std::size_t i = 0; i < rows; ++i) sums[i][0] = sums[i][1] = hn::Zero(d);
  for (std::size_t j = 0; j < inner; ++j) {
    const auto first = hn::LoadU(d, panel + j * panel_columns);
    const auto second = hn::LoadU(d, panel + j * panel_columns + lanes);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto entry = hn::Set(d, left[i * stride + j]);
      sums[i][0] = hn::Add(sums[i][0], hn::Mul(entry, first));
      sums[i][1] = hn::Add(sums[i][1], hn::Mul(entry, second));
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    hn::StoreU(sums[i][0], d, out + i * panel_columns);
    hn::StoreU(sums[i][1], d, out + i * panel_columns + lanes);
  }
}

void products(const double* left, std::size_t stride, std::size_t rows, const double* panel,
              std::size_t inner, double* out) {
  for (std::size_t c = 0; c < panel_columns; c += 2 * hn::Lanes(Lanes())) {
    if (rows == panel_rows) {
      add_products<panel_rows>(left, stride, panel + c, inner, out + c);
      continue;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      add_products<1>(left + i * stride, stride, panel + c, inner, out + i * panel_columns + c);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(products);

void multiply_panel(const double* left, std::size_t stride, std::size_t rows, const double* panel,
                    std::size_t inner, double* out) {
  HWY_DYNAMIC_DISPATCH(products)(left, stride, rows, panel, inner, out);
}

}  // namespace tacet::numeric
#endif
