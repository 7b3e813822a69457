#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/mechanism/noise_address.h"
#include "tacet/random/choose/subset.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {

/// `count` of `population` candidates, all subsets alike, ascending: the selection that looks at no
/// record and costs nothing. A UsageError unless 0 <= count <= population.
[[nodiscard]] inline std::vector<std::int64_t> choose_uniformly(std::int64_t count,
                                                                std::int64_t population,
                                                                NoiseAddress address,
                                                                random::Source& source) {
  return random::uniform_subset(
      source.claim(random::Purpose::selection, address.step, address.tensor), count, population);
}

}  // namespace tacet::mechanism
