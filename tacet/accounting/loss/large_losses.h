#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/accounting/loss/tilted_sum.h"

/// Rare large losses apart from the others. Where few records are sampled, the losses' upper tail
/// is so heavy that no tilt brings a small delta within reach of a transform. Split by how many of
/// the losses are large: none, one, or more. None is a sum of losses without that tail; one is a
/// large loss beside such a sum that needs no tilt; two or more have a probability below (rate^2)
/// / 2. docs/proofs/accountant.md, section 6.
namespace tacet::accounting::pld {

struct LargeLossSplit {
  GridSum small;                    ///< all losses, the large ones taken out
  GridSum rest;                     ///< one loss fewer
  std::vector<std::int64_t> index;  ///< of the large losses, from the grid's offset
  std::vector<double> mass;         ///< times how often the loss is taken
  double rate;                      ///< their sum, rounded up: how many to expect
};

/// Takes out the largest losses as long as the rate stays within `largest_rate`. Nothing for a sum
/// of different laws, or where the grid has no such loss.
[[nodiscard]] std::optional<LargeLossSplit> split_large_losses(const GridSum& sum,
                                                               double largest_rate);

/// delta of a sum with exactly one large loss.
class LargeLossLaw {
 public:
  /// `rest` is the untilted law of split.rest.
  LargeLossLaw(const LargeLossSplit& split, const GridSum& whole, const TiltedLaw& rest);

  /// Bounds of what one large loss adds to delta at eps; two or more are in the upper one.
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
  double centre_ = 0;  ///< of the rest's losses
  double loss_error_ = 0;
  double factor_error_ = 0;       ///< log of the factor by which masses may be off
  double error_ = 0;              ///< absolute
  double several_ = 0;            ///< P(two or more)
  std::int64_t low_ = 0;          ///< of the rest's law
  std::vector<double> above_;     ///< sums of its masses from an index on
  std::vector<double> weighted_;  ///< the same of mass e^{centre - loss}
};

}  // namespace tacet::accounting::pld
