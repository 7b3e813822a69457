#include "tacet/numeric/adam.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/adam.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;

// A gradient of zeros, read a vector at a time.
struct Zeros {
  HWY_INLINE hn::Vec<Tag> take(Tag d, std::size_t /*j*/) const { return hn::Zero(d); }
};
struct Floats {
  const float* numbers;

  HWY_INLINE hn::Vec<Tag> take(Tag d, std::size_t j) const { return hn::LoadU(d, numbers + j); }
};
/// An integer gradient, scaled by one product or by both.
template <bool both>
struct Integers {
  std::int64_t* numbers;
  double unit;
  double factor;

  HWY_INLINE hn::Vec<Tag> take(Tag d, std::size_t j) const {
#if HWY_TARGET == HWY_SCALAR
    return take_part(d, j);
#else
    const hn::Half<Tag> half;
    const auto low = take_part(half, j);
    return hn::Combine(d, take_part(half, j + hn::Lanes(half)), low);
#endif
  }
  template <class D>
  HWY_INLINE hn::Vec<D> take_part(D d, std::size_t j) const {
    const hn::Rebind<double, D> dd;
    const hn::Rebind<std::int64_t, D> di;
    auto real = hn::Mul(hn::ConvertTo(dd, hn::LoadU(di, numbers + j)), hn::Set(dd, unit));
    hn::StoreU(hn::Zero(di), di, numbers + j);
    if constexpr (both) real = hn::Mul(real, hn::Set(dd, factor));
    return hn::DemoteTo(d, real);
  }
};

/// Calls move(j, gradient from j on) for each whole vector of `size` numbers. Returns how many
/// numbers these vectors hold.
template <class G, class Move>
HWY_INLINE std::size_t for_vectors(std::size_t size, const G& gradient, const Move& move) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) move(j, gradient.take(d, j));
  return j;
}

template <class Move>
HWY_INLINE std::size_t along(const Gradient& gradient, std::size_t size, const Move& move) {
  const auto [floats, integers, unit, factor] = gradient;
  if (integers != nullptr) {
    // Highway's emulated vectors give the largest float where all others give infinity.
    if (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128) return 0;
    return factor == 1 ? for_vectors(size, Integers<false>{integers, unit, factor}, move)
                       : for_vectors(size, Integers<true>{integers, unit, factor}, move);
  }
  if (floats != nullptr) return for_vectors(size, Floats{floats}, move);
  return for_vectors(size, Zeros{}, move);
}

// Each function moves as many numbers as whole vectors hold, and returns how many these were.

std::size_t adam_each(std::span<float> values, float* first, float* second,
                      const Gradient& gradient, const AdamStep& step) {
  const Tag d;
  const auto d1 = hn::Set(d, step.first_decay);
  const auto d2 = hn::Set(d, step.second_decay);
  const auto one1 = hn::Set(d, 1 - step.first_decay);
  const auto one2 = hn::Set(d, 1 - step.second_decay);
  const auto rate = hn::Set(d, step.rate / step.first_growth);
  const auto growth = hn::Set(d, 1 / step.second_growth);
  const auto stabiliser = hn::Set(d, step.stabiliser);
  const auto min = hn::Set(d, no_moment);
  float* const v = values.data();
  return along(gradient, values.size(), [&](std::size_t j, hn::Vec<Tag> g) HWY_ATTR {
    auto m = hn::Add(hn::Mul(d1, hn::LoadU(d, first + j)), hn::Mul(one1, g));
    const auto s = hn::Add(hn::Mul(d2, hn::LoadU(d, second + j)), hn::Mul(hn::Mul(one2, g), g));
    m = hn::IfThenElse(hn::Lt(hn::Abs(m), min), hn::Zero(d), m);
    hn::StoreU(m, d, first + j);
    hn::StoreU(s, d, second + j);
    const auto way = hn::Div(hn::Mul(rate, m), hn::Add(hn::Sqrt(hn::Mul(growth, s)), stabiliser));
    hn::StoreU(hn::Sub(hn::LoadU(d, v + j), way), d, v + j);
  });
}

std::size_t descent_each(std::span<float> values, const Gradient& gradient, float rate) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  float* const v = values.data();
  return along(gradient, values.size(), [&](std::size_t j, hn::Vec<Tag> g) HWY_ATTR {
    hn::StoreU(hn::Sub(hn::LoadU(d, v + j), hn::Mul(r, g)), d, v + j);
  });
}

