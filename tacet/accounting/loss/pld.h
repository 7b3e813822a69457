#pragma once

#include <span>

#include "tacet/accounting/loss/components.h"
#include "tacet/base/progress.h"

/// Composition of privacy losses with certified two-sided results: the discretisations of
/// discretize.h, an exponentially tilted Fourier transform whose round-off is bounded and added on
/// the safe side, and a grid refined until both ends agree.
namespace tacet::accounting::pld {

/// [lower, upper] holds the value for the composed pairs; the step of the loss grid that gave it.
struct Bracket {
  double lower;
  double upper;
  double step;
};

struct PldOptions {
  double tolerance = 1e-3;          ///< relative width to reach
  int largest_log2_size = 20;       ///< of a transform; beyond it the bracket reached is returned
  base::WorkMeter* work = nullptr;  ///< counts what is computed, if given
  double step = 0;                  ///< of the one grid, without refinement; 0: chosen, refined
};

/// epsilon at delta of the composition, in the order `remove` and, where that may differ, `add`:
/// the larger upper end and the larger lower end. The order that cannot matter is not refined. More
/// than 2^34 uses, whose rounding alone may move delta by a hundredth, are a NumericError.
[[nodiscard]] Bracket epsilon_bracket(std::span<const Component> remove,
                                      std::span<const Component> add, double delta,
                                      const PldOptions& pld_options = {});
[[nodiscard]] inline Bracket epsilon_bracket(std::span<const Component> components, double delta,
                                             const PldOptions& pld_options = {}) {
  return epsilon_bracket(components, {}, delta, pld_options);
}

/// delta at epsilon, the same.
[[nodiscard]] Bracket delta_bracket(std::span<const Component> remove,
                                    std::span<const Component> add, double epsilon,
                                    const PldOptions& pld_options = {});
[[nodiscard]] inline Bracket delta_bracket(std::span<const Component> components, double epsilon,
                                           const PldOptions& pld_options = {}) {
  return delta_bracket(components, {}, epsilon, pld_options);
}

}  // namespace tacet::accounting::pld
