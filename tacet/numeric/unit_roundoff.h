#pragma once

namespace tacet::numeric {

/// The largest relative error of a rounded double.
inline constexpr double unit_roundoff = 0x1p-53;

}  // namespace tacet::numeric
