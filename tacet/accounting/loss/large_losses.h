#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/accounting/loss/tilted_sum.h"

/// Separates rare large losses from the others. If few records are sampled, the losses have such a
/// heavy upper tail that no tilt brings a small delta within reach of a transform. So delta is
/// split by the number of large losses. With none, the sum has no heavy tail. With one, the rest of
/// the sum needs no tilt. Two or more have a probability below (rate^2) / 2.
/// docs/proofs/accountant.md, section 6.
namespace tacet::accounting::pld {

struct LargeLossSplit {
  GridSum small;                    ///< the sum of all losses, without the large ones
  GridSum rest;                     ///< the same with one loss fewer
  std::vector<std::int64_t> index;  ///< of the large losses, counted from the grid's offset
  std::vector<double> mass;         ///< mass of each, times the number of uses
  double rate;  ///< the sum of `mass`, rounded up: the expected number of large losses
};

/// Separates the largest losses as long as the rate stays within `largest_rate`. Nothing for a sum
/// of different laws, or if the grid has no such losses.
[[nodiscard]] std::optional<LargeLossSplit> split_large_losses(const GridSum& sum,
                                                               double largest_rate);

/// delta of sums with exactly one large loss.
class LargeLossLaw {
 public:
  /// `rest` is the untilted law of split.rest.
  LargeLossLaw(const LargeLossSplit& split, const GridSum& whole, const TiltedLaw& rest);

  /// Bounds of what sums with one large loss add to delta at eps. The upper bound includes those
  /// with two or more.
  [[nodiscard]] double delta_above(double eps) const;
  [[nodiscard]] double delta_below(double eps) const;

 private:
  [[nodiscard]] double sum_above(double shifted) const;
  [[nodiscard]] double rest_delta(double shifted) const;

  struct LargeLoss {
    double loss;
    double mass;
  };
  std::vector<LargeLoss> large_;
  double step_ = 0;
  double offset_ = 0;
  /// a loss in the middle of the rest's losses, so that the factors below stay finite
  double centre_ = 0;
  double loss_error_ = 0;
  double factor_error_ = 0;       ///< log of the factor by which masses may be off
  double error_ = 0;              ///< absolute error
  double several_ = 0;            ///< P(two or more)
  std::int64_t low_ = 0;          ///< first index of the rest's law
  std::vector<double> above_;     ///< sums of its masses from each index on
  std::vector<double> weighted_;  ///< the same for mass e^{centre - loss}
};

}  // namespace tacet::accounting::pld
