#include "tacet/numeric/truncate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/truncate.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums are ordered as if there were eight lanes, however many the machine has.
constexpr std::size_t order = 8;
using Doubles = hn::CappedTag<double, order>;

double squares_of(std::span<const double> values) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const double* v = values.data();
  std::array<double, order> sums{};
  const std::size_t whole = values.size() / order * order;
  for (std::size_t lane = 0; lane < order; lane += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t j = lane; j < whole; j += order) {
      const auto x = hn::LoadU(d, v + j);
      sum = hn::Add(sum, hn::Mul(x, x));  // not fused: the same bits everywhere
    }
    hn::StoreU(sum, d, sums.data() + lane);
  }
  for (std::size_t j = whole; j < values.size(); ++j) sums[j - whole] += v[j] * v[j];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double truncate_into(std::span<const double> values, double factor, double bound, double* sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const double* v = values.data();
  const auto f = hn::Set(d, factor);
  const auto high = hn::Set(d, bound);
  const auto low = hn::Set(d, -bound);
  auto squares = hn::Zero(d);
  std::size_t j = 0;
  for (; j + lanes <= values.size(); j += lanes) {
    const auto z = hn::Trunc(hn::Max(low, hn::Min(high, hn::Mul(hn::LoadU(d, v + j), f))));
    squares = hn::Add(squares, hn::Mul(z, z));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + j), z), d, sums + j);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, squares));
  for (; j < values.size(); ++j) {
    const double z = std::trunc(std::clamp(v[j] * factor, -bound, bound));
    total += z * z;
    sums[j] += z;
  }
  return total;
}

/// One number per place: computes the z of several places at once, and then adds them one by one.
double scalars_into(const PickedRows& picked, double number, double factor, double bound,
                    double* sums) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = picked.places.size();
  const auto times = hn::Set(d, number);
  const auto f = hn::Set(d, factor);
  const auto high = hn::Set(d, bound);
  const auto low = hn::Set(d, -bound);
  auto squares = hn::Zero(d);
  std::array<double, order> some{};
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto v = hn::Mul(hn::LoadU(d, picked.factors.data() + k), times);
    const auto z = hn::Trunc(hn::Max(low, hn::Min(high, hn::Mul(v, f))));
    squares = hn::Add(squares, hn::Mul(z, z));
    hn::StoreU(z, d, some.data());
    for (std::size_t j = 0; j < lanes; ++j) sums[picked.places[k + j]] += some[j];
  }
  double total = hn::GetLane(hn::SumOfLanes(d, squares));
  for (; k < count; ++k) {
    const double z = std::trunc(std::clamp(picked.factors[k] * number * factor, -bound, bound));
    total += z * z;
    sums[picked.places[k]] += z;
  }
  return total;
}

double products_into(const PickedRows& picked, std::span<const double> vector, double factor,
                     double bound, double* sums) {
  if (vector.size() == 1) return scalars_into(picked, vector[0], factor, bound, sums);
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  const auto high = hn::Set(d, bound);
  const auto low = hn::Set(d, -bound);
  const double* const s = vector.data();
  auto squares = hn::Zero(d);
  double total = 0;
  for (std::size_t k = 0; k < picked.places.size(); ++k) {
    double* const row = sums + picked.places[k] * vector.size();
    const auto times = hn::Set(d, picked.factors[k]);
    std::size_t i = 0;
    for (; i + lanes <= vector.size(); i += lanes) {
      const auto v = hn::Mul(times, hn::LoadU(d, s + i));
      const auto z = hn::Trunc(hn::Max(low, hn::Min(high, hn::Mul(v, f))));
      squares = hn::Add(squares, hn::Mul(z, z));
      hn::StoreU(hn::Add(hn::LoadU(d, row + i), z), d, row + i);
    }
    for (; i < vector.size(); ++i) {
      const double z = std::trunc(std::clamp(picked.factors[k] * s[i] * factor, -bound, bound));
      total += z * z;
      row[i] += z;
    }
  }
  return total + hn::GetLane(hn::SumOfLanes(d, squares));
}

void integers_into(std::span<const double> integers, std::int64_t* sums) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= integers.size(); j += lanes) {
    const auto z = hn::ConvertTo(di, hn::LoadU(d, integers.data() + j));
    hn::StoreU(hn::Add(hn::LoadU(di, sums + j), z), di, sums + j);
  }
  for (; j < integers.size(); ++j) sums[j] += static_cast<std::int64_t>(integers[j]);
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(squares_of);
HWY_EXPORT(truncate_into);
HWY_EXPORT(products_into);
HWY_EXPORT(integers_into);

double sum_of_squares(std::span<const double> values) {
  return HWY_DYNAMIC_DISPATCH(squares_of)(values);
}

double add_truncated(std::span<const double> values, double factor, double bound,
                     std::span<double> sums) {
  return HWY_DYNAMIC_DISPATCH(truncate_into)(values, factor, bound, sums.data());
}

double add_truncated_products(const PickedRows& picked, std::span<const double> vector,
                              double factor, double bound, std::span<double> sums) {
  return HWY_DYNAMIC_DISPATCH(products_into)(picked, vector, factor, bound, sums.data());
}

void add_integers(std::span<const double> integers, std::span<std::int64_t> sums) {
  HWY_DYNAMIC_DISPATCH(integers_into)(integers, sums.data());
}

}  // namespace tacet::numeric
#endif  // HWY_ONCE
