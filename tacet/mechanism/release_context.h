#pragma once

#include <cstdint>

#include "tacet/privacy/budget.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// Where the noise of a release comes from; each pair is used once.
struct NoiseAddress {
  std::uint64_t step = 0;
  std::uint64_t tensor = 0;
};

/// What every release needs besides the data: the address of its noise, the source that the noise
/// is drawn from, and the reservation that its event is debited from.
struct ReleaseContext {
  NoiseAddress address;
  random::Source& source;
  privacy::Reservation& reservation;

  /// For noise that takes at most `words` words and their continuations.
  [[nodiscard]] random::BlockClaim claim(random::Purpose purpose,
                                         std::int64_t words = random::max_block_words) const {
    return source.claim(purpose, address.step, address.tensor, words);
  }
};

}  // namespace tacet::mechanism
