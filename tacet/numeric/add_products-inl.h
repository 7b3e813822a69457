// Included once per target, like highway's own parts.
#if defined(TACET_NUMERIC_ADD_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TACET_NUMERIC_ADD_PRODUCTS_INL_H_
#undef TACET_NUMERIC_ADD_PRODUCTS_INL_H_
#else
#define TACET_NUMERIC_ADD_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// ReorderWidenMulAccumulate: `sum` and the products of neighbouring integers, two in a word. The
/// second sum is unused on x86. Machines of AVX3_DL do it in one instruction, which this version of
/// highway does not know, and neither do the compiler's options for that target.
template <class D, class Shorts, class Sum>
HWY_INLINE Sum add_products(D d, Shorts a, Shorts b, Sum sum, Sum& rest) {
#if HWY_TARGET == HWY_AVX3_DL
  (void)d;
  (void)rest;
  asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#else
  return hwy::HWY_NAMESPACE::ReorderWidenMulAccumulate(d, a, b, sum, rest);
#endif
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#endif