std::size_t momentum_each(std::span<float> values, float* velocity, const Gradient& gradient,
                          float rate, float momentum) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  const auto decay = hn::Set(d, momentum);
  const auto min = hn::Set(d, no_moment);
  float* const v = values.data();
  return along(gradient, values.size(), [&](std::size_t j, hn::Vec<Tag> g) HWY_ATTR {
    auto way = hn::Add(hn::Mul(decay, hn::LoadU(d, velocity + j)), g);
    way = hn::IfThenElse(hn::Lt(hn::Abs(way), min), hn::Zero(d), way);
    hn::StoreU(way, d, velocity + j);
    hn::StoreU(hn::Sub(hn::LoadU(d, v + j), hn::Mul(r, way)), d, v + j);
  });
}

std::size_t adagrad_each(std::span<float> values, float* squares, const Gradient& gradient,
                         float rate, float stabiliser) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  const auto min = hn::Set(d, stabiliser);
  float* const v = values.data();
  return along(gradient, values.size(), [&](std::size_t j, hn::Vec<Tag> g) HWY_ATTR {
    const auto sum = hn::Add(hn::LoadU(d, squares + j), hn::Mul(g, g));
    hn::StoreU(sum, d, squares + j);
    const auto way = hn::Div(hn::Mul(r, g), hn::Add(hn::Sqrt(sum), min));
    hn::StoreU(hn::Sub(hn::LoadU(d, v + j), way), d, v + j);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {
namespace {

/// The same gradient with one product if the unit is a power of two, since a product with it is
/// exact.
Gradient shortest(const Gradient& gradient) {
  int exponent = 0;
  const bool power = std::frexp(gradient.unit, &exponent) == 0.5;
  // Neither subnormal nor close to overflow, so that the product of both factors is exact.
  const auto is_middle = [](double number) { return number > 0x1p-400 && number < 0x1p400; };
  if (!power || !is_middle(gradient.unit) || !is_middle(gradient.factor)) return gradient;
  return {.floats = gradient.floats,
          .integers = gradient.integers,
          .unit = gradient.unit * gradient.factor,
          .factor = 1};
}

float take(const Gradient& gradient, std::size_t j) {
  if (gradient.integers != nullptr) {
    const double real = static_cast<double>(std::exchange(gradient.integers[j], 0)) * gradient.unit;
    return static_cast<float>(real * gradient.factor);
  }
  return gradient.floats == nullptr ? 0 : gradient.floats[j];
}

}  // namespace

HWY_EXPORT(adam_each);
HWY_EXPORT(descent_each);
HWY_EXPORT(momentum_each);
HWY_EXPORT(adagrad_each);

// The numbers after the last whole vector are moved one by one, by the same operations.

void adam_step(std::span<float> values, std::span<float> first, std::span<float> second,
               const Gradient& gradient, const AdamStep& step) {
  auto j = HWY_DYNAMIC_DISPATCH(adam_each)(values, first.data(), second.data(), shortest(gradient),
                                           step);
  for (; j < values.size(); ++j) {
    const float g = take(gradient, j);
    first[j] = step.first_decay * first[j] + (1 - step.first_decay) * g;
    second[j] = step.second_decay * second[j] + (1 - step.second_decay) * g * g;
    if (std::abs(first[j]) < no_moment) first[j] = 0;
    values[j] -= (step.rate / step.first_growth) * first[j] /
                 (std::sqrt((1 / step.second_growth) * second[j]) + step.stabiliser);
  }
}

void descent_step(std::span<float> values, const Gradient& gradient, float rate) {
  auto j = HWY_DYNAMIC_DISPATCH(descent_each)(values, shortest(gradient), rate);
  for (; j < values.size(); ++j) values[j] -= rate * take(gradient, j);
}

void momentum_step(std::span<float> values, std::span<float> velocity, const Gradient& gradient,
                   float rate, float momentum) {
  auto j = HWY_DYNAMIC_DISPATCH(momentum_each)(values, velocity.data(), shortest(gradient), rate,
                                               momentum);
  for (; j < values.size(); ++j) {
    velocity[j] = momentum * velocity[j] + take(gradient, j);
    if (std::abs(velocity[j]) < no_moment) velocity[j] = 0;
    values[j] -= rate * velocity[j];
  }
}

void adagrad_step(std::span<float> values, std::span<float> squares, const Gradient& gradient,
                  float rate, float stabiliser) {
  auto j = HWY_DYNAMIC_DISPATCH(adagrad_each)(values, squares.data(), shortest(gradient), rate,
                                              stabiliser);
  for (; j < values.size(); ++j) {
    const float g = take(gradient, j);
    squares[j] += g * g;
    values[j] -= rate * g / (std::sqrt(squares[j]) + stabiliser);
  }
}

}  // namespace tacet::numeric
#endif
