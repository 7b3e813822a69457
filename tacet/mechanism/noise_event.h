#pragma once

#include <utility>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::mechanism::internal {

/// The event of noise on a sum over a secret Poisson sample of that rate; 1: over all records.
[[nodiscard]] inline privacy::Event sampled_event(privacy::Event noise,
                                                  privacy::SamplingRate rate) {
  if (rate.value() == 1) return noise;
  return privacy::PoissonSampled{rate.value(), std::move(noise)};
}

}  // namespace tacet::mechanism::internal
