#include "tacet/privacy/composition.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/privacy/gaussian.h"

namespace tacet::privacy {
namespace {

/// mu^2 of an event made of Gaussians, rounded up.
double squared_mu(const Event& event, Adjacency adjacency) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto up = [](double value) { return value == 0 ? 0 : std::nextafter(value, infinity); };
  if (const auto* gaussian = event.as<Gaussian>()) {
    if (std::isinf(gaussian->noise_multiplier)) return 0;
    const double mu = up(distance_factor(adjacency) / gaussian->noise_multiplier);
    return up(mu * mu);
  }
  if (const auto* repeated = event.as<Repeated>()) {
    const double base = squared_mu(*repeated->base, adjacency);
    return base == 0 ? 0 : up(up(static_cast<double>(repeated->count)) * base);
  }
  if (const auto* composed = event.as<Composed>()) {
    double sum = 0;
    for (const auto& part : composed->parts) sum = up(sum + squared_mu(part, adjacency));
    return sum;
  }
  throw base::GuaranteeError(fmt::format("no bound is proved here for the event '{}' under {}",
                                         kind_name(event), to_string(adjacency)));
}

}  // namespace

Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double square = squared_mu(event, adjacency);
  const double mu = square == 0 ? 0 : std::nextafter(std::sqrt(square), infinity);
  return {gaussian::epsilon(mu, delta), delta.value(), adjacency};
}

double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return account(event, adjacency, delta).epsilon;
}

}  // namespace tacet::privacy
