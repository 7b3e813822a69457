#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/sums/clip.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// What gradients are of: `outputs` rows of weights, one an encoded column each.
struct GradientProblem {
  const data::Dataset& dataset;
  const model::Loss& loss;
  std::int64_t outputs;
};

/// Sums of per-record gradients of linear predictors, each clipped, rounded to the grid
/// C / 2^norm_bits and added up in integers.
///
/// One output: slope(<w, x>, y) x. Several outputs (one against the rest, labels 0 to k-1): the k
/// gradients side by side, with one joint bound on their norm; those of the softmax loss belong to
/// one loss of all margins. A class's public weight multiplies
/// the gradients of its records before they are clipped.
///
/// The bound is enforced, not assumed: record i's scalars are cut to integers of joint norm at most
/// A_i, the largest integer with A_i^2 |x_i|^2 <= (2^norm_bits / records per unit)^2, before they
/// multiply the row. So whatever the weights, the loss and the values are, each unit moves the sum
/// by at most 2^norm_bits grid units, and the sum has the same bits for any number of threads and
/// parts and for dense and sparse storage.
class GradientSum {
 public:
  /// Keeps references to all but the limit. UsageError for a limit out of range.
  GradientSum(const GradientProblem& problem, const ContributionLimit& limit,
              base::ThreadPool& threads);

  /// What at() adds up, in grid units: as private as the records. For sums over parts, which are
  /// certified once they are complete (certified_gradient_sum).
  [[nodiscard]] std::vector<std::int64_t> integers(std::span<const double> weights) const;

  /// The sum over all records at `weights`: outputs() rows of one finite number an encoded column.
  [[nodiscard]] privacy::BoundedSum at(std::span<const double> weights) const;
  /// The sum over a Poisson sample, which it carries along so that its release is accounted as
  /// sampled. UsageError for a sample of fixed size, or of another number of records; InternalError
  /// for one that is accounted for fewer records of a unit than take part.
  [[nodiscard]] privacy::BoundedSum at(std::span<const double> weights,
                                       const privacy::DrawnSample& sample) const;

  /// The same for a secret sample of fixed size. UsageError for a Poisson sample, for one of
  /// another number of records, and for units of several records.
  [[nodiscard]] privacy::PartialSum partial(std::span<const double> weights,
                                            const privacy::DrawnSample& sample) const;
  /// The same for the records of one block of a pass, each listed at most once. UsageError for
  /// units of several records.
  [[nodiscard]] privacy::PartialSum partial(std::span<const double> weights,
                                            std::span<const std::int64_t> rows,
                                            privacy::PassBlock block) const;

  [[nodiscard]] std::int64_t outputs() const { return outputs_; }
  /// C rounded down to 24 significant bits: what is enforced.
  [[nodiscard]] double clipping_norm() const { return clipping_norm_; }
  /// Real value of one grid unit.
  [[nodiscard]] double grid() const;

 private:
  void check_sample(const privacy::DrawnSample& sample) const;
  void refuse_units() const;
  template <typename RowList>
  [[nodiscard]] std::vector<std::int64_t> total(std::span<const double> weights,
                                                const RowList& rows) const;

  const data::Dataset& dataset_;
  const model::Loss& loss_;
  std::int64_t outputs_;
  int norm_bits_;
  std::int64_t max_records_per_unit_;  ///< that share the bound
  double clipping_norm_;
  model::ClassWeights class_weights_;
  base::SpooledVector<std::int32_t> scalar_bounds_;  // A_i
  base::ThreadPool& threads_;
};

/// The sum of what integers() says of all parts of the records, with the same limit.
[[nodiscard]] privacy::BoundedSum certified_gradient_sum(std::vector<std::int64_t> integers,
                                                         const ContributionLimit& limit);

}  // namespace tacet::optimize
