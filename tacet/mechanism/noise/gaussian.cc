#include "tacet/mechanism/noise/gaussian.h"

#include <utility>

#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {
namespace {

privacy::Released<std::vector<double>> with_gaussian(privacy::BoundedSum sum,
                                                     privacy::NoiseMultiplier multiplier,
                                                     privacy::Event event, NoiseAddress address,
                                                     random::Source& source) {
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  auto lease = internal::noise_lease(source, address, static_cast<std::int64_t>(sum.size()));
  return internal::with_noise(std::move(sum), std::move(event), std::move(lease),
                              [&](random::Lease words, std::span<std::int64_t> values) {
                                random::add_rounded_gaussian(std::move(words), sigma, values);
                              });
}

}  // namespace

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        NoiseAddress address,
                                                        random::Source& source,
                                                        privacy::Reservation& reservation) {
  // The rounded noise is a rounding of the real mechanism: docs/proofs/gradient.md, section 2.
  auto event =
      internal::debit_sampled(sum.sample(), privacy::Gaussian{multiplier.value()}, reservation);
  return with_gaussian(std::move(sum), multiplier, std::move(event), address, source);
}

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        NoiseAddress address,
                                                        random::Source& source,
                                                        SamplePermit& permit) {
  permit.take(sum.sample(), privacy::Gaussian{multiplier.value()});
  return with_gaussian(std::move(sum), multiplier, permit.event(), address, source);
}

}  // namespace tacet::mechanism
