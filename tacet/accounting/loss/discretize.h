#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tacet/accounting/loss/pairs.h"

namespace tacet::accounting::pld {

/// Which end of an interval a law serves: one that dominates the pair, or one that the pair
/// dominates.
enum class End { above, below };

/// A law of the loss on the points offset + index[i] step, ascending, and the mass of an infinite
/// loss.
struct LossGrid {
  double offset = 0;
  double step = 0;
  std::vector<std::int64_t> index;
  std::vector<double> mass;
  double infinite = 0;
  double loss_error = 0;  ///< the largest distance of a loss from its point on the unsafe side
  /// For a law that was composed under a tilt and cut anew: the sum of all masses' errors before
  /// the cut; by how much the log moment has fallen since; the log of the factor by which masses
  /// may be off.
  double law_error = 0;
  double moment_drop = 0;
  double mass_error = 0;
};

/// Mean and standard deviation of the finite losses under P.
struct Moments {
  double mean = 0;
  double spread = 0;
};

/// How coarse the grid may become away from the mean. An interval at distance t is some t / (4
/// spread) steps wide (powers of two), at most 1 / (4 theta spread): so neither the spread nor a
/// tilt by theta is affected more by a wide interval than by the finest ones. Where a step exceeds
/// the spread, it is at most `share` of t and of 1 / theta wide.
struct Resolution {
  Moments moments;
  bool uniform = true;  ///< all intervals one step wide
  double theta = 0;
  double share = 0.25;
  /// Larger losses are composed apart and not tilted. Their intervals are at most a fifth of
  /// `share` of them wide.
  double threshold = std::numeric_limits<double>::infinity();
};

/// Masses of a pair on narrow cells of the loss. An interval between grid points, one or more steps
/// wide, consists of cells_per_step cells.
struct CellTable {
  double anchor = 0;               ///< a grid point: the finite end of the losses, if there is one
  double step = 0;                 ///< of the grid
  bool downwards = false;          ///< the anchor is the largest loss
  std::vector<std::int64_t> ends;  ///< grid indices at which intervals meet, ascending
  std::vector<double> p;           ///< one mass per cell, cells_per_step cells per interval
  std::vector<double> log_ratio;
  std::vector<double> ratio_error;
  bool bulk_at_anchor = false;  ///< the most frequent losses lie around the anchor
  double anchor_atom = 0;       ///< P-mass at the anchor itself; no cell contains it
  double far_atom = 0;          ///< P-mass at the other end of the losses, if that is a grid point
  double far_loss = 0;          ///< the loss there
  std::int64_t far_index = 0;   ///< its index on the grid
  pairs::Masses below{};
  pairs::Masses above{};
  double infinite = 0;

  [[nodiscard]] double loss(std::int64_t index) const {
    return anchor + static_cast<double>(index) * step;
  }
};

/// P(1 - e^{l - r}) of a cell with mass p and log ratio r: p - e^l q without cancellation.
[[nodiscard]] double surplus(double p, double log_ratio, double loss);

constexpr int cells_per_step = 4;

/// Losses below this tail need no cells of their own. Whether they are moved up to the range or
/// merged with it changes a delta by at most this share of it.
constexpr double log_low_tail = -50;

/// The range of losses outside which P has at most e^log_tail above and e^log_low_tail below.
struct LossRange {
  double low;
  double high;
};
[[nodiscard]] LossRange loss_range(const pairs::Pair& pair, double log_tail);
/// The smallest width that rounding still resolves in the whole range.
[[nodiscard]] double narrowest(const LossRange& range);

/// The cells over loss_range. NumericError if there would be more than four million.
[[nodiscard]] CellTable make_cells(const pairs::Pair& pair, double step, double log_tail,
                                   const Resolution& resolution = {});

/// A pair that dominates the table's: each interval's masses move to its two ends such that both
/// laws keep their masses (the interval form of Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022).
/// Losses below the range move up to it, losses above it become infinite. Rounding is added on the
/// safe side.
[[nodiscard]] LossGrid upper_grid(const CellTable& cells);

/// A pair dominated by the table's: outcomes are merged into buckets whose joint log ratio is
/// exactly a point of the grid; a merger is post-processing.
[[nodiscard]] LossGrid lower_grid(const CellTable& cells);

/// Computed from a coarse table.
[[nodiscard]] Moments loss_moments(const pairs::Pair& pair, double log_tail);

/// What rounding may do to the masses of one step's grid: a factor within exp(+-mass_slack). The
/// density at z standard deviations has an error of about z^2 roundings; the bound holds for tails
/// down to e^-500. The errors of losses are kept elsewhere: ratio_error of cells and loss_error of
/// grids.
constexpr double mass_slack = 0x1p-40;

}  // namespace tacet::accounting::pld
