#pragma once

#include <functional>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting {

/// Filters whose caps grow by `factor` from `first` on, for sums in one currency (rho, mu^2, ...).
struct GrowingCaps {
  double first;       ///< the first cap: public, positive
  double factor = 2;  ///< above 1
  /// The epsilon at delta that a filter with the cap given promises, rounded up.
  std::function<double(double cap, Delta delta)> epsilon;
};

/// A bound for an open-ended sequence of releases that add up to `spent`: the epsilon of the first
/// cap that is not exceeded, where filter k = 0, 1, ... has the share 6 / (pi^2 (k + 1)^2) of
/// `delta` (a sum of 1 over all k). 0 where nothing is spent, infinity where it is infinite.
///
/// What is promised: wherever the sequence stops, also where that depends on what was released,
/// E[(1 - e^(epsilon - L))_+] <= delta for the loss L of everything so far and the epsilon shown
/// then, which is what (epsilon, delta)-DP at a fixed epsilon says of L. Where filter k is the one
/// shown, the sequence is the one that filter k stops, so each k adds at most its share. It is not
/// P(L > epsilon) <= delta: a conversion of zCDP (Canonne, Kamath, Steinke 2020) bounds that
/// expectation, which is the smaller quantity, and the probability that L exceeds an epsilon shown
/// may be above delta. Rogers, Roth, Ullman, Vadhan 2016 define odometers and show why one costs
/// more than a filter.
[[nodiscard]] double epsilon_at_any_time(double spent, const GrowingCaps& caps, Delta delta);

/// The odometer of zCDP for a sequence of events. Not for several threads at once.
class Odometer {
 public:
  /// `first_rho` is the first cap: public, positive.
  Odometer(double first_rho, Delta delta, Adjacency adjacency);

  void record(const Event& event);
  /// epsilon at the delta given, for everything recorded so far.
  [[nodiscard]] double epsilon() const;

 private:
  double first_rho_;
  Delta delta_;
  Adjacency adjacency_;
  double spent_ = 0;
};

}  // namespace tacet::accounting
