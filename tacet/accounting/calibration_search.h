#pragma once

#include <functional>

#include "tacet/accounting/calibrate.h"

namespace tacet::accounting::internal {

/// The unknown as a coordinate x whose growth makes the event cheaper.
struct Unknown {
  std::function<Event(double)> event;
  double dearest;   ///< the smallest x allowed
  double cheapest;  ///< the largest
  double start;     ///< any x between them
  /// Moves x to the nearest value that the unknown can take, strictly between the other two where
  /// there is one (where not, x comes to one of them).
  std::function<double(double dear, double x, double cheap)> snap;
  /// Relative shortfall of epsilon at which a search may stop.
  std::function<double(double)> enough;
};

/// Where the event costs the target's epsilon. `safe` was itself accounted, by the default options,
/// and found within the target.
struct CheapestNoise {
  double safe;
  bool found;   ///< false: not even the cheapest x keeps the target
  bool at_end;  ///< even the dearest x keeps it
};

/// The smallest x that keeps the target: what it spends falls short of epsilon by less than
/// enough(x) or, where that is not 0, its interval's own width, or an x smaller by 2e-4 (or the
/// next one that the unknown can take) was accounted and exceeds it. A Renyi bound finds the
/// neighbourhood, wide intervals a point in it, and a few accountings by the default options
/// decide.
[[nodiscard]] CheapestNoise cheapest_within(const Unknown& unknown,
                                            const CalibrationTarget& target);

}  // namespace tacet::accounting::internal
