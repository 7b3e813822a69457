#include "tacet/mechanism/noise/weighted_gaussian.h"

#include <cstdint>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/grid_values.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

privacy::Released<std::vector<double>> release_gaussian(privacy::WeightedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        ReleaseContext context) {
  if (!sum.covers(context.reservation.guarantee().adjacency)) {
    throw base::InternalError(
        "a sum that is bounded under replace_one only was to be released "
        "under another adjacency");
  }
  for (const auto& block : sum.blocks()) {
    random::internal::check_gaussian_sigma(internal::noise_scale(multiplier.value(), block.scale));
  }
  privacy::Event event = privacy::Gaussian{multiplier.value()};
  context.reservation.debit(event);
  const auto access = AccessKeys::key();
  const double grid = sum.grid();
  const auto blocks = sum.blocks();
  std::vector<std::int64_t> values = std::move(sum).take(access);
  std::span<std::int64_t> rest(values);
  for (const auto& block : blocks) {
    random::add_rounded_gaussian(
        context.claim(random::Purpose::noise, static_cast<std::int64_t>(block.count)),
        internal::noise_scale(multiplier.value(), block.scale), rest.first(block.count));
    rest = rest.subspan(block.count);
    ++context.address.tensor;
  }
  return {access, internal::in_real_units(values, grid), std::move(event)};
}

}  // namespace tacet::mechanism
