#pragma once

#include <cstdint>

#include "tacet/random/source.h"

namespace tacet::random {

/// Uniform on 0, ..., n - 1, exactly. n = 0 is a UsageError.
[[nodiscard]] std::uint64_t uniform_below(Stream& stream, std::uint64_t n);

/// True with probability numerator / denominator, exactly. A UsageError unless
/// 0 <= numerator <= denominator and denominator > 0.
[[nodiscard]] bool bernoulli(Stream& stream, std::uint64_t numerator, std::uint64_t denominator);

}  // namespace tacet::random
