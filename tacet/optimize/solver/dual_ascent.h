#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/model/loss/loss.h"
#include "tacet/optimize/solver/certified_solver.h"

namespace tacet::optimize {

/// sum_i loss(<w, x_i>, y_i) + (l2 / 2) |w - centre|^2 over the whole space or a ball around the
/// origin. Kinks need no rounding: width 0 keeps them.
struct DualProblem {
  model::Loss loss;
  double smoothing_width = 0;
  double l2 = 1;  ///< of the sum
  std::vector<double> centre{};
  Domain domain = WholeSpace{};
};

/// Minimises by stochastic dual coordinate ascent (Shalev-Shwartz, Zhang 2014), one dual number a
/// record, in a fixed order of records, and certifies the primal point by the Fenchel gap:
/// |w(alpha) - w*| <= sqrt(gap / l2). The gap is a sum of one Fenchel-Young term a record, each
/// computed without cancellation; its rounding is counted.
///
/// The bound is valid whether or not it reaches `tolerance` within `most_epochs` visits of every
/// record. Where the loss has a kink no useful number of visits can be proved to be enough, so that
/// a release of the minimiser must not rest on this solver alone: minimise_certified, with rounded
/// kinks, always delivers. UsageError for another domain.
[[nodiscard]] CertifiedMinimum minimise_by_dual_ascent(const data::Dataset& dataset,
                                                       const DualProblem& problem, double tolerance,
                                                       std::int64_t most_epochs,
                                                       const base::Supervision& supervision = {});

}  // namespace tacet::optimize
