#include "tacet/mechanism/gaussian.h"

#include <utility>

#include "tacet/mechanism/door_keeper.h"
#include "tacet/random/rounded_gaussian.h"

namespace tacet::mechanism {

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        NoiseAddress address,
                                                        random::Source& source,
                                                        privacy::Reservation& reservation) {
  const privacy::Event noise = privacy::Gaussian{multiplier.value()};
  const double rate = sum.sampling_rate().value();
  const privacy::Event event =
      rate == 1 ? noise : privacy::Event(privacy::PoissonSampled{rate, noise});
  reservation.debit(event);
  const double grid = sum.grid();
  // Exact: the bound is a power of two wherever clipping sets it.
  const double sigma = multiplier.value() * static_cast<double>(sum.contribution_bound());
  const auto door = DoorKeeper::door();
  std::vector<std::int64_t> values = std::move(sum).take(door);
  random::add_rounded_gaussian(source.lease(random::Purpose::noise, address.step, address.tensor),
                               sigma, values);
  std::vector<double> released;
  released.reserve(values.size());
  for (const std::int64_t value : values) released.push_back(static_cast<double>(value) * grid);
  return {door, std::move(released), event};
}

}  // namespace tacet::mechanism
