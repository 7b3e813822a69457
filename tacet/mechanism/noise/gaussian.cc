#include "tacet/mechanism/noise/gaussian.h"

#include <cstdint>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/gaussian_reals.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {
namespace {

/// In grid units.
double checked_sigma(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  const double sigma =
      internal::noise_scale(multiplier.value(), static_cast<double>(sum.contribution_bound()));
  random::internal::check_gaussian_sigma(sigma);
  return sigma;
}

}  // namespace

privacy::Event gaussian_event(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  static_cast<void>(checked_sigma(sum, multiplier));
  // The rounded noise is a rounding of the real mechanism: docs/proofs/gradient.md, section 2.
  return sum.sample().event(privacy::Gaussian{multiplier.value()});
}

privacy::Released<std::vector<double>> internal::with_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, privacy::Event event,
    NoiseAddress address, random::Source& source, std::vector<double> storage) {
  const auto access = AccessKeys::key();
  const double grid = sum.grid();
  const double sigma = checked_sigma(sum, multiplier);
  auto claim = source.claim(random::Purpose::noise, address.step, address.tensor,
                            static_cast<std::int64_t>(sum.size()));
  const std::vector<std::int64_t> values = std::move(sum).take(access);
  return {access, gaussian_reals(values, grid, std::move(claim), sigma, std::move(storage)),
          std::move(event)};
}

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        const ReleaseContext& context,
                                                        std::vector<double> storage) {
  auto event = gaussian_event(sum, multiplier);
  context.reservation.debit(event);
  sum.sample().claim();
  return internal::with_gaussian(std::move(sum), multiplier, std::move(event), context.address,
                                 context.source, std::move(storage));
}

privacy::Released<std::vector<double>> release_gaussian(privacy::BoundedSum sum,
                                                        privacy::NoiseMultiplier multiplier,
                                                        const PermitContext& context) {
  static_cast<void>(checked_sigma(sum, multiplier));
  context.permit.take(sum.sample(), privacy::Gaussian{multiplier.value()});
  return internal::with_gaussian(std::move(sum), multiplier, context.permit.event(),
                                 context.address, context.source);
}

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
