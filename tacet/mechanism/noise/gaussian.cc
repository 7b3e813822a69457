#include "tacet/mechanism/noise/gaussian.h"

#include <utility>

#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/gaussian_reals.h"
#include "tacet/mechanism/noise/noise_event.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"

namespace tacet::mechanism {
namespace {

privacy::Released<std::vector<double>> with_gaussian(privacy::BoundedSum sum,
                                                     privacy::NoiseMultiplier multiplier,
                                                     privacy::Event event, NoiseAddress address,
                                                     random::Source& source) {
  const auto door = DoorKeeper::door();
  const double grid = sum.grid();
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  auto lease = internal::noise_lease(source, address, static_cast<std::int64_t>(sum.size()));
  std::vector<std::int64_t> values = std::move(sum).take(door);
  return {door, internal::gaussian_reals(values, grid, std::move(lease), sigma), std::move(event)};
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
