#include "tacet/numeric/exp_each.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tacet/numeric/exp_series.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/exp_each.cc"
// Vectors without a size known to the compiler have no place on the stack.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Whole = hn::RebindToSigned<Tag>;

template <class V>
HWY_INLINE V times_plus(V product, V factor, double term) {
  // Not fused: the scalar form rounds twice.
  return hn::Add(hn::Mul(product, factor), hn::Set(Tag(), term));
}

template <class V>
HWY_INLINE V exp_of_rest(V r) {
  auto p = hn::Set(Tag(), internal::exp_terms[0]);
  for (std::size_t i = 1; i < internal::exp_terms.size(); ++i) {
    p = times_plus(p, r, internal::exp_terms[i]);
  }
  return p;
}

template <class I>
HWY_INLINE hn::Vec<Tag> power_of_two(I exponent) {
  return hn::BitCast(Tag(), hn::ShiftLeft<52>(hn::Add(exponent, hn::Set(Whole(), 1023))));
}

template <class V>
HWY_INLINE V exp_of(V x) {
  const Tag d;
  const Whole whole;
  const auto shift = hn::Set(d, internal::rounding_shift);
  const auto shifted = times_plus(x, hn::Set(d, internal::log2_e), internal::rounding_shift);
  const auto k = hn::Sub(shifted, shift);
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, internal::ln2_high))),
                         hn::Mul(k, hn::Set(d, internal::ln2_low)));
  const auto exponent = hn::Sub(hn::BitCast(whole, shifted), hn::BitCast(whole, shift));
  // 2^k in two factors of half the exponent: the first product is exact, so that the second rounds
  // once, as the scalar form does where the result is subnormal.
  const auto half = hn::ShiftRight<1>(exponent);
  const auto power =
      hn::Mul(hn::Mul(exp_of_rest(r), power_of_two(half)), power_of_two(hn::Sub(exponent, half)));
  const auto below = hn::Lt(x, hn::Set(d, internal::exp_is_zero_below));
  const auto above = hn::Ge(x, hn::Set(d, internal::exp_is_infinite_from));
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  return hn::IfThenElse(above, infinity, hn::IfThenZeroElse(below, power));
}

template <class V>
HWY_INLINE V sigmoid_of(V x) {
  const auto one = hn::Set(Tag(), 1.0);
  const auto e = exp_of(hn::Neg(hn::Abs(x)));
  const auto positive = hn::Ge(x, hn::Zero(Tag()));
  return hn::Div(hn::IfThenElse(positive, one, e), hn::Add(one, e));
}

// The numbers after the last whole vector are padded with zeros.
template <class Function>
HWY_INLINE void each(double* numbers, std::size_t size, const Function& function) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(function(hn::LoadU(d, numbers + i)), d, numbers + i);
  }
  if (i == size) return;
  HWY_ALIGN double rest[hn::MaxLanes(Tag())] = {};
  std::copy(numbers + i, numbers + size, rest);
  hn::Store(function(hn::Load(d, rest)), d, rest);
  std::copy(rest, rest + (size - i), numbers + i);
}

void exps(double* numbers, std::size_t size) {
  each(numbers, size, [](auto x) HWY_ATTR { return exp_of(x); });
}

void sigmoids(double* numbers, std::size_t size) {
  each(numbers, size, [](auto x) HWY_ATTR { return sigmoid_of(x); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(exps);
HWY_EXPORT(sigmoids);

void exp_each(std::span<double> numbers) {
  HWY_DYNAMIC_DISPATCH(exps)(numbers.data(), numbers.size());
}

void sigmoid_each(std::span<double> numbers) {
  HWY_DYNAMIC_DISPATCH(sigmoids)(numbers.data(), numbers.size());
}

}  // namespace tacet::numeric
#endif
