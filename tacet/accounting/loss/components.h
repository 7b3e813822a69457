#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/pairs.h"

/// What is composed, and what is known of it before.
namespace tacet::accounting::pld {

/// A pair, used `count` times. Where the pair itself is an upper bound of a worst one, `below` is a
/// lower bound of that one, for the lower ends; null where the pair is exact.
struct Component {
  pairs::PairPointer pair;
  std::int64_t count;
  pairs::PairPointer below = nullptr;
};

/// One use of one pair.
[[nodiscard]] bool is_single(std::span<const Component> components);

/// Tails of losses that together take a hundred thousandth of delta. NumericError for too many
/// uses.
[[nodiscard]] double log_tail_for(double log_delta, std::span<const Component> components);

/// A coarse first step from the spread of the losses, and the finest one the tables allow.
struct Scale {
  double first_step;
  double smallest_step;
  std::vector<Resolution> resolutions;
};
[[nodiscard]] Scale choose_scale(std::span<const Component> components, double log_tail);
/// e^step must stay a number.
inline constexpr double largest_step = 32;

/// A first step, `coarse` or wider: no finer than a transform of moderate length around the guessed
/// epsilon needs. A wide bracket refines it.
[[nodiscard]] double affordable_step(double coarse, double epsilon, double theta, double uses);

/// About this step, so that masses at both ends of the losses stand on the grid.
[[nodiscard]] double aligned_step(std::span<const Component> components, double step);

/// No finite loss of the composition exceeds this, and none is infinite; infinity where one may be.
/// Epsilon beyond it costs delta 0, since delta(eps) = E_P[(1 - e^{eps - L})_+].
[[nodiscard]] double largest_loss(std::span<const Component> components);

/// log delta of the composition at epsilon, roughly, to choose where tails may be cut.
[[nodiscard]] double rough_log_delta(std::span<const Component> components, double epsilon);

}  // namespace tacet::accounting::pld
