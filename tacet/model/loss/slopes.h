#pragma once

#include <cstddef>
#include <span>

namespace tacet::model {

/// Predictions u in, slopes of the loss at them out, labels beside: the bits of `loss.slope` one by
/// one. A family whose slope takes an exponential says how many are taken at once (`slope_each`);
/// of the others the compiler makes vectors.
template <typename LossType>
void slope_each(const LossType& loss, std::span<double> u, std::span<const double> y) {
  if constexpr (requires { loss.slope_each(u, y); }) {
    loss.slope_each(u, y);
  } else {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = loss.slope(u[i], y[i]);
  }
}

}  // namespace tacet::model
