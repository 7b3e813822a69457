#include "tacet/mechanism/noise/weighted_gaussian.h"

#include <cstdint>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/noise/grid_values.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

privacy::Released<std::vector<double>> release_gaussian(privacy::WeightedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        ReleaseMeans means) {
  if (!sum.covers(means.reservation.guarantee().adjacency)) {
    throw base::InternalError(
        "a sum that is bounded under replace_one only was to be released "
        "under another adjacency");
  }
  for (const auto& block : sum.blocks()) {
    random::internal::check_gaussian_sigma(internal::noise_scale(multiplier.value(), block.scale));
  }
  privacy::Event event = privacy::Gaussian{multiplier.value()};
  means.reservation.debit(event);
  const auto door = DoorKeeper::door();
  const double grid = sum.grid();
  const auto blocks = sum.blocks();
  std::vector<std::int64_t> values = std::move(sum).take(door);
  std::span<std::int64_t> rest(values);
  for (const auto& block : blocks) {
    random::add_rounded_gaussian(
        means.lease(random::Purpose::noise, static_cast<std::int64_t>(block.count)),
        internal::noise_scale(multiplier.value(), block.scale), rest.first(block.count));
    rest = rest.subspan(block.count);
    ++means.address.tensor;
  }
  return {door, internal::in_real_units(values, grid), std::move(event)};
}

}  // namespace tacet::mechanism
