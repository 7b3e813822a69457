#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/domain.h"
#include "tacet/optimize/solver/glm_loss.h"
#include "tacet/optimize/solver/glm_sums.h"
#include "tacet/privacy/bounded_sum.h"

/// Regularized minimisers, around the origin or a released point, as sums that additive mechanisms
/// take: on a grid, with a certified bound of what one record moves
/// (docs/proofs/regularized-output.md).
namespace tacet::optimize {

/// sum over `rows` of loss(<w, x_i>, y_i) + (sum_l2 / 2) |w - centre|^2 over a bounded domain.
struct LocalProblem {
  GlmLoss loss;
  RowRange rows;
  double sum_l2 = 1;  ///< of the sum
  std::vector<double> centre{};
  Domain domain = Ball{};
  /// How far one record moves the gradient of the sum anywhere on the domain: once for a record
  /// that is emptied, added or removed, twice for one that is replaced.
  double gradient_share = 1;
  /// Steps of projected descent from the centre, each a contraction, so that the last iterate moves
  /// no further than the minimiser whether it converged or not. Not for add_remove: the step that
  /// makes the map a contraction depends on the number of records, which a neighbour would not
  /// share; with a public count in its place the iteration diverges once there are twice as many.
  /// 0: the certified solver, for every adjacency and any number of records.
  std::int64_t steps = 0;
  double tolerance = 0;  ///< of the certified solver
};

/// In units of its share (once or twice), how far one record moves the result: (g / sum_l2) (1 -
/// rho^N) for N steps of contraction rho = 1 - 2 sum_l2 / (smoothness + 2 sum_l2) and what rounding
/// adds, or g / sum_l2 + 2 tolerance. From public facts: rows and columns of the problem, and the
/// bound of rows' norms. UsageError for a loss of unbounded slope or an unbounded domain.
[[nodiscard]] double local_share(const LocalProblem& problem, double norm_bound,
                                 std::int64_t columns);

/// The solution as a bounded sum whose contribution_bound() is local_share(). InternalError when
/// rows lie outside of the data set.
[[nodiscard]] privacy::BoundedSum local_minimum(const data::Dataset& dataset,
                                                const LocalProblem& problem,
                                                base::ThreadPool& threads,
                                                const base::Supervision& supervision = {});

/// The same for a problem whose rows are a block of their own among disjoint ones, cut by position.
[[nodiscard]] privacy::PartialSum local_block_minimum(const data::Dataset& dataset,
                                                      const LocalProblem& problem,
                                                      privacy::PassBlock block,
                                                      base::ThreadPool& threads,
                                                      const base::Supervision& supervision = {});

}  // namespace tacet::optimize
