#include "tacet/numeric/adam.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

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

// Gradients, a vector or a number at a time.
struct Zeros {
  static constexpr bool by_vectors = true;

  HWY_INLINE hn::Vec<Tag> take(Tag d, std::size_t /*j*/) const { return hn::Zero(d); }
  HWY_INLINE float take(std::size_t /*j*/) const { return 0; }
};
struct Floats {
  static constexpr bool by_vectors = true;
  const float* numbers;

  HWY_INLINE hn::Vec<Tag> take(Tag d, std::size_t j) const { return hn::LoadU(d, numbers + j); }
  HWY_INLINE float take(std::size_t j) const { return numbers[j]; }
};
/// By one product or by both.
template <bool both>
struct Integers {
  // Highway's emulated vectors give the largest float where all others give infinity.
  static constexpr bool by_vectors = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;
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
  HWY_INLINE float take(std::size_t j) const {
    double real = static_cast<double>(numbers[j]) * unit;
    numbers[j] = 0;
    if constexpr (both) real *= factor;
    return static_cast<float>(real);
  }
};

/// many(j) for each whole vector, one(j) for each number behind them.
template <class Gradient, class Many, class One>
HWY_INLINE void for_each(std::size_t size, const Many& many, const One& one) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t j = 0;
  if constexpr (Gradient::by_vectors) {
    for (; j + lanes <= size; j += lanes) many(j);
  }
  for (; j < size; ++j) one(j);
}

HWY_INLINE void adam_one(float& value, float& first, float& second, float gradient,
                         const AdamStep& step) {
  first = step.first_decay * first + (1 - step.first_decay) * gradient;
  second = step.second_decay * second + (1 - step.second_decay) * gradient * gradient;
  if (std::abs(first) < no_moment) first = 0;
  value -= (step.rate / step.first_growth) * first /
           (std::sqrt((1 / step.second_growth) * second) + step.stabiliser);
}

template <class Gradient>
HWY_INLINE void adam_along(float* values, float* first, float* second, Gradient gradient,
                           std::size_t size, const AdamStep& step) {
  const Tag d;
  const auto d1 = hn::Set(d, step.first_decay);
  const auto d2 = hn::Set(d, step.second_decay);
  const auto one1 = hn::Set(d, 1 - step.first_decay);
  const auto one2 = hn::Set(d, 1 - step.second_decay);
  const auto rate = hn::Set(d, step.rate / step.first_growth);
  const auto growth = hn::Set(d, 1 / step.second_growth);
  const auto stabiliser = hn::Set(d, step.stabiliser);
  const auto least = hn::Set(d, no_moment);
  const auto many = [&](std::size_t j) HWY_ATTR {
    const auto g = gradient.take(d, j);
    auto m = hn::Add(hn::Mul(d1, hn::LoadU(d, first + j)), hn::Mul(one1, g));
    const auto v = hn::Add(hn::Mul(d2, hn::LoadU(d, second + j)), hn::Mul(hn::Mul(one2, g), g));
    m = hn::IfThenElse(hn::Lt(hn::Abs(m), least), hn::Zero(d), m);
    hn::StoreU(m, d, first + j);
    hn::StoreU(v, d, second + j);
    const auto way = hn::Div(hn::Mul(rate, m), hn::Add(hn::Sqrt(hn::Mul(growth, v)), stabiliser));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  };
  for_each<Gradient>(size, many, [&](std::size_t j) HWY_ATTR {
    adam_one(values[j], first[j], second[j], gradient.take(j), step);
  });
}

template <class Gradient>
HWY_INLINE void descent_along(float* values, Gradient gradient, std::size_t size, float rate) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  const auto many = [&](std::size_t j) HWY_ATTR {
    const auto way = hn::Mul(r, gradient.take(d, j));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  };
  for_each<Gradient>(size, many,
                     [&](std::size_t j) HWY_ATTR { values[j] -= rate * gradient.take(j); });
}

template <class Gradient>
HWY_INLINE void momentum_along(float* values, float* velocity, Gradient gradient, std::size_t size,
                               float rate, float momentum) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  const auto decay = hn::Set(d, momentum);
  const auto least = hn::Set(d, no_moment);
  const auto many = [&](std::size_t j) HWY_ATTR {
    auto v = hn::Add(hn::Mul(decay, hn::LoadU(d, velocity + j)), gradient.take(d, j));
    v = hn::IfThenElse(hn::Lt(hn::Abs(v), least), hn::Zero(d), v);
    hn::StoreU(v, d, velocity + j);
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), hn::Mul(r, v)), d, values + j);
  };
  for_each<Gradient>(size, many, [&](std::size_t j) HWY_ATTR {
    velocity[j] = momentum * velocity[j] + gradient.take(j);
    if (std::abs(velocity[j]) < no_moment) velocity[j] = 0;
    values[j] -= rate * velocity[j];
  });
}

