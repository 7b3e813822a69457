#pragma once

#include <cstdint>
#include <vector>

#include "tacet/privacy/pairs.h"

namespace tacet::privacy::pld {

/// A law of the loss on the points offset + (first + i) step, with the mass of an infinite loss.
struct LossGrid {
  double offset = 0;
  double step = 0;
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinite = 0;
};

/// Masses of a pair on narrow cells of the loss, `per_step` to a step of the grids made from them.
struct CellTable {
  double anchor = 0;       ///< an edge; the finite end of the losses where there is one
  double width = 0;        ///< of a cell
  std::int64_t first = 0;  ///< the first cell begins at anchor + first width
  bool downwards = false;  ///< the anchor is the largest loss
  std::vector<double> p;
  std::vector<double> log_ratio;
  pairs::Masses below{};
  pairs::Masses above{};
  double infinite = 0;

  [[nodiscard]] double edge(std::int64_t cell) const {
    return anchor + static_cast<double>(cell) * width;
  }
};

constexpr int cells_per_step = 4;

/// Low losses beyond this tail need no cells of their own: whether they are moved up to the range
/// or merged with it changes no delta by more than that share of it.
constexpr double log_low_tail = -50;

/// The range of losses outside which P has at most e^log_tail above and e^log_low_tail below.
struct LossRange {
  double low;
  double high;
};
[[nodiscard]] LossRange loss_range(const pairs::Pair& pair, double log_tail);

/// Cells of width step / cells_per_step over loss_range.
[[nodiscard]] CellTable make_cells(const pairs::Pair& pair, double step, double log_tail);

/// A pair that dominates the table's: each interval's masses move to its two ends so that both
/// laws' masses are conserved (the interval form of Doroshenko, Ghazi, Kamath, Kumar, Manurangsi
/// 2022), what lies below the range moves up to it, what lies above becomes infinite. Rounding is
/// added on the safe side.
[[nodiscard]] LossGrid upper_grid(const CellTable& cells);

/// A pair dominated by the table's: outcomes are merged into buckets whose joint log ratio is
/// exactly a point of the grid; a merger is post-processing.
[[nodiscard]] LossGrid lower_grid(const CellTable& cells);

/// Standard deviation of the finite losses under P, from a coarse table.
[[nodiscard]] double loss_spread(const pairs::Pair& pair, double log_tail);

/// What the rounding of one step's grid may amount to: every loss is off by at most loss_slack, and
/// every mass by a factor within exp(+-mass_slack).
constexpr double loss_slack = 0x1p-46;
constexpr double mass_slack = 0x1p-46;

}  // namespace tacet::privacy::pld
