#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/sgd/sgd_law.h"
#include "tacet/optimize/sgd/sgd_schedule.h"
#include "tacet/optimize/sgd/sgd_sensitivity.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/bounded_sum.h"

namespace tacet::optimize {

/// What a descent reads, from where it starts, and the means to do it.
struct SgdRun {
  const data::Dataset& dataset;
  std::span<const std::uint32_t> rows;  ///< the schedule's records, in order; each occurs once
  std::span<const double> start;        ///< empty: 0
  base::ThreadPool& threads;
  base::Supervision supervision = {};
};

/// Stochastic gradient descent whose weighted mean of iterates has a certified sensitivity, in the
/// arithmetic that is really carried out: Theorem B on the realised schedule, plus what rounding
/// can add (docs/proofs/output_perturbation.md, Lemma 5), plus the grid of the release.
///
/// Everything but run() sees public facts alone.
class CertifiedSgd {
 public:
  /// GuaranteeError where nothing is proved: add_remove, a step too large for a smooth loss,
  /// clipped gradients of several outputs.
  CertifiedSgd(SgdProblem problem, SgdSchedule schedule, const IterateWeights& weights,
               privacy::Adjacency adjacency);

  /// The sensitivity of the schedule in real numbers.
  [[nodiscard]] const SgdSensitivity& exact() const { return exact_; }
  /// The sensitivity of the computed mean: its largest distance between neighbours. The noise is
  /// scaled to it, up to the grid.
  [[nodiscard]] double sensitivity() const { return sensitivity_; }
  /// The bound of every iterate's norm.
  [[nodiscard]] double iterate_bound() const { return iterate_bound_; }
  [[nodiscard]] const SgdSchedule& schedule() const { return schedule_; }
  [[nodiscard]] const SgdProblem& problem() const { return problem_; }
  /// Noise of multiplier z has this standard deviation times z in each coordinate of the released
  /// mean.
  [[nodiscard]] double stddev_unit(int norm_bits) const;

  /// Descends and rounds the mean to a grid on which neighbours are at most
  /// distance_factor(adjacency) 2^norm_bits units apart. InternalError when the data set does not
  /// fit the problem.
  [[nodiscard]] privacy::PartialSum run(const SgdRun& given, int norm_bits,
                                        privacy::PassBlock block) const;

 private:
  [[nodiscard]] double grid(int norm_bits) const;

  SgdProblem problem_;
  SgdSchedule schedule_;
  IterateWeights weights_;
  privacy::Adjacency adjacency_;
  std::vector<StepRegion> regions_;
  SgdSensitivity exact_;
  double sensitivity_ = 0;
  double iterate_bound_ = 0;
};

namespace internal {

/// The weighted mean of the iterates, as computed: outputs() rows of columns(). For run() and for
/// tests; the result is as private as the records.
[[nodiscard]] std::vector<double> descend(const SgdRun& given, const SgdProblem& problem,
                                          const SgdSchedule& schedule,
                                          const IterateWeights& weights,
                                          std::span<const StepRegion> regions);

}  // namespace internal
}  // namespace tacet::optimize
