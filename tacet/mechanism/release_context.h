#pragma once

#include "tacet/mechanism/noise_address.h"
#include "tacet/privacy/budget.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

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
