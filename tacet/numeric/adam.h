#pragma once

#include <cstdint>
#include <span>

namespace tacet::numeric {

/// The gradient of a step: floats, or released integers, or zeros if it has neither. Integer j
/// means (integers[j] unit) factor, where each product is rounded to a double and the last one to a
/// float. A step leaves zeros in place of the integers; the next noise is added to them.
struct Gradient {
  const float* floats = nullptr;
  std::int64_t* integers = nullptr;
  double unit = 0;
  double factor = 0;
};

/// Constants of one step of Adam (Kingma, Ba 2015).
struct AdamStep {
  float rate = 0;
  float first_decay = 0;
  float second_decay = 0;
  float first_growth = 1;   ///< 1 - first_decay^t after t steps
  float second_growth = 1;  ///< 1 - second_decay^t after t steps
  float stabiliser = 0;
};

/// First moments below this are set to 0: they are too small to change a number.
inline constexpr float no_moment = 1e-30F;

/// One step of Adam. All spans have the same size. The bits are the same on every machine, because
/// every operation is rounded to float, in the order
///
///     first = d1 first + (1 - d1) g        (0 where it is below no_moment)
///     second = d2 second + ((1 - d2) g) g
///     value -= ((rate / growth1) first) / (sqrt((1 / growth2) second) + stabiliser)
///
/// where the numbers in inner brackets are floats that are computed once.
void adam_step(std::span<float> values, std::span<float> first, std::span<float> second,
               const Gradient& gradient, const AdamStep& step);

/// Plain gradient descent, rounded in the same manner:
///
///     value -= rate g
void descent_step(std::span<float> values, const Gradient& gradient, float rate);

/// Heavy-ball momentum:
///
///     velocity = momentum velocity + g     (0 where it is below no_moment)
///     value -= rate velocity
void momentum_step(std::span<float> values, std::span<float> velocity, const Gradient& gradient,
                   float rate, float momentum);

/// Adagrad's (Duchi, Hazan, Singer 2011):
///
///     squares += g g
///     value -= (rate g) / (sqrt(squares) + stabiliser)
void adagrad_step(std::span<float> values, std::span<float> squares, const Gradient& gradient,
                  float rate, float stabiliser);

}  // namespace tacet::numeric
