// Included once per instruction set by rounded_gaussian_kernel.cc; hence no #pragma once.

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tacet/random/exact/inverse_normal.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/rounded_gaussian_steps-inl.h"
#include "tacet/random/noise/wrapping_sum.h"

#undef TACET_WIDE_GAUSSIANS
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
#define TACET_WIDE_GAUSSIANS 1
#include "tacet/random/noise/rounded_gaussian_wide-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace tacet::random::internal {
namespace HWY_NAMESPACE {

#ifndef TACET_WIDE_GAUSSIANS

/// Constants of the centre, for every vector.
template <class Form>
struct CentreOfSigma {
  double sigma;
  double reach;

  CentreOfSigma(double scale, double min_margin)
      : sigma(scale), reach(0.5 - std::max(scale * Form::bound, min_margin)) {}
};

/// Computes the draws of 64 words that lie in the centre. Returns a bit for each word that is left:
/// in the tails, or undecided.
template <class Form>
HWY_INLINE std::uint64_t resolve_centre(const std::uint64_t* words, std::int64_t* values,
                                        const CentreOfSigma<Form>& centre) {
  const DoubleTag d;
  const IntTag di;
  const WordTag du;
  const auto sigma = hn::Set(d, centre.sigma);
  const auto reach = hn::Set(d, centre.reach);
  constexpr std::uint64_t middle_word = std::uint64_t{1} << 63;
  [[maybe_unused]] const auto last_of_centre =
      hn::Set(di, INT64_MAX - static_cast<std::int64_t>(table::tail_end));
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto q = middle_of_cell(d, hn::LoadU(du, words + i));
    Decided decided;
    const auto integer = round_certainly(centre_value<Form>(d, q, sigma), reach, decided);
    Decided resolved;
    if constexpr (HWY_TARGET == HWY_SCALAR) {
      // Uses integers: with doubles the compiler makes a branch here, which the processor
      // mispredicts.
      const auto w = hn::BitCast(di, hn::Xor(hn::LoadU(du, words + i), hn::Set(du, middle_word)));
      const auto in_tail = hn::Gt(hn::Xor(w, hn::BroadcastSignBit(w)), last_of_centre);
      resolved = hn::AndNot(hn::RebindMask(d, in_tail), decided);
    } else {
      resolved = hn::And(decided, hn::Lt(hn::Abs(q), hn::Set(d, table::centre_end)));
    }
    const auto sum = hn::Add(hn::LoadU(di, values + i),
                             hn::IfThenElseZero(hn::RebindMask(di, resolved), integer));
    hn::StoreU(sum, di, values + i);
    left |= mask_bits(hn::Not(resolved)) << i;
  }
  return left;
}

/// Computes the words of the list one by one.
HWY_INLINE std::size_t resolve_tails(GaussianBatch& batch, const std::int64_t*, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) batch.undecided[k] = static_cast<std::uint32_t>(k);
  return count;
}

#endif

/// Computes the words of the list; returns how many stay undecided.
HWY_INLINE std::size_t resolve_list(GaussianBatch& batch, std::int64_t* values, std::size_t count) {
  const std::size_t alone = resolve_tails(batch, values, count);
  std::size_t undecided = 0;
  for (std::size_t i = 0; i < alone; ++i) {
    const std::uint32_t k = batch.undecided[i];
    const std::uint32_t j = batch.places[k];
    std::int64_t integer = 0;
    if (one_value(batch.listed[k], batch.sigma, batch.min_margin, integer)) {
      values[j] = wrapping_sum(values[j], integer);
    } else {
      batch.undecided[undecided++] = j;
    }
  }
  return undecided;
}

template <class Form>
HWY_INLINE std::size_t resolve_by(GaussianBatch& batch, const std::uint64_t* words,
                                  std::int64_t* values, std::size_t count) {
  const CentreOfSigma<Form> centre(batch.sigma, batch.min_margin);
  for (std::size_t begin = 0; begin < count; begin += 64) {
    batch.left[begin / 64] = resolve_centre<Form>(words + begin, values + begin, centre);
  }
  // Builds the list only at the end. The processor mispredicts how many words there are, which
  // costs little while nothing else is under way.
  std::size_t listed = 0;
  for (std::size_t begin = 0; begin < count; begin += 64) {
    listed = list_words(batch, words, batch.left[begin / 64], begin, listed);
  }
  return resolve_list(batch, values, listed);
}

std::size_t resolve(GaussianBatch& batch, const std::uint64_t* words, std::int64_t* values,
                    std::size_t count) {
  // For larger sigma the coarse form leaves too many words undecided.
  constexpr double max_coarse = 0x1p26;
  return batch.sigma <= max_coarse ? resolve_by<Coarse>(batch, words, values, count)
                                   : resolve_by<Fine>(batch, words, values, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::random::internal
HWY_AFTER_NAMESPACE();
