#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/pairs.h"

/// The parts of a composition, and first estimates of its scale.
namespace tacet::accounting::pld {

/// A pair that is used `count` times. If `pair` is itself only an upper bound of the worst pair,
/// `below` is a lower bound of the worst pair, for lower ends; null if `pair` is exact.
struct Component {
  pairs::PairPointer pair;
  std::int64_t count;
  pairs::PairPointer below = nullptr;
};

/// Whether there is one use of one pair.
[[nodiscard]] bool is_single(std::span<const Component> components);

/// The log of the tail to cut off each loss, so that all tails together take at most a hundred
/// thousandth of delta. NumericError for too many uses.
[[nodiscard]] double log_tail_for(double log_delta, std::span<const Component> components);

/// Step sizes of the loss grid: a coarse first one from the spread of the losses, and the finest
/// one that the tables allow.
struct Scale {
  double first_step;
  double smallest_step;
  std::vector<Resolution> resolutions;
};
[[nodiscard]] Scale choose_scale(std::span<const Component> components, double log_tail);
/// e^step must stay a number.
inline constexpr double largest_step = 32;

/// The first step: `coarse`, or a wider one that keeps the transform around the guessed epsilon at
/// a moderate length. If the bracket comes out wide, the search refines it.
[[nodiscard]] double affordable_step(double coarse, double epsilon, double theta, double uses);

/// A step near this one, such that atoms at both ends of the losses are grid points.
[[nodiscard]] double aligned_step(std::span<const Component> components, double step);

/// No finite loss of the composition exceeds this, and none is infinite; infinity where one may be.
/// Epsilon beyond it costs delta 0, since delta(eps) = E_P[(1 - e^{eps - L})_+].
[[nodiscard]] double largest_loss(std::span<const Component> components);

/// A rough log delta of the composition at epsilon. It only decides where tails may be cut.
[[nodiscard]] double rough_log_delta(std::span<const Component> components, double epsilon);

}  // namespace tacet::accounting::pld
