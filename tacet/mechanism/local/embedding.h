#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacet/mechanism/local/local_spec.h"

namespace tacet::mechanism {

/// The embedding that `automatic` stands for at this dimension and epsilon.
[[nodiscard]] Embedding resolved_embedding(Embedding embedding, std::int64_t dimension,
                                           double epsilon);

/// The integer vector g with a further coordinate floor(sqrt(bound^2 - |g|^2)): its norm is `bound`
/// up to that rounding. |g| <= bound <= 2^30. Never all zeros.
[[nodiscard]] std::vector<std::int64_t> lifted(std::span<const std::int64_t> g, std::int64_t bound);

/// Returns 64 further random bits at every call.
using WordSource = std::function<std::uint64_t()>;

/// +g with probability (1 + |g| / bound) / 2, else -g, exactly; for g = 0 the first coordinate is
/// +1 or -1. So the mean of the direction is g / bound.
/// g| <= bound <= 2^30.
[[nodiscard]] std::vector<std::int64_t> with_random_sign(std::span<const std::int64_t> g,
                                                         std::int64_t bound,
                                                         const WordSource& words);

/// True with the probability sqrt(square) / bound, exactly. 0 <= square <= bound^2 <= 2^60.
[[nodiscard]] bool root_bernoulli(std::int64_t square, std::int64_t bound, const WordSource& words);

/// floor(sqrt(value)) for 0 <= value <= 2^62.
[[nodiscard]] std::int64_t integer_root(std::int64_t value);

}  // namespace tacet::mechanism
