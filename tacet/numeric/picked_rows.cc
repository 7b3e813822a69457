#include "tacet/numeric/picked_rows.h"

#include <array>
#include <bit>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/picked_rows.cc"
// Vectors without a size known to the compiler cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t order = 8;
using Doubles = hn::CappedTag<double, order>;
using Floats = hn::Rebind<float, Doubles>;
constexpr std::size_t lanes = hn::MaxLanes(Doubles());

HWY_INLINE hn::Vec<Doubles> widened(const float* at) {
  return hn::PromoteTo(Doubles(), hn::LoadU(Floats(), at));
}

// `count` vectors of sums at a time stay in registers while all rows pass.
template <std::size_t count>
HWY_INLINE void add_columns(const float* table, const PickedRows& picked, std::size_t width,
                            double* sums) {
  const Doubles d;
  hn::Vec<Doubles> sum[count];
  for (std::size_t v = 0; v < count; ++v) sum[v] = hn::LoadU(d, sums + v * lanes);
  for (std::size_t k = 0; k < picked.places.size(); ++k) {
    const float* const row = table + picked.places[k] * width;
    const auto factor = hn::Set(d, picked.factors[k]);
    for (std::size_t v = 0; v < count; ++v) {
      sum[v] = hn::Add(sum[v], hn::Mul(factor, widened(row + v * lanes)));
    }
  }
  for (std::size_t v = 0; v < count; ++v) hn::StoreU(sum[v], d, sums + v * lanes);
}

void add_rows(const float* table, const PickedRows& picked, std::span<double> sums) {
  constexpr std::size_t many = 16 / lanes;
  const std::size_t width = sums.size();
  std::size_t i = 0;
  for (; i + 16 <= width; i += 16) add_columns<many>(table + i, picked, width, sums.data() + i);
  for (; i + lanes <= width; i += lanes) add_columns<1>(table + i, picked, width, sums.data() + i);
  for (; i < width; ++i) {
    double sum = sums[i];
    for (std::size_t k = 0; k < picked.places.size(); ++k) {
      sum += picked.factors[k] * static_cast<double>(table[picked.places[k] * width + i]);
    }
    sums[i] = sum;
  }
}

double dot(const float* row, std::span<const double> vector) {
  const Doubles d;
  std::array<double, order> sums{};
  const std::size_t whole = vector.size() / order * order;
  for (std::size_t lane = 0; lane < order; lane += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t j = lane; j < whole; j += order) {
      sum = hn::Add(sum, hn::Mul(widened(row + j), hn::LoadU(d, vector.data() + j)));
    }
    hn::StoreU(sum, d, sums.data() + lane);
  }
  for (std::size_t j = whole; j < vector.size(); ++j) {
    sums[j - whole] += static_cast<double>(row[j]) * vector[j];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void dots_of(const float* table, std::span<const std::uint32_t> places,
             std::span<const double> vector, double* dots) {
  if (vector.size() == 1) {  // add 0, so that no dot is -0; a sum of several numbers never is
    for (const auto place : places) {
      dots[place] = 0 + static_cast<double>(table[place]) * vector[0];
    }
    return;
  }
  for (const auto place : places) dots[place] = dot(table + place * vector.size(), vector);
}

void add_multiples(const PickedRows& picked, std::span<const double> vector, double* sums) {
  const Doubles d;
  for (std::size_t k = 0; k < picked.places.size(); ++k) {
    double* const row = sums + picked.places[k] * vector.size();
    const auto factor = hn::Set(d, picked.factors[k]);
    std::size_t i = 0;
    for (; i + lanes <= vector.size(); i += lanes) {
      const auto product = hn::Mul(factor, hn::LoadU(d, vector.data() + i));
      hn::StoreU(hn::Add(hn::LoadU(d, row + i), product), d, row + i);
    }
    for (; i < vector.size(); ++i) row[i] += picked.factors[k] * vector[i];
  }
}

std::size_t places_of(std::span<const std::int16_t> values, std::uint32_t* places) {
  const hn::CappedTag<std::int16_t, 32> d;
  constexpr std::size_t some = hn::MaxLanes(d);
  std::size_t count = 0;
  std::size_t j = 0;
  for (; j + some <= values.size(); j += some) {
    const auto zero = hn::Eq(hn::LoadU(d, values.data() + j), hn::Zero(d));
    std::array<std::uint8_t, 8> bytes{};
    static_cast<void>(hn::StoreMaskBits(d, hn::Not(zero), bytes.data()));
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 4; ++b) bits |= std::uint32_t{bytes[b]} << (8 * b);
    for (; bits != 0; bits &= bits - 1) {
      places[count++] =
          static_cast<std::uint32_t>(j) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }
  for (; j < values.size(); ++j) {
    places[count] = static_cast<std::uint32_t>(j);
    count += values[j] != 0 ? 1U : 0U;
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(add_rows);
HWY_EXPORT(dots_of);
HWY_EXPORT(add_multiples);
HWY_EXPORT(places_of);

void add_picked_rows(std::span<const float> table, const PickedRows& picked,
                     std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(add_rows)(table.data(), picked, sums);
}

void picked_row_dots(std::span<const float> table, std::span<const std::uint32_t> places,
                     std::span<const double> vector, std::span<double> dots) {
  HWY_DYNAMIC_DISPATCH(dots_of)(table.data(), places, vector, dots.data());
}

void add_products(const PickedRows& picked, std::span<const double> vector,
                  std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(add_multiples)(picked, vector, sums.data());
}

std::size_t nonzero_places(std::span<const std::int16_t> values, std::span<std::uint32_t> places) {
  return HWY_DYNAMIC_DISPATCH(places_of)(values, places.data());
}

}  // namespace tacet::numeric
#endif  // HWY_ONCE
