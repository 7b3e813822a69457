#pragma once

#include <cstdint>

namespace tacet::mechanism {

/// Where the noise of a release comes from; each pair is used once.
struct NoiseAddress {
  std::uint64_t step = 0;
  std::uint64_t tensor = 0;
};

}  // namespace tacet::mechanism
