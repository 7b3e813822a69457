#pragma once

#include <cstdint>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::test {

/// A source, and a budget that books whatever is asked for.
struct Spender {
  random::SeededSource source;
  privacy::TrustingBudget budget;
  privacy::Reservation reservation;
  std::uint64_t step = 0;

  Spender(std::uint64_t seed, const privacy::Event& event, privacy::Adjacency adjacency,
          std::int64_t times)
      : source(seed),
        budget(adjacency),
        reservation(budget.reserve(privacy::Repeated{times, event}, {1, 0, adjacency})) {}
  mechanism::NoiseAddress next() { return {.step = step++}; }
};

}  // namespace tacet::test
