#pragma once

#include <limits>

namespace tacet::numeric {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace tacet::numeric
