#pragma once

#include <cstdint>

namespace tacet::data {

/// Readers look every so many rows whether they are to stop.
inline constexpr std::int64_t rows_between_checks = 4096;

}  // namespace tacet::data
