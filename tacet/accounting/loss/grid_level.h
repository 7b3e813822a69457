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

/// How a level cuts the losses of its components into cells.
struct Cutting {
  double step;
  double log_tail;  ///< of the mass that may be moved to infinity
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

  /// The tilt under which the mean of the upper sum is eps; 0 if the mean exceeds eps without a
  /// tilt.
  [[nodiscard]] double tilt_for_mean(double eps) const { return tilt_for_mean(upper_, eps); }

  struct Aim {
    double theta;
    double epsilon;
    bool by_one = false;  ///< delta consists of the contribution of a single large loss
    double threshold = std::numeric_limits<double>::infinity();  ///< losses above it count as large
  };
  /// The tilt whose Chernoff bound of epsilon at delta is smallest, and an estimate of epsilon:
  /// that bound less the usual correction for a smooth law. Heavy tails do not mislead this
  /// estimate.
  [[nodiscard]] Aim aim_at(double log_delta) const { return aim_at(upper_, log_delta); }
  /// As aim_at(), if rare large losses have led the tilt astray: from the other losses alone, or
  /// from a single large one. Nothing if there are no large losses.
  [[nodiscard]] std::optional<Aim> aim_apart(double log_delta, double share) const;
  /// Whether the tilt hardly moves the bulk of the losses, so that the tilted mean comes from large
  /// losses.
  [[nodiscard]] bool is_astray(double theta, double log_delta) const;

  /// Composes under the tilt theta, for questions about epsilons between the thresholds, by
  /// transforms of length at most 2^max_bits.
  void tilt(double theta, const Thresholds& thresholds, int max_bits = 64) {
    twin_->run(theta, thresholds, std::min(max_bits, largest_bits_));
  }
  /// Separates rare large losses, for a delta of about this size and at the cost of about `share`
  /// of it. False if there are none. Discards an earlier tilt.
  bool split(double log_delta, double share);
  /// The tilt under which the mean of the upper sum's small losses is eps.
  [[nodiscard]] double tilt_of_small(double eps) const {
    return tilt_for_mean(large_->upper.small, eps);
  }
  [[nodiscard]] double log_delta_above(double eps) const;
  [[nodiscard]] double log_delta_below(double eps) const;
  /// Length of the last transform.
  [[nodiscard]] double length() const { return static_cast<double>(twin_->length()); }
  /// The distance that round-off alone causes between the two ends of the upper sum's log delta.
  [[nodiscard]] double round_off_at(double eps) const;

 private:
  using Grids = std::pair<GridSum, GridSum>;
  GridLevel(Grids grids, double step, int largest_bits);
  static Grids grids_of(std::span<const Component> components, const Cutting& cutting);
  [[nodiscard]] double tilt_for_mean(const GridSum& sum, double eps) const;
  [[nodiscard]] Aim aim_at(const GridSum& sum, double log_delta) const;
  /// The largest rate that large losses may have, see split().
  [[nodiscard]] double rate_of_large(double log_delta, double share) const;
  /// With a larger tilt only the top cell would count.
  [[nodiscard]] double largest_tilt() const { return 400 / step_; }

  double step_;
  int largest_bits_;
  GridSum upper_;
  GridSum lower_;
  /// The result of split().
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
