#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism::internal {

/// A bounded sum plus the integer noise that `add(claim, values)` adds on its grid, in real units.
/// `event`, which covers it, must have been debited.
template <typename Add>
[[nodiscard]] privacy::Released<std::vector<double>> with_noise(privacy::BoundedSum sum,
                                                                privacy::Event event,
                                                                random::BlockClaim claim,
                                                                const Add& add) {
  const auto access = AccessKeys::key();
  const double grid = sum.grid();
  std::vector<std::int64_t> values = std::move(sum).take(access);
  add(std::move(claim), std::span(values));
  return {access, in_real_units(values, grid), std::move(event)};
}

/// The same, and debits `reservation` by `event`, the cost of that noise, before a random bit is
/// drawn. A sample is claimed although the event does not use its secrecy, since other releases
/// from it might.
template <typename Add>
[[nodiscard]] privacy::Released<std::vector<double>> release_noisy_sum(
    privacy::BoundedSum sum, privacy::Event event, const ReleaseContext& context, const Add& add) {
  context.reservation.debit(event);
  sum.sample().claim();
  return with_noise(std::move(sum), std::move(event), context.claim(random::Purpose::noise), add);
}

/// The same with rounded Gaussian noise of `multiplier` times the bound of a contribution, in
/// `storage` if that is large enough.
[[nodiscard]] privacy::Released<std::vector<double>> with_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, privacy::Event event,
    NoiseAddress address, random::Source& source, std::vector<double> storage = {});

}  // namespace tacet::mechanism::internal
