#include "tacet/numeric/adam.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tacet/numeric/adam.cc"
#include <hwy/foreach_target.h>
// foreach_target.h must come before highway.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tacet::numeric {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void adam_one(float& value, float& first, float& second, float gradient,
                         const AdamStep& step) {
  first = step.first_decay * first + (1 - step.first_decay) * gradient;
  second = step.second_decay * second + (1 - step.second_decay) * gradient * gradient;
  if (std::abs(first) < no_moment) first = 0;
  value -= (step.rate / step.first_growth) * first /
           (std::sqrt((1 / step.second_growth) * second) + step.stabiliser);
}

void adam_each(float* values, float* first, float* second, const float* gradient, std::size_t size,
               const AdamStep& step) {
  const hn::ScalableTag<float> d;
  const auto d1 = hn::Set(d, step.first_decay);
  const auto d2 = hn::Set(d, step.second_decay);
  const auto one1 = hn::Set(d, 1 - step.first_decay);
  const auto one2 = hn::Set(d, 1 - step.second_decay);
  const auto rate = hn::Set(d, step.rate / step.first_growth);
  const auto growth = hn::Set(d, 1 / step.second_growth);
  const auto stabiliser = hn::Set(d, step.stabiliser);
  const auto least = hn::Set(d, no_moment);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    const auto g = gradient == nullptr ? hn::Zero(d) : hn::LoadU(d, gradient + j);
    auto m = hn::Add(hn::Mul(d1, hn::LoadU(d, first + j)), hn::Mul(one1, g));
    const auto v = hn::Add(hn::Mul(d2, hn::LoadU(d, second + j)), hn::Mul(hn::Mul(one2, g), g));
    m = hn::IfThenElse(hn::Lt(hn::Abs(m), least), hn::Zero(d), m);
    hn::StoreU(m, d, first + j);
    hn::StoreU(v, d, second + j);
    const auto way = hn::Div(hn::Mul(rate, m), hn::Add(hn::Sqrt(hn::Mul(growth, v)), stabiliser));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  }
  for (; j < size; ++j) {
    adam_one(values[j], first[j], second[j], gradient == nullptr ? 0 : gradient[j], step);
  }
}

void descent_each(float* values, const float* gradient, std::size_t size, float rate) {
  const hn::ScalableTag<float> d;
  const auto r = hn::Set(d, rate);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    const auto way = hn::Mul(r, hn::LoadU(d, gradient + j));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  }
  for (; j < size; ++j) values[j] -= rate * gradient[j];
}

void momentum_each(float* values, float* velocity, const float* gradient, std::size_t size,
                   float rate, float momentum) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    auto v = hn::Add(hn::Mul(hn::Set(d, momentum), hn::LoadU(d, velocity + j)),
                     hn::LoadU(d, gradient + j));
    v = hn::IfThenElse(hn::Lt(hn::Abs(v), hn::Set(d, no_moment)), hn::Zero(d), v);
    hn::StoreU(v, d, velocity + j);
    const auto way = hn::Mul(hn::Set(d, rate), v);
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  }
  for (; j < size; ++j) {
    velocity[j] = momentum * velocity[j] + gradient[j];
    if (std::abs(velocity[j]) < no_moment) velocity[j] = 0;
    values[j] -= rate * velocity[j];
  }
}

void adagrad_each(float* values, float* squares, const float* gradient, std::size_t size,
                  float rate, float stabiliser) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= size; j += lanes) {
    const auto g = hn::LoadU(d, gradient + j);
    const auto sum = hn::Add(hn::LoadU(d, squares + j), hn::Mul(g, g));
    hn::StoreU(sum, d, squares + j);
    const auto way =
        hn::Div(hn::Mul(hn::Set(d, rate), g), hn::Add(hn::Sqrt(sum), hn::Set(d, stabiliser)));
    hn::StoreU(hn::Sub(hn::LoadU(d, values + j), way), d, values + j);
  }
  for (; j < size; ++j) {
    squares[j] += gradient[j] * gradient[j];
    values[j] -= rate * gradient[j] / (std::sqrt(squares[j]) + stabiliser);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tacet::numeric
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tacet::numeric {

HWY_EXPORT(adam_each);
HWY_EXPORT(descent_each);
HWY_EXPORT(momentum_each);
HWY_EXPORT(adagrad_each);

void adam_step(std::span<float> values, std::span<float> first, std::span<float> second,
               std::span<const float> gradient, const AdamStep& step) {
  HWY_DYNAMIC_DISPATCH(adam_each)
  (values.data(), first.data(), second.data(), gradient.empty() ? nullptr : gradient.data(),
   values.size(), step);
}

void descent_step(std::span<float> values, std::span<const float> gradient, float rate) {
  HWY_DYNAMIC_DISPATCH(descent_each)(values.data(), gradient.data(), values.size(), rate);
}

void momentum_step(std::span<float> values, std::span<float> velocity,
                   std::span<const float> gradient, float rate, float momentum) {
  HWY_DYNAMIC_DISPATCH(momentum_each)
  (values.data(), velocity.data(), gradient.data(), values.size(), rate, momentum);
}

void adagrad_step(std::span<float> values, std::span<float> squares,
                  std::span<const float> gradient, float rate, float stabiliser) {
  HWY_DYNAMIC_DISPATCH(adagrad_each)
  (values.data(), squares.data(), gradient.data(), values.size(), rate, stabiliser);
}

}  // namespace tacet::numeric
#endif
