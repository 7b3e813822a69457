#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/reducer.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/model/loss.h"
#include "tacet/optimize/clip.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// Sums of per-record gradients slope(<w, x>, y) x of a linear predictor, each clipped to norm C
/// and rounded to the grid C / 2^norm_bits, added up in integers.
///
/// The bound is enforced, not assumed: record i's scalar is clamped to the largest integer A_i with
/// A_i^2 |x_i|^2 <= 4^norm_bits, both factors integers, before it multiplies the row. So whatever
/// the weights, the loss and the values are, each record moves the sum by at most 2^norm_bits grid
/// units, and the sum has the same bits for any number of threads and ranks.
class GradientSum {
 public:
  /// Keeps references to all but the limit. UsageError for a limit out of range.
  GradientSum(const data::Dataset& dataset, const model::Loss& loss, const ContributionLimit& limit,
              base::ThreadPool& threads, base::Reducer& reducer);

  /// The sum over all records at `weights` (one per encoded column, finite).
  [[nodiscard]] privacy::BoundedSum at(std::span<const double> weights) const;

  /// C rounded down to 24 significant bits: what is enforced.
  [[nodiscard]] double clipping_norm() const { return clipping_norm_; }
  /// Real value of one grid unit.
  [[nodiscard]] double grid() const;

 private:
  const data::Dataset& dataset_;
  const model::Loss& loss_;
  int norm_bits_;
  double clipping_norm_;
  std::vector<std::int32_t> scalar_bounds_;  // A_i
  base::ThreadPool& threads_;
  base::Reducer& reducer_;
};

}  // namespace tacet::optimize
