#pragma once

#include <span>

#include "tacet/accounting/loss/components.h"
#include "tacet/base/progress.h"

/// Composition of privacy losses with certified bounds on both sides. Losses are put on a grid
/// (discretize.h) and added by a Fourier transform under an exponential tilt. A bound of its
/// round-off is added on the safe side. The grid is refined until both ends agree.
namespace tacet::accounting::pld {

/// [lower, upper] holds the value for the composed pairs; the step of the loss grid that gave it.
struct Bracket {
  double lower;
  double upper;
  double step;
};

struct PldOptions {
  double tolerance = 1e-3;  ///< relative width to reach
  /// of a transform; if that is not enough, the bracket reached so far is returned
  int largest_log2_size = 20;
  base::WorkMeter* work = nullptr;  ///< counts what is computed, if given
  double step = 0;  ///< 0: the search chooses and refines the step; else the step of the only grid
};

/// epsilon at delta of the composition, in the order `remove` and, where that may differ, `add`:
/// the larger upper end and the larger lower end. An order that cannot matter is not refined.
/// NumericError for more than 2^34 uses, whose rounding alone may change delta by a hundredth.
[[nodiscard]] Bracket epsilon_bracket(std::span<const Component> remove,
                                      std::span<const Component> add, double delta,
                                      const PldOptions& pld_options = {});
[[nodiscard]] inline Bracket epsilon_bracket(std::span<const Component> components, double delta,
                                             const PldOptions& pld_options = {}) {
  return epsilon_bracket(components, {}, delta, pld_options);
}

/// delta at epsilon of the composition, with the same rules.
[[nodiscard]] Bracket delta_bracket(std::span<const Component> remove,
                                    std::span<const Component> add, double epsilon,
                                    const PldOptions& pld_options = {});
[[nodiscard]] inline Bracket delta_bracket(std::span<const Component> components, double epsilon,
                                           const PldOptions& pld_options = {}) {
  return delta_bracket(components, {}, epsilon, pld_options);
}

}  // namespace tacet::accounting::pld
