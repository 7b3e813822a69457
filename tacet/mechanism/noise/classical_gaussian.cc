#include "tacet/mechanism/noise/classical_gaussian.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/adjacency.h"

namespace tacet::mechanism {

privacy::NoiseMultiplier classical_gaussian_multiplier(privacy::Epsilon epsilon,
                                                       privacy::Delta delta,
                                                       privacy::Adjacency adjacency) {
  if (!(epsilon.value() > 0 && epsilon.value() < 1)) {
    throw base::GuaranteeError(fmt::format(
        "the classical Gaussian mechanism is proved for epsilon above 0 and below 1, got {}; use "
        "the exact calibration, which also needs less noise",
        epsilon.value()));
  }
  if (delta.value() == 0) {
    throw base::GuaranteeError(
        "Gaussian noise has no guarantee at delta 0; allow a delta above 0, or use Laplace noise");
  }
  // Four roundings and the logarithm's error stay below 2^-48.
  const double sigma = std::sqrt(2 * std::log(1.25 / delta.value())) / epsilon.value();
  return privacy::NoiseMultiplier(privacy::distance_factor(adjacency) * sigma * (1 + 0x1p-48));
}

}  // namespace tacet::mechanism
