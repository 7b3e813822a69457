#pragma once

#include <cstdint>
#include <vector>

#include "tacet/optimize/sgd/sgd_schedule.h"

/// How far a weighted mean of the iterates of stochastic gradient descent can move when one record
/// changes, for the realised order of records. No function here takes data: the bound holds for
/// every pair of neighbouring data sets (docs/proofs/output_perturbation.md, Theorem B).
namespace tacet::optimize {

/// What is known about every step, for every data set. Vectors have one element, or one a step.
struct StepLaw {
  /// kappa: two runs s apart that read the same record are at most sqrt(s^2 + kappa^2) apart after
  /// the step, and 0 if s = 0. 0: the step drives nothing apart.
  std::vector<double> growth{0};
  /// D: the gradients of a record and of the one in its place differ by at most this.
  std::vector<double> distance{1};
  /// The diameter of the domain; infinity on the whole space.
  double diameter = 0;

  [[nodiscard]] double growth_at(std::int64_t t) const { return pick(growth, t); }
  [[nodiscard]] double distance_at(std::int64_t t) const { return pick(distance, t); }

 private:
  static double pick(const std::vector<double>& values, std::int64_t t) {
    return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(t - 1)];
  }
};

struct SgdSensitivity {
  double bound = 0;             ///< of the distance, rounded up
  double value = 0;             ///< the same without the allowance for rounding
  std::int64_t record = 0;      ///< whose change moves the mean furthest
  std::int64_t max_visits = 0;  ///< of one record
  /// Whether `value` is what the recursion of Theorem B gives for the worst record; else it lies
  /// above that, because too many records came close to the worst one to evaluate them all.
  bool exact = true;
};

/// The largest distance over all records. Time about steps * batch + records where growth is 0, and
/// for single records with constant steps, uniform weights and no penalty; otherwise a further
/// factor of the logarithm of the steps.
[[nodiscard]] SgdSensitivity sgd_sensitivity(const SgdSchedule& schedule,
                                             const IterateWeights& weights, const StepLaw& law);

/// The recursion of Theorem B for one record, without any allowance for rounding: O(steps).
[[nodiscard]] double record_sensitivity(const SgdSchedule& schedule, const IterateWeights& weights,
                                        const StepLaw& law, std::int64_t record);

namespace internal {

/// An upper bound of record_sensitivity for each record, as the search uses them to discard
/// records. `general` forces the route that holds for every schedule.
[[nodiscard]] std::vector<double> sensitivity_bounds(const SgdSchedule& schedule,
                                                     const IterateWeights& weights,
                                                     const StepLaw& law, bool general);

/// sum over k = 1..m of sqrt(a + k c), a bound from above and one from below (trapezoids and
/// midpoints: the summand is concave). Without branches or cancellation, whatever c / a is.
struct RootSum {
  double lower;
  double upper;
};
[[nodiscard]] RootSum root_sum_bounds(double a, double c, std::int64_t m);

}  // namespace internal
}  // namespace tacet::optimize
