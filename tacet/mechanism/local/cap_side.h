#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/mechanism/local/sphere_cap.h"

namespace tacet::mechanism {

/// A direction and its norm, for the comparisons below. Its integers are at most 2^30.
struct CapDirection {
  std::vector<double> integers;
  double norm;  ///< with a relative error of at most d 2^-53
};

[[nodiscard]] CapDirection make_direction(std::span<const std::int64_t> integers);

/// The arithmetic that decides a comparison. The answers are the same.
enum class CapArithmetic { doubles_first, exact_only };

/// Whether the candidate lies inside the direction's cap, decided exactly: by doubles with an error
/// bound, or by integers of any length if these are too close. The candidate's integers are below
/// 2^31, and not all are 0.
[[nodiscard]] bool inside_cap(const SphereCap& cap, std::span<const std::int64_t> candidate,
                              const CapDirection& direction,
                              CapArithmetic arithmetic = CapArithmetic::doubles_first);

}  // namespace tacet::mechanism
