#include "tacet/mechanism/crossings.h"

#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise_event.h"
#include "tacet/random/crossings.h"

namespace tacet::mechanism {

privacy::Released<std::vector<std::int64_t>> release_crossings(const privacy::SparseBoundedSum& sum,
                                                               privacy::NoiseMultiplier multiplier,
                                                               std::int64_t threshold,
                                                               NoiseAddress address,
                                                               random::Source& source,
                                                               privacy::Reservation& reservation) {
  const auto event =
      internal::sampled_event(privacy::Gaussian{multiplier.value()}, sum.sampling_rate());
  reservation.debit(event);
  const auto door = DoorKeeper::door();
  // Exact: the bound is a power of two wherever clipping sets it.
  const double sigma = multiplier.value() * static_cast<double>(sum.contribution_bound());
  auto found = random::gaussian_crossings(
      source.lease(random::Purpose::selection, address.step, address.tensor), sum.size(),
      sum.open(door), sigma, threshold);
  return {door, std::move(found), event};
}

}  // namespace tacet::mechanism
