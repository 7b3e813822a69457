#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/components.h"
#include "tacet/accounting/loss/large_losses.h"
#include "tacet/accounting/loss/tilted_sum.h"

namespace tacet::accounting::pld {

/// How one level cuts the losses of its components into cells.
struct Cutting {
  double step;
  double log_tail;  ///< of what may be moved to infinity
  std::span<const Resolution> resolutions;
};

/// Upper and lower grids of all components at one step, composed on demand.
class GridLevel {
 public:
  /// A transform longer than 2^largest_bits will be a NumericError.
  GridLevel(std::span<const Component> components, const Cutting& cutting, int largest_bits);
  GridLevel(const GridLevel&) = delete;
  GridLevel& operator=(const GridLevel&) = delete;

  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] const GridSum& upper() const { return upper_; }

  /// The tilt under which the mean of the upper sum is eps, 0 where it exceeds eps untilted.
  [[nodiscard]] double tilt_for_mean(double eps) const { return tilt_for_mean(upper_, eps); }

  struct Aim {
    double theta;
    double epsilon;
    bool by_one = false;  ///< a single large loss alone makes up delta
    double threshold = std::numeric_limits<double>::infinity();  ///< above which losses are large
  };
  /// The tilt whose Chernoff bound of epsilon at delta is smallest, and that bound less the usual
  /// correction of a smooth law: an estimate that heavy tails do not lead astray.
  [[nodiscard]] Aim aim_at(double log_delta) const { return aim_at(upper_, log_delta); }
  /// The same where the tilt has gone astray after rare large losses: from the others alone, or
  /// from a single large one. Nothing where there are none.
  [[nodiscard]] std::optional<Aim> aim_apart(double log_delta, double share) const;
  /// Whether the tilt hardly moves the bulk of the losses, so that large ones make up its mean.
  [[nodiscard]] bool is_astray(double theta, double log_delta) const;

  /// Composes under the tilt theta, to be asked about epsilons between the thresholds, by
  /// transforms no longer than 2^max_bits.
  void tilt(double theta, const Thresholds& thresholds, int max_bits = 64) {
    twin_->run(theta, thresholds, std::min(max_bits, largest_bits_));
  }
  /// Takes rare large losses apart, for a delta of about this size and at the cost of about `share`
  /// of it. False where there are none. Does away with an earlier tilt.
  bool split(double log_delta, double share);
  /// The tilt under which the mean of the upper sum's smaller losses is eps.
  [[nodiscard]] double tilt_of_small(double eps) const {
    return tilt_for_mean(large_->upper.small, eps);
  }
  [[nodiscard]] double log_delta_above(double eps) const;
  [[nodiscard]] double log_delta_below(double eps) const;
  /// Length of the last transform.
  [[nodiscard]] double length() const { return static_cast<double>(twin_->length()); }
  /// How far round-off alone separates the ends of the upper sum's log delta.
  [[nodiscard]] double round_off_at(double eps) const;

 private:
  using Grids = std::pair<GridSum, GridSum>;
  GridLevel(Grids grids, double step, int largest_bits);
  static Grids grids_of(std::span<const Component> components, const Cutting& cutting);
  [[nodiscard]] double tilt_for_mean(const GridSum& sum, double eps) const;
  [[nodiscard]] Aim aim_at(const GridSum& sum, double log_delta) const;
  /// The rate that large losses may have, see split().
  [[nodiscard]] double rate_of_large(double log_delta, double share) const;
  /// Beyond this tilt the top cell alone would count.
  [[nodiscard]] double largest_tilt() const { return 400 / step_; }

  double step_;
  int largest_bits_;
  GridSum upper_;
  GridSum lower_;
  /// What split() found.
  struct LargeLosses {
    LargeLossSplit upper;
    LargeLossSplit lower;
    std::optional<LargeLossLaw> above;
    std::optional<LargeLossLaw> below;
  };
  std::optional<LargeLosses> large_;
  std::optional<TwinTransform> twin_;
};

}  // namespace tacet::accounting::pld
