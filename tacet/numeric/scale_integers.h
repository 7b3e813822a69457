#pragma once

#include <cstdint>
#include <span>

namespace tacet::numeric {

/// out[j] = integers[j] unit, rounded to a double: the same bits on every machine. Both spans have
/// the same size. `past_caches` writes to memory at once, for results larger than the caches, which
/// would be read before they are written otherwise.
void scale_integers(std::span<const std::int64_t> integers, double unit, std::span<double> out,
                    bool past_caches = false);

}  // namespace tacet::numeric
