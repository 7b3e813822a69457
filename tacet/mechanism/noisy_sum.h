#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tacet/mechanism/door_keeper.h"
#include "tacet/mechanism/grid_values.h"
#include "tacet/mechanism/noise_address.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/released.h"
#include "tacet/random/source.h"

namespace tacet::mechanism::internal {

/// A bounded sum plus the integer noise that `add(lease, values)` adds on its grid, in real units.
/// Debits `reservation` by `event`, which must be what that noise costs, before a random bit is
/// drawn.
template <typename Add>
[[nodiscard]] privacy::Released<std::vector<double>> release_noisy_sum(
    privacy::BoundedSum sum, privacy::Event event, NoiseAddress address, random::Source& source,
    privacy::Reservation& reservation, const Add& add) {
  reservation.debit(event);
  const auto door = DoorKeeper::door();
  const double grid = sum.grid();
  std::vector<std::int64_t> values = std::move(sum).take(door);
  add(source.lease(random::Purpose::noise, address.step, address.tensor), std::span(values));
  return {door, in_real_units(values, grid), std::move(event)};
}

}  // namespace tacet::mechanism::internal
