#pragma once

#include "tacet/base/progress.h"

namespace tacet::base {

/// How much an accountant may compute before it gives up: events from a file can ask for more than
/// anybody will wait for. Work is counted, not timed, so that whether an answer is given depends on
/// no machine: a unit is about a nanosecond of an ordinary one. Not for several threads at once.
class WorkMeter {
 public:
  /// `seconds` of that many units each; above 0, infinity for no limit. `cancel`, if any, is looked
  /// at with every piece of work and must outlive the meter.
  explicit WorkMeter(double seconds, const CancelToken* cancel = nullptr);

  /// Counts a piece of work about to be done. GuaranteeError where the limit is reached, and
  /// Interrupted where the computation is to stop.
  void spend(double units);

  [[nodiscard]] double spent() const { return spent_; }

 private:
  double seconds_;
  double spent_ = 0;
  const CancelToken* cancel_;
};

/// Counts where there is a meter.
inline void spend(WorkMeter* work, double units) {
  if (work != nullptr) work->spend(units);
}

/// Units of a second.
inline constexpr double units_of_a_second = 1e9;

/// What the program allows where nothing else was asked for, in seconds.
inline constexpr double default_patience = 60;

}  // namespace tacet::base
