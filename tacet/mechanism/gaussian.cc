#include "tacet/mechanism/gaussian.h"

#include <utility>

#include "tacet/mechanism/noise_event.h"
#include "tacet/mechanism/noisy_sum.h"
#include "tacet/random/rounded_gaussian.h"

namespace tacet::mechanism {

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        NoiseAddress address,
                                                        random::Source& source,
                                                        privacy::Reservation& reservation) {
  const auto event =
      internal::sampled_event(privacy::Gaussian{multiplier.value()}, sum.sampling_rate());
  // Exact: the bound is a power of two wherever clipping sets it.
  const double sigma = multiplier.value() * static_cast<double>(sum.contribution_bound());
  return internal::release_noisy_sum(std::move(sum), event, address, source, reservation,
                                     [&](random::Lease lease, std::span<std::int64_t> values) {
                                       random::add_rounded_gaussian(std::move(lease), sigma,
                                                                    values);
                                     });
}

}  // namespace tacet::mechanism
