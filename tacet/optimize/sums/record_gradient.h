#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/optimize/sums/weight_grid.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// The gradient of one record's loss, slope(<w, x>, y) x, clipped to norm C on the grid
/// C / 2^norm_bits: what a device computes of its own record before it makes it private.
///
/// The bound is enforced in integers as for GradientSum: the scalar is cut to [-A, A], A the
/// largest integer with A^2 |x|^2 <= 2^(2 norm_bits), before it multiplies the row. So the gradient
/// is a slope's multiple of the encoder's integers, and for a convex loss an exact subgradient of
/// the loss with its slope cut to C / |x|. A slope that is NaN becomes 0.
class RecordGradient {
 public:
  /// Keeps references to both. UsageError for a limit out of range, and for units of several
  /// records: one device is one unit.
  RecordGradient(const data::Dataset& dataset, const model::Loss& loss,
                 const ContributionLimit& limit);

  /// Weights on their grid, for the gradients of several records at one point.
  [[nodiscard]] GridWeights point(std::span<const double> weights) const;

  /// One finite number an encoded column. The part is OneRecord{record}.
  [[nodiscard]] privacy::PartialSum at(const GridWeights& point, std::int64_t record) const;
  [[nodiscard]] privacy::PartialSum at(std::span<const double> weights, std::int64_t record) const {
    return at(point(weights), record);
  }

  /// C rounded down to 24 significant bits: what is enforced.
  [[nodiscard]] double clipping_norm() const { return clipping_norm_; }
  /// Real value of one grid unit.
  [[nodiscard]] double grid() const;

 private:
  const data::Dataset& dataset_;
  const model::Loss& loss_;
  int norm_bits_;
  double clipping_norm_;
  model::ClassWeights class_weights_;
  base::SpooledVector<std::int32_t> scalar_bounds_;  // A of each record
};

}  // namespace tacet::optimize
