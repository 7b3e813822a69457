#pragma once

#include <functional>

namespace tacet::accounting::pld {

/// On which side of the root of a decreasing function the result must lie.
enum class Side {
  above,  ///< f <= target
  below   ///< f >= target
};

struct RootSearch {
  double guess;  ///< of the root, at least 0
  double slope;  ///< a guess of f's slope near it, negative
  double target;
  Side side;
  double accuracy;  ///< relative accuracy of the root
};

/// Solves f(x) = target for a decreasing f on [0, infinity) by secants inside a growing bracket.
/// Returns an x on the side asked for; infinity (above) or 0 (below) where none is found. Left of
/// the root f may be minus infinity (a lower bound that is useless there); the search avoids such
/// points.
[[nodiscard]] double solve_decreasing(const std::function<double(double)>& f,
                                      const RootSearch& search);

}  // namespace tacet::accounting::pld
