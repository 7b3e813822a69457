#pragma once

#include <cstdint>

#include "tacet/privacy/budget.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// The address of a release's noise; each pair is used once.
struct NoiseAddress {
  std::uint64_t step = 0;
  std::uint64_t tensor = 0;
};

/// The inputs of every release besides the data: the address of its noise, the source of the noise,
/// and the reservation from which its event is debited.
struct ReleaseContext {
  NoiseAddress address;
  random::Source& source;
  privacy::Reservation& reservation;

  /// A claim for noise that takes at most `words` words and their continuations.
  [[nodiscard]] random::BlockClaim claim(random::Purpose purpose,
                                         std::int64_t words = random::max_block_words) const {
    return source.claim(purpose, address.step, address.tensor, words);
  }
};

}  // namespace tacet::mechanism
