#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "tacet/accounting/accountant.h"

/// Budgets for releases that depend on earlier answers.
///
/// Example:
///
///     auto filter = accounting::Filter::zcdp(0.5, privacy::Adjacency::add_remove);
///     const bool may_be_released = filter.admit(privacy::Gaussian{20});
namespace tacet::accounting {

/// Admits releases whose parameters may be chosen from earlier outputs, as long as their sum stays
/// within a cap fixed beforehand. Sums are rounded up. GuaranteeError for an event that has no
/// bound in the filter's currency. Not for several threads at once.
class Filter {
 public:
  /// Sum of rho (Feldman, Zrnic 2021).
  [[nodiscard]] static Filter zcdp(double rho, Adjacency adjacency);
  /// Sum of squared_gdp against mu^2 (Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2023).
  [[nodiscard]] static Filter gaussian(double mu, Adjacency adjacency);
  /// The sum of Renyi bounds at one order, which is fixed now. Its cap is the largest value that
  /// still gives (epsilon, delta) at that order.
  [[nodiscard]] static Filter renyi(double alpha, Epsilon epsilon, Delta delta,
                                    Adjacency adjacency);
  /// Sums of epsilons and of deltas. An event counts with its pure epsilon.
  [[nodiscard]] static Filter basic(const Guarantee& cap);

  /// Books the event if the cap allows it. If it returns false, nothing has changed.
  [[nodiscard]] bool admit(const Event& event);
  /// As above, for a release with a known (epsilon, delta). UsageError for filters other than basic
  /// ones.
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

/// The smallest proved rho of an event, rounded up; infinity if none is proved. Filters and ledgers
/// book this number.
[[nodiscard]] double zcdp_rho(const Event& event, Adjacency adjacency);
/// The smallest proved mu^2 (Gaussian DP) of an event, rounded up; infinity if none is proved.
/// Filters and ledgers book this number.
[[nodiscard]] double squared_gdp(const Event& event, Adjacency adjacency);

/// The smallest epsilon of rho-zCDP at delta: the Renyi conversion over all orders.
[[nodiscard]] double zcdp_epsilon(double rho, Delta delta);

/// Filters whose caps grow by `factor`, beginning with `first`, for sums in one currency (rho,
/// mu^2, ...).
struct GrowingCaps {
  double first;       ///< the first cap: public, positive
  double factor = 2;  ///< above 1
  /// The epsilon at delta, rounded up, that a filter with this cap promises.
  std::function<double(double cap, Delta delta)> epsilon;
};

/// A bound for an open-ended sequence of releases that add up to `spent`: the epsilon of the first
/// cap that is not exceeded. Filter k = 0, 1, ... has the share 6 / (pi^2 (k + 1)^2) of `delta`;
/// the shares add up to 1. Infinity if `spent` is infinite; UsageError if it is negative or NaN.
///
/// The sequence may stop anywhere, also depending on what was released. Let L be the privacy loss
/// so far and epsilon the bound shown then. The promise is E[(1 - e^(epsilon - L))_+] <= delta,
/// which is what (epsilon, delta)-DP at a fixed epsilon says of L. Proof: whenever filter k is
/// shown, the sequence is one that filter k would stop, so each k adds at most its share. The
/// promise is not P(L > epsilon) <= delta. The conversion of zCDP (Canonne, Kamath, Steinke 2020)
/// bounds the expectation, which is smaller than that probability. Rogers, Roth, Ullman, Vadhan
/// 2016 define odometers and show why one costs more than a filter.
[[nodiscard]] double epsilon_at_any_time(double spent, const GrowingCaps& caps, Delta delta);

/// The odometer of zCDP for a sequence of events. Not for several threads at once.
class Odometer {
 public:
  /// `first_rho` is the first cap: public, positive.
  Odometer(double first_rho, Delta delta, Adjacency adjacency);

  /// Adds an event. GuaranteeError for one that zCDP has no bound for.
  void record(const Event& event);
  /// The epsilon, at the given delta, of everything recorded so far.
  [[nodiscard]] double epsilon() const;

 private:
  double first_rho_;
  Delta delta_;
  Adjacency adjacency_;
  double spent_ = 0;
};

}  // namespace tacet::accounting
