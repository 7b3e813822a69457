#pragma once

#include <cstdint>
#include <functional>

#include "tacet/random/source/source.h"

namespace tacet::random {

/// Uniform on 0, ..., n - 1, exactly. n = 0 is a UsageError.
[[nodiscard]] std::uint64_t uniform_below(Stream& stream, std::uint64_t n);

/// True with exactly the probability that the double is, however small. A UsageError unless
/// 0 <= probability <= 1. Pass the smaller of two complementary probabilities: 1 - p rounds.
[[nodiscard]] bool bernoulli_real(Stream& stream, double probability);
/// The same from words of any source, at most 18 of them.
[[nodiscard]] bool bernoulli_real(const std::function<std::uint64_t()>& next, double probability);

}  // namespace tacet::random
