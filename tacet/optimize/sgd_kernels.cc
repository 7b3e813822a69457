#include "tacet/optimize/sgd_kernels.h"

#include <array>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/optimize/sgd_kernels.cc"
// Vectors without a size known to the compiler cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::optimize::internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Ints = hn::Rebind<std::int32_t, Doubles>;
using Shorts = hn::Rebind<std::int16_t, Doubles>;
using Vector = hn::Vec<Doubles>;

constexpr std::size_t lanes = hn::MaxLanes(Doubles());
constexpr std::size_t group = 8;                // columns that go to one of the four sums
constexpr std::size_t vectors = group / lanes;  // of a group

HWY_INLINE Vector load_row(const std::int16_t* from) {
  return hn::PromoteTo(Doubles(), hn::PromoteTo(Ints(), hn::LoadU(Shorts(), from)));
}

struct Sums {
  Vector of[4][vectors];
};

// The lanes of the four sums, joined to eight numbers.
HWY_INLINE void join(const Sums& sums, double* out) {
  const Doubles d;
  for (std::size_t v = 0; v < vectors; ++v) {
    const auto left = hn::Add(sums.of[0][v], sums.of[1][v]);
    const auto right = hn::Add(sums.of[2][v], sums.of[3][v]);
    hn::StoreU(hn::Add(left, right), d, out + v * lanes);
  }
}

HWY_INLINE double total(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

HWY_INLINE void clear(Sums& sums) {
  for (auto& sum : sums.of) {
    for (auto& vector : sum) vector = hn::Zero(Doubles());
  }
}

// Calls body(column, sum) for each group of eight columns; the rest is left to the caller.
template <class Body>
HWY_INLINE std::size_t over_groups(std::size_t columns, Sums& sums, const Body& body) {
  std::size_t j = 0;
  for (; j + 4 * group <= columns; j += 4 * group) {
    body(j, sums.of[0]);
    body(j + group, sums.of[1]);
    body(j + 2 * group, sums.of[2]);
    body(j + 3 * group, sums.of[3]);
  }
  if (j + group <= columns) {
    body(j, sums.of[0]);
    j += group;
  }
  if (j + group <= columns) {
    body(j, sums.of[1]);
    j += group;
  }
  if (j + group <= columns) {
    body(j, sums.of[2]);
    j += group;
  }
  return j;
}

double dot(const std::int16_t* row, const double* weights, std::size_t columns) {
  const Doubles d;
  Sums sums;
  clear(sums);
  std::size_t j = over_groups(columns, sums, [&](std::size_t column, Vector* sum) HWY_ATTR {
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t at = column + v * lanes;
      sum[v] = hn::Add(sum[v], hn::Mul(load_row(row + at), hn::LoadU(d, weights + at)));
    }
  });
  double joined[group];
  join(sums, joined);
  for (; j < columns; ++j) joined[j % group] += row[j] * weights[j];
  return total(joined);
}

void subtract(const std::int16_t* row, double factor, double* target, std::size_t columns) {
  const Doubles d;
  const auto f = hn::Set(d, factor);
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const auto value = hn::LoadU(d, target + j);
    hn::StoreU(hn::Sub(value, hn::Mul(load_row(row + j), f)), d, target + j);
  }
  for (; j < columns; ++j) target[j] -= row[j] * factor;
}

double step(const std::int16_t* row, double factor, double mean_factor, double* weights,
            double* mean, const std::int16_t* next, std::size_t columns) {
  const Doubles d;
  const auto f = hn::Set(d, factor);
  const auto g = hn::Set(d, mean_factor);
  Sums sums;
  clear(sums);
  std::size_t j = over_groups(columns, sums, [&](std::size_t column, Vector* sum) HWY_ATTR {
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t at = column + v * lanes;
      const auto x = load_row(row + at);
      const auto weight = hn::Sub(hn::LoadU(d, weights + at), hn::Mul(x, f));
      hn::StoreU(weight, d, weights + at);
      hn::StoreU(hn::Sub(hn::LoadU(d, mean + at), hn::Mul(x, g)), d, mean + at);
      sum[v] = hn::Add(sum[v], hn::Mul(load_row(next + at), weight));
    }
  });
  double joined[group];
  join(sums, joined);
  for (; j < columns; ++j) {
    weights[j] -= row[j] * factor;
    mean[j] -= row[j] * mean_factor;
    joined[j % group] += next[j] * weights[j];
  }
  return total(joined);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::optimize::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::optimize::internal {

HWY_EXPORT(dot);
HWY_EXPORT(subtract);
HWY_EXPORT(step);

double row_dot(std::span<const std::int16_t> row, std::span<const double> weights) {
  return HWY_DYNAMIC_DISPATCH(dot)(row.data(), weights.data(), weights.size());
}

double row_dot(const data::SparseRow& row, std::span<const double> weights) {
  constexpr std::size_t eight = 8;
  const std::size_t grouped = weights.size() / eight * eight;
  std::array<double, 32> sums{};
  std::size_t k = 0;
  for (; k < row.columns.size() && row.columns[k] < grouped; ++k) {
    const std::size_t j = row.columns[k];
    sums[j % sums.size()] += row.values[k] * weights[j];
  }
  double joined[eight];
  for (std::size_t i = 0; i < eight; ++i) {
    joined[i] = (sums[i] + sums[i + 8]) + (sums[i + 16] + sums[i + 24]);
  }
  for (; k < row.columns.size(); ++k) {
    const std::size_t j = row.columns[k];
    joined[j % eight] += row.values[k] * weights[j];
  }
  const double* s = joined;
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void subtract_row(std::span<const std::int16_t> row, double factor, std::span<double> target) {
  HWY_DYNAMIC_DISPATCH(subtract)(row.data(), factor, target.data(), target.size());
}

void subtract_row(const data::SparseRow& row, double factor, std::span<double> target) {
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    target[row.columns[k]] -= row.values[k] * factor;
  }
}

double advance(std::span<const std::int16_t> row, double factor, double mean_factor,
               std::span<double> weights, std::span<double> mean,
               std::span<const std::int16_t> next) {
  return HWY_DYNAMIC_DISPATCH(step)(row.data(), factor, mean_factor, weights.data(), mean.data(),
                                    next.data(), weights.size());
}

double advance(const data::SparseRow& row, double factor, double mean_factor,
               std::span<double> weights, std::span<double> mean, const data::SparseRow& next) {
  subtract_row(row, factor, weights);
  subtract_row(row, mean_factor, mean);
  return row_dot(next, weights);
}

}  // namespace tacet::optimize::internal
#endif
