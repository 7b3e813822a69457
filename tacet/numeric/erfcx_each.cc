#include "tacet/numeric/erfcx_each.h"

#include <algorithm>
#include <cstddef>

#include "tacet/numeric/erfcx_fraction.h"
#include "tacet/numeric/special.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/erfcx_each.cc"
// Vectors without a size known to the compiler have no place in an array.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Replaces each number by the slope there, by the continued fraction. All numbers must be in its
/// range; it has at most `max` terms.
void slopes_by_fraction(double* numbers, int max) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t vectors = 16 / lanes;
  hn::Vec<decltype(d)> terms[vectors];
  hn::Vec<decltype(d)> rests[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    const auto x = hn::LoadU(d, numbers + v * lanes);
    const auto whole = hn::Trunc(hn::Div(hn::Set(d, internal::fraction_reach), hn::Mul(x, x)));
    terms[v] = hn::Add(whole, hn::Set(d, internal::fraction_min_terms));
    rests[v] = hn::Zero(d);
  }
  for (int i = max; i >= 1; --i) {
    const auto half = hn::Set(d, 0.5 * i);
    const auto place = hn::Set(d, i);
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto next = hn::Div(half, hn::Add(hn::LoadU(d, numbers + v * lanes), rests[v]));
      // A chain with fewer terms stays 0 until its first term.
      rests[v] = hn::IfThenElseZero(hn::Ge(terms[v], place), next);
    }
  }
  const auto factor = hn::Set(d, 2 * internal::inverse_sqrt_pi);
  for (std::size_t v = 0; v < vectors; ++v) {
    const auto sum = hn::Add(hn::LoadU(d, numbers + v * lanes), rests[v]);
    hn::StoreU(hn::Div(hn::Mul(factor, rests[v]), sum), d, numbers + v * lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(slopes_by_fraction);

void erfcx_slope_each(std::span<double, 16> numbers) {
  // A number outside the range of the fraction is replaced by this one, which needs few terms.
  constexpr double stand_in = 1e3;
  double x[16];
  double min = stand_in;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    x[n] = internal::has_fraction(numbers[n]) ? numbers[n] : stand_in;
    min = std::min(min, x[n]);
  }
  HWY_DYNAMIC_DISPATCH(slopes_by_fraction)(x, internal::fraction_terms(min));
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    numbers[n] = internal::has_fraction(numbers[n]) ? x[n] : erfcx_slope(numbers[n]);
  }
}

}  // namespace tacet::numeric
#endif
