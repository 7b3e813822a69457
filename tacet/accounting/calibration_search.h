#pragma once

#include <functional>

#include "tacet/accounting/calibrate.h"

namespace tacet::accounting::internal {

/// The unknown of a calibration as a coordinate x. A larger x makes the event cheaper.
struct Unknown {
  std::function<Event(double)> event;
  double dearest;   ///< the smallest x allowed
  double cheapest;  ///< the largest
  double start;     ///< a start between them
  /// Moves x to the nearest value that the unknown can take, strictly between `dear` and `cheap`.
  /// If there is none, returns one of them.
  std::function<double(double dear, double x, double cheap)> snap;
  /// The relative shortfall of epsilon at which the search may stop.
  std::function<double(double)> enough;
};

/// The point at which the event costs the target's epsilon. `safe` was itself accounted, with the
/// default options, and keeps the target.
struct CheapestNoise {
  double safe;
  bool found;   ///< false: not even the cheapest x keeps the target
  bool at_end;  ///< even the dearest x keeps it
};

/// The smallest x that keeps the target. Either its cost falls short of epsilon by less than
/// enough(x) (or, if that is not 0, by less than its interval's width). Or an x smaller by 2e-4, or
/// the next x that the unknown can take, was accounted and exceeds the target. A Renyi bound finds
/// the neighbourhood, wide intervals a point in it, and a few accountings by the default options
/// decide.
[[nodiscard]] CheapestNoise cheapest_within(const Unknown& unknown,
                                            const CalibrationTarget& target);

}  // namespace tacet::accounting::internal