template <class Gradient>
HWY_INLINE void adagrad_along(float* values, float* squares, Gradient gradient, std::size_t size,
                              float rate, float stabiliser) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  const auto least = hn::Set(d, stabiliser);
  const auto many = [&](std::size_t j) HWY_ATTR {
    const auto g = gradient.take(d, j);
    const auto sum = hn::Add(hn::LoadU(d, squares + j), hn::Mul(g, g));
    hn::StoreU(sum, d, squares + j);
    const auto way = hn::Div(hn::Mul(r, g), hn::Add(hn::Sqrt(sum), least));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  };
  for_each<Gradient>(size, many, [&](std::size_t j) HWY_ATTR {
    const float g = gradient.take(j);
    squares[j] += g * g;
    values[j] -= rate * g / (std::sqrt(squares[j]) + stabiliser);
  });
}

/// step(the gradient by vectors).
template <class Step>
HWY_INLINE void along(const Gradient& gradient, const Step& step) {
  const auto [floats, integers, unit, factor] = gradient;
  if (integers != nullptr) {
    return factor == 1 ? step(Integers<false>{integers, unit, factor})
                       : step(Integers<true>{integers, unit, factor});
  }
  if (floats != nullptr) return step(Floats{floats});
  step(Zeros{});
}

void adam_each(std::span<float> values, float* first, float* second, const Gradient& gradient,
               const AdamStep& step) {
  along(gradient,
        [&](auto g) HWY_ATTR { adam_along(values.data(), first, second, g, values.size(), step); });
}

void descent_each(std::span<float> values, const Gradient& gradient, float rate) {
  along(gradient, [&](auto g) HWY_ATTR { descent_along(values.data(), g, values.size(), rate); });
}

void momentum_each(std::span<float> values, float* velocity, const Gradient& gradient, float rate,
                   float momentum) {
  along(gradient, [&](auto g) HWY_ATTR {
    momentum_along(values.data(), velocity, g, values.size(), rate, momentum);
  });
}

void adagrad_each(std::span<float> values, float* squares, const Gradient& gradient, float rate,
                  float stabiliser) {
  along(gradient, [&](auto g) HWY_ATTR {
    adagrad_along(values.data(), squares, g, values.size(), rate, stabiliser);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

namespace {

/// The same gradient by one product where the unit is a power of two, as a product with that is not
/// rounded.
Gradient shortest(const Gradient& gradient) {
  int exponent = 0;
  const bool power = std::frexp(gradient.unit, &exponent) == 0.5;
  // Far from numbers that have fewer bits.
  const auto is_middle = [](double number) { return number > 0x1p-400 && number < 0x1p400; };
  if (!power || !is_middle(gradient.unit) || !is_middle(gradient.factor)) return gradient;
  return {.floats = gradient.floats,
          .integers = gradient.integers,
          .unit = gradient.unit * gradient.factor,
          .factor = 1};
}

}  // namespace

HWY_EXPORT(adam_each);
HWY_EXPORT(descent_each);
HWY_EXPORT(momentum_each);
HWY_EXPORT(adagrad_each);

void adam_step(std::span<float> values, std::span<float> first, std::span<float> second,
               const Gradient& gradient, const AdamStep& step) {
  HWY_DYNAMIC_DISPATCH(adam_each)(values, first.data(), second.data(), shortest(gradient), step);
}

void descent_step(std::span<float> values, const Gradient& gradient, float rate) {
  HWY_DYNAMIC_DISPATCH(descent_each)(values, shortest(gradient), rate);
}

void momentum_step(std::span<float> values, std::span<float> velocity, const Gradient& gradient,
                   float rate, float momentum) {
  HWY_DYNAMIC_DISPATCH(momentum_each)(values, velocity.data(), shortest(gradient), rate, momentum);
}

void adagrad_step(std::span<float> values, std::span<float> squares, const Gradient& gradient,
                  float rate, float stabiliser) {
  HWY_DYNAMIC_DISPATCH(adagrad_each)(values, squares.data(), shortest(gradient), rate, stabiliser);
}

}  // namespace tacet::numeric
#endif
