#include "tacet/optimize/sgd/sgd_kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/optimize/sgd/sgd_kernels.cc"
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

constexpr std::size_t group = row_padding;  // columns that go to one of the four sums
constexpr std::size_t lanes = hn::MaxLanes(Doubles());
constexpr std::size_t vectors = group / lanes;  // of a group

HWY_INLINE Vector load_row(const std::int16_t* from) {
  return hn::PromoteTo(Doubles(), hn::PromoteTo(Ints(), hn::LoadU(Shorts(), from)));
}

// Byte k of 16 comes from byte k + `moved`, read from place `moved` on; beyond the end comes 0.
alignas(16) constexpr std::uint8_t byte_moves[32] = {
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};

struct Sums {
  Vector of[4][vectors];
};

// The lanes of the four sums, joined in a fixed order.
HWY_INLINE double join(const Sums& sums) {
  const Doubles d;
  double s[group];
  for (std::size_t v = 0; v < vectors; ++v) {
    const auto left = hn::Add(sums.of[0][v], sums.of[1][v]);
    const auto right = hn::Add(sums.of[2][v], sums.of[3][v]);
    hn::StoreU(hn::Add(left, right), d, s + v * lanes);
  }
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

HWY_INLINE void clear(Sums& sums) {
  for (auto& sum : sums.of) {
    for (auto& vector : sum) vector = hn::Zero(Doubles());
  }
}

// Calls body(column, sum) for each group of eight columns.
template <class Body>
HWY_INLINE void over_groups(std::size_t groups, Sums& sums, const Body& body) {
  std::size_t g = 0;
  for (; g + 4 <= groups; g += 4) {
    body(g * group, sums.of[0]);
    body((g + 1) * group, sums.of[1]);
    body((g + 2) * group, sums.of[2]);
    body((g + 3) * group, sums.of[3]);
  }
  if (g < groups) body(g * group, sums.of[0]);
  if (g + 1 < groups) body((g + 1) * group, sums.of[1]);
  if (g + 2 < groups) body((g + 2) * group, sums.of[2]);
}

// The columns beyond the last whole group, filled up with zeros. Read as the row's last eight,
// since nothing may be read behind a row, and moved down.
HWY_INLINE void load_rest(const std::int16_t* row, std::size_t whole, std::size_t columns,
                          std::int16_t* rest) {
#if HWY_TARGET != HWY_SCALAR
  if (columns >= group) {
    const hn::FixedTag<std::uint8_t, 2 * group> d;
    const std::size_t moved = 2 * (group - (columns - whole));
    const auto last = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(row + columns - group));
    const auto from = hn::LoadU(d, byte_moves + moved);
    hn::StoreU(hn::TableLookupBytesOr0(last, from), d, reinterpret_cast<std::uint8_t*>(rest));
    return;
  }
#endif
  for (std::size_t j = 0; j < group; ++j) {
    rest[j] = whole + j < columns ? row[whole + j] : std::int16_t{0};
  }
}

// Groups of a row: the whole ones in place, the last one from its copy.
struct Groups {
  const std::int16_t* row;
  std::int16_t rest[group];
  std::size_t whole;

  HWY_INLINE Groups(const std::int16_t* from, std::size_t columns)
      : row(from), whole(columns / group * group) {
    if (whole < columns) load_rest(from, whole, columns, rest);
  }
};

double dot(const std::int16_t* row, const double* weights, std::size_t columns) {
  const Doubles d;
  const Groups from(row, columns);
  Sums sums;
  clear(sums);
  const auto body = [&](const std::int16_t* x, std::size_t column, Vector* sum) HWY_ATTR {
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto w = hn::LoadU(d, weights + column + v * lanes);
      sum[v] = hn::Add(sum[v], hn::Mul(load_row(x + v * lanes), w));
    }
  };
  over_groups(columns / group, sums,
              [&](std::size_t column, Vector* sum) HWY_ATTR { body(row + column, column, sum); });
  if (from.whole < columns) body(from.rest, from.whole, sums.of[columns / group % 4]);
  return join(sums);
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

double step(double* values, double factor, double mean_factor, double* weights, double* mean,
            const std::int16_t* next, std::size_t columns) {
  const Doubles d;
  const Groups there(next, columns);
  const auto f = hn::Set(d, factor);
  const auto g = hn::Set(d, mean_factor);
  Sums sums;
  clear(sums);
  const auto body = [&](const std::int16_t* y, std::size_t column, Vector* sum) HWY_ATTR {
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t at = column + v * lanes;
      const auto value = hn::LoadU(d, values + at);
      const auto weight = hn::Sub(hn::LoadU(d, weights + at), hn::Mul(value, f));
      hn::StoreU(weight, d, weights + at);
      hn::StoreU(hn::Sub(hn::LoadU(d, mean + at), hn::Mul(value, g)), d, mean + at);
      const auto coming = load_row(y + v * lanes);
      hn::StoreU(coming, d, values + at);
      sum[v] = hn::Add(sum[v], hn::Mul(coming, weight));
    }
  };
  over_groups(columns / group, sums,
              [&](std::size_t column, Vector* sum) HWY_ATTR { body(next + column, column, sum); });
  if (there.whole < columns) body(there.rest, there.whole, sums.of[columns / group % 4]);
  return join(sums);
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
  return HWY_DYNAMIC_DISPATCH(dot)(row.data(), weights.data(), row.size());
}

double row_dot(const data::SparseRow& row, std::span<const double> weights) {
  std::array<double, 4 * row_padding> sums{};
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    const std::size_t j = row.columns[k];
    sums[j % sums.size()] += row.values[k] * weights[j];
  }
  constexpr std::size_t group = row_padding;
  double s[group];
  for (std::size_t i = 0; i < group; ++i) {
    s[i] = (sums[i] + sums[i + group]) + (sums[i + 2 * group] + sums[i + 3 * group]);
  }
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void subtract_row(std::span<const std::int16_t> row, double factor, std::span<double> target) {
  HWY_DYNAMIC_DISPATCH(subtract)(row.data(), factor, target.data(), row.size());
}

void subtract_row(const data::SparseRow& row, double factor, std::span<double> target) {
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    target[row.columns[k]] -= row.values[k] * factor;
  }
}

void expand_row(std::span<const std::int16_t> row, std::span<double> values) {
  std::ranges::fill(values, 0.0);
  std::ranges::copy(row, values.begin());
}

double advance(std::span<double> values, double factor, double mean_factor,
               std::span<double> weights, std::span<double> mean,
               std::span<const std::int16_t> next) {
  return HWY_DYNAMIC_DISPATCH(step)(values.data(), factor, mean_factor, weights.data(), mean.data(),
                                    next.data(), next.size());
}

}  // namespace tacet::optimize::internal
#endif
