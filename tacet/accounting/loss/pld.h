#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/pairs.h"
#include "tacet/base/work.h"

/// Composition of privacy losses with certified two-sided results: the discretisations of
/// discretize.h, an exponentially tilted Fourier transform whose round-off is bounded and added on
/// the safe side, and a grid refined until both ends agree.
namespace tacet::accounting::pld {

/// A pair, used `count` times. Where the pair itself is an upper bound of a worst one, `below` is a
/// lower bound of that one, for the lower ends; null where the pair is exact.
struct Component {
  pairs::PairPointer pair;
  std::int64_t count;
  pairs::PairPointer below = nullptr;
};

/// [lower, upper] holds the value for the composed pairs; the step of the loss grid that gave it.
struct Bracket {
  double lower;
  double upper;
  double step;
};

struct Effort {
  double tolerance = 1e-3;          ///< relative width to reach
  int largest_log2_size = 20;       ///< of a transform; beyond it the bracket reached is returned
  base::WorkMeter* work = nullptr;  ///< counts what is computed, if given
};

/// epsilon at delta of the composition (in one order of the neighbours). More than 2^34 uses, whose
/// rounding alone may move delta by a hundredth, are a NumericError.
[[nodiscard]] Bracket epsilon_bracket(std::span<const Component> components, double delta,
                                      const Effort& effort = {});

/// The same on one grid of the given step, without refinement.
[[nodiscard]] Bracket epsilon_bracket_at(std::span<const Component> components, double delta,
                                         double step);

/// delta at epsilon.
[[nodiscard]] Bracket delta_bracket(std::span<const Component> components, double epsilon,
                                    const Effort& effort = {});

/// Both orders: the larger upper end and the larger lower end. The order that cannot matter is not
/// refined.
[[nodiscard]] Bracket epsilon_bracket(std::span<const Component> remove,
                                      std::span<const Component> add, double delta,
                                      const Effort& effort = {});
[[nodiscard]] Bracket delta_bracket(std::span<const Component> remove,
                                    std::span<const Component> add, double epsilon,
                                    const Effort& effort = {});

}  // namespace tacet::accounting::pld
