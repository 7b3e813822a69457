#include "tacet/numeric/kernels.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/row_kernels.cc"
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

template <class Real>
struct Layout {
  static constexpr std::size_t group = 64 / sizeof(Real);  // entries of a cache line
  using Tag = hn::CappedTag<Real, group>;
  static constexpr std::size_t lanes = hn::MaxLanes(Tag());
  static constexpr std::size_t vectors = group / lanes;
};

// The entries after the last whole group go to the same lanes that a whole group would use.
template <class Real>
HWY_INLINE Real join(Real* lane, const Real* row, const Real* vector, std::size_t from,
                     std::size_t size) {
  for (std::size_t j = from; j < size; ++j) lane[j - from] += row[j] * vector[j];
  for (std::size_t half = Layout<Real>::group / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
  }
  return lane[0];
}

template <class Real>
HWY_INLINE Real row_dot(const Real* row, const Real* vector, std::size_t size) {
  using L = Layout<Real>;
  const typename L::Tag d;
  hn::Vec<typename L::Tag> first[L::vectors];
  hn::Vec<typename L::Tag> second[L::vectors];
  for (std::size_t v = 0; v < L::vectors; ++v) first[v] = second[v] = hn::Zero(d);
  std::size_t j = 0;
  const auto add = [&](hn::Vec<typename L::Tag>* sums) HWY_ATTR {
    for (std::size_t v = 0; v < L::vectors; ++v) {
      const std::size_t at = j + v * L::lanes;
      sums[v] = hn::Add(sums[v], hn::Mul(hn::LoadU(d, row + at), hn::LoadU(d, vector + at)));
    }
    j += L::group;
  };
  while (j + 2 * L::group <= size) {
    add(first);
    add(second);
  }
  if (j + L::group <= size) add(first);
  alignas(64) Real lane[L::group];
  for (std::size_t v = 0; v < L::vectors; ++v) {
    hn::Store(hn::Add(first[v], second[v]), d, lane + v * L::lanes);
  }
  return join(lane, row, vector, j, size);
}

template <class Real>
HWY_INLINE void all_dots(const Real* const* rows, std::size_t count, const Real* vector,
                         std::size_t size, Real* sums) {
  for (std::size_t r = 0; r < count; ++r) sums[r] = row_dot(rows[r], vector, size);
}

template <class Real>
HWY_INLINE void add_multiples(const Real* const* rows, std::size_t count, const Real* factors,
                              Real* sum, std::size_t size) {
  using L = Layout<Real>;
  const typename L::Tag d;
  // several sums, so that an addition does not wait for the one before
  constexpr std::size_t together = 4;
  std::size_t j = 0;
  for (; j + together * L::lanes <= size; j += together * L::lanes) {
    hn::Vec<typename L::Tag> totals[together];
    for (std::size_t v = 0; v < together; ++v) totals[v] = hn::LoadU(d, sum + j + v * L::lanes);
    for (std::size_t r = 0; r < count; ++r) {
      const auto factor = hn::Set(d, factors[r]);
      for (std::size_t v = 0; v < together; ++v) {
        totals[v] = hn::Add(totals[v], hn::Mul(factor, hn::LoadU(d, rows[r] + j + v * L::lanes)));
      }
    }
    for (std::size_t v = 0; v < together; ++v) hn::StoreU(totals[v], d, sum + j + v * L::lanes);
  }
  for (; j + L::lanes <= size; j += L::lanes) {
    auto total = hn::LoadU(d, sum + j);
    for (std::size_t r = 0; r < count; ++r) {
      total = hn::Add(total, hn::Mul(hn::Set(d, factors[r]), hn::LoadU(d, rows[r] + j)));
    }
    hn::StoreU(total, d, sum + j);
  }
  for (; j < size; ++j) {
    for (std::size_t r = 0; r < count; ++r) sum[j] += factors[r] * rows[r][j];
  }
}

template <class Real>
HWY_INLINE void combine(Real a, const Real* x, Real b, const Real* y, Real* out, std::size_t size) {
  using L = Layout<Real>;
  const typename L::Tag d;
  const auto by_a = hn::Set(d, a);
  const auto by_b = hn::Set(d, b);
  std::size_t j = 0;
  for (; j + L::lanes <= size; j += L::lanes) {
    const auto left = hn::Mul(by_a, hn::LoadU(d, x + j));
    hn::StoreU(hn::Add(left, hn::Mul(by_b, hn::LoadU(d, y + j))), d, out + j);
  }
  for (; j < size; ++j) out[j] = a * x[j] + b * y[j];
}

void float_dots(const float* const* rows, std::size_t count, const float* vector, std::size_t size,
                float* sums) {
  all_dots(rows, count, vector, size, sums);
}
void double_dots(const double* const* rows, std::size_t count, const double* vector,
                 std::size_t size, double* sums) {
  all_dots(rows, count, vector, size, sums);
}
void add_float(const float* const* rows, std::size_t count, const float* factors, float* sum,
               std::size_t size) {
  add_multiples(rows, count, factors, sum, size);
}
void add_double(const double* const* rows, std::size_t count, const double* factors, double* sum,
                std::size_t size) {
  add_multiples(rows, count, factors, sum, size);
}
void combine_float(float a, const float* x, float b, const float* y, float* out, std::size_t size) {
  combine(a, x, b, y, out, size);
}
void combine_double(double a, const double* x, double b, const double* y, double* out,
                    std::size_t size) {
  combine(a, x, b, y, out, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(float_dots);
HWY_EXPORT(double_dots);
HWY_EXPORT(add_float);
HWY_EXPORT(add_double);
HWY_EXPORT(combine_float);
HWY_EXPORT(combine_double);

template <>
void row_dots(std::span<const float* const> rows, std::span<const float> vector,
              std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(float_dots)
  (rows.data(), rows.size(), vector.data(), vector.size(), sums.data());
}
template <>
void row_dots(std::span<const double* const> rows, std::span<const double> vector,
              std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(double_dots)
  (rows.data(), rows.size(), vector.data(), vector.size(), sums.data());
}

template <>
void add_row_multiples(std::span<const float* const> rows, std::span<const float> factors,
                       std::span<float> sum) {
  HWY_DYNAMIC_DISPATCH(add_float)
  (rows.data(), rows.size(), factors.data(), sum.data(), sum.size());
}
template <>
void add_row_multiples(std::span<const double* const> rows, std::span<const double> factors,
                       std::span<double> sum) {
  HWY_DYNAMIC_DISPATCH(add_double)
  (rows.data(), rows.size(), factors.data(), sum.data(), sum.size());
}

template <>
void combine_rows(float a, std::span<const float> x, float b, std::span<const float> y,
                  std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(combine_float)(a, x.data(), b, y.data(), out.data(), out.size());
}
template <>
void combine_rows(double a, std::span<const double> x, double b, std::span<const double> y,
                  std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(combine_double)(a, x.data(), b, y.data(), out.data(), out.size());
}

}  // namespace tacet::numeric
#endif
