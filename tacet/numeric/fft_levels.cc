#include "tacet/numeric/fft_levels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/fft_levels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Up to this size all levels of a block are done in turn: 16 KiB, which fit the first cache.
constexpr std::size_t small_block = 1024;

/// One level of one block. No product is fused with a sum: the scalar form rounds both.
struct Forward {
  template <class D>
  static HWY_INLINE void level(D d, const FftBlock& b, std::size_t half) {
    for (std::size_t k = 0; k < half; k += hn::Lanes(d)) {
      const auto top_re = hn::LoadU(d, b.real + k);
      const auto top_im = hn::LoadU(d, b.imaginary + k);
      const auto low_re = hn::LoadU(d, b.real + half + k);
      const auto low_im = hn::LoadU(d, b.imaginary + half + k);
      const auto cosine = hn::LoadU(d, b.cosines + half + k);
      const auto sine = hn::LoadU(d, b.minus_sines + half + k);
      const auto re = hn::Sub(top_re, low_re);
      const auto im = hn::Sub(top_im, low_im);
      hn::StoreU(hn::Add(top_re, low_re), d, b.real + k);
      hn::StoreU(hn::Add(top_im, low_im), d, b.imaginary + k);
      hn::StoreU(hn::Sub(hn::Mul(re, cosine), hn::Mul(im, sine)), d, b.real + half + k);
      hn::StoreU(hn::Add(hn::Mul(re, sine), hn::Mul(im, cosine)), d, b.imaginary + half + k);
    }
  }
};

/// As Forward, with the conjugate factors.
struct Inverse {
  template <class D>
  static HWY_INLINE void level(D d, const FftBlock& b, std::size_t half) {
    for (std::size_t k = 0; k < half; k += hn::Lanes(d)) {
      const auto top_re = hn::LoadU(d, b.real + k);
      const auto top_im = hn::LoadU(d, b.imaginary + k);
      const auto low_re = hn::LoadU(d, b.real + half + k);
      const auto low_im = hn::LoadU(d, b.imaginary + half + k);
      const auto cosine = hn::LoadU(d, b.cosines + half + k);
      const auto sine = hn::LoadU(d, b.minus_sines + half + k);
      const auto re = hn::Add(hn::Mul(low_re, cosine), hn::Mul(low_im, sine));
      const auto im = hn::Sub(hn::Mul(low_im, cosine), hn::Mul(low_re, sine));
      hn::StoreU(hn::Sub(top_re, re), d, b.real + half + k);
      hn::StoreU(hn::Sub(top_im, im), d, b.imaginary + half + k);
      hn::StoreU(hn::Add(top_re, re), d, b.real + k);
      hn::StoreU(hn::Add(top_im, im), d, b.imaginary + k);
    }
  }
};

HWY_INLINE FftBlock part(const FftBlock& b, std::size_t begin, std::size_t size) {
  return {b.real + begin, b.imaginary + begin, size, b.cosines, b.minus_sines};
}

/// One level of all blocks of 2 * half numbers, for a fixed half that is too short for wider
/// vectors.
template <class Direction, std::size_t half>
HWY_INLINE void short_level(const FftBlock& b) {
  for (std::size_t begin = 0; begin < b.size; begin += 2 * half) {
    Direction::level(hn::CappedTag<double, half>(), part(b, begin, 2 * half), half);
  }
}

/// One level of the transform, on all blocks of `2 * half` numbers, with the widest vectors that
/// half a block fills.
template <class Direction>
HWY_INLINE void one_level(const FftBlock& b, std::size_t half) {
  const hn::ScalableTag<double> widest;
  if (half < hn::Lanes(widest)) {
    if (half == 1) return short_level<Direction, 1>(b);
    if (half == 2) return short_level<Direction, 2>(b);
    if (half == 4) return short_level<Direction, 4>(b);
  }
  for (std::size_t begin = 0; begin < b.size; begin += 2 * half) {
    Direction::level(widest, part(b, begin, 2 * half), half);
  }
}

void forward(const FftBlock& b) {
  if (b.size > small_block) {
    one_level<Forward>(b, b.size / 2);
    forward(part(b, 0, b.size / 2));
    return forward(part(b, b.size / 2, b.size / 2));
  }
  for (std::size_t half = b.size / 2; half >= 1; half /= 2) one_level<Forward>(b, half);
}

void inverse(const FftBlock& b) {
  if (b.size > small_block) {
    inverse(part(b, 0, b.size / 2));
    inverse(part(b, b.size / 2, b.size / 2));
    return one_level<Inverse>(b, b.size / 2);
  }
  for (std::size_t half = 1; half < b.size; half *= 2) one_level<Inverse>(b, half);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric::internal {

HWY_EXPORT(forward);
HWY_EXPORT(inverse);

void forward_levels(const FftBlock& block) { HWY_DYNAMIC_DISPATCH(forward)(block); }
void inverse_levels(const FftBlock& block) { HWY_DYNAMIC_DISPATCH(inverse)(block); }

}  // namespace tacet::numeric::internal
#endif
