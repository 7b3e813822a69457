#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "tacet/accounting/accountant.h"

/// Budgets for releases that are chosen by earlier answers.
///
/// Example:
///
///     auto filter = accounting::Filter::zcdp(0.5, privacy::Adjacency::add_remove);
///     const bool may_be_released = filter.admit(privacy::Gaussian{20});
namespace tacet::accounting {

/// Admits releases whose parameters may be chosen from earlier outputs, as long as their sum stays
/// within a cap fixed beforehand. Sums round up. An event without a bound in the filter's currency
/// is a GuaranteeError. Not for several threads at once.
class Filter {
 public:
  /// Sum of rho (Feldman, Zrnic 2021).
  [[nodiscard]] static Filter zcdp(double rho, Adjacency adjacency);
  /// Sum of squared_gdp against mu^2 (Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2023).
  [[nodiscard]] static Filter gaussian(double mu, Adjacency adjacency);
  /// Sum of Renyi bounds at one order, chosen now, against the largest value that still gives
  /// (epsilon, delta) at that order.
  [[nodiscard]] static Filter renyi(double alpha, Epsilon epsilon, Delta delta,
                                    Adjacency adjacency);
  /// Sums of epsilon and of delta; an event counts with its pure epsilon.
  [[nodiscard]] static Filter basic(const Guarantee& cap);

  /// Books the event if the cap allows it; false leaves everything as it was.
  [[nodiscard]] bool admit(const Event& event);
  /// The same for a release with a known (epsilon, delta); basic filters only, else a UsageError.
  [[nodiscard]] bool admit(const Guarantee& guarantee);

  [[nodiscard]] double spent() const { return spent_; }
  [[nodiscard]] double cap() const { return cap_; }

 private:
  using Cost = std::function<double(const Event&, Adjacency)>;
  Filter(double cap, Adjacency adjacency, Cost cost)
      : cap_(cap), adjacency_(adjacency), cost_(std::move(cost)) {}

  double cap_;
  Adjacency adjacency_;
  Cost cost_;
  std::optional<double> delta_cap_;  ///< of a basic filter
  double spent_ = 0;
  double delta_spent_ = 0;
};

/// rho of an event, rounded up: the smallest that is proved, infinity where none is. What these
/// two say is what filters and ledgers book.
[[nodiscard]] double zcdp_rho(const Event& event, Adjacency adjacency);
/// mu^2 of an event in Gaussian DP, the same.
[[nodiscard]] double squared_gdp(const Event& event, Adjacency adjacency);

/// The smallest epsilon of rho-zCDP at delta: the Renyi conversion over all orders.
[[nodiscard]] double zcdp_epsilon(double rho, Delta delta);

/// Filters whose caps grow by `factor` from `first` on, for sums in one currency (rho, mu^2, ...).
struct GrowingCaps {
  double first;       ///< the first cap: public, positive
  double factor = 2;  ///< above 1
  /// The epsilon at delta that a filter with the cap given promises, rounded up.
  std::function<double(double cap, Delta delta)> epsilon;
};

/// A bound for an open-ended sequence of releases that add up to `spent`: the epsilon of the first
/// cap that is not exceeded, where filter k = 0, 1, ... has the share 6 / (pi^2 (k + 1)^2) of
/// `delta` (a sum of 1 over all k). Infinity where `spent` is infinite; UsageError where it is
/// negative or no number.
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

  /// Adds an event. GuaranteeError for one that zCDP has no bound for.
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
