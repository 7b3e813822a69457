#pragma once

#include <cstdint>
#include <span>

#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism::internal {

/// A point of a grid whose runs of equal scores are given in order, drawn with probability
/// proportional to exp(-epsilon score / (2 sensitivity)), exactly.
[[nodiscard]] std::int64_t choose_point(std::span<const random::WeightedLevel> runs,
                                        RationalEpsilon epsilon, std::int64_t sensitivity,
                                        random::Stream& stream);

}  // namespace tacet::mechanism::internal
