#pragma once

#include <cstdint>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/certified_solver.h"
#include "tacet/privacy/bounded_sum.h"

/// Minimisers as sums that additive mechanisms take: on a grid, with a certified bound of what one
/// record moves.
namespace tacet::optimize {

/// Public numbers of projected gradient descent of fixed length on
/// sum_i loss(<w, x_i>, y_i) + (l2/2) |w|^2 over the ball of radius `radius`, from 0.
struct StableDescent {
  GlmLoss loss;
  double l2 = 1;      ///< of the sum
  double radius = 1;  ///< finite, so that rounding has a public bound
  std::int64_t steps = 1;
};

/// How far one record moves the last iterate, in units of its share (once for a record that is
/// emptied, twice for one that is replaced): (G/l2)(1 - rho^N), G = slope bound * norm bound,
/// rho = 1 - 2 l2 / (smoothness + 2 l2), and the rounding of both runs. Every step is a
/// rho-contraction because all eigenvalues of the Hessian between two points lie in [0, smoothness]
/// (mean value theorem; the loss need be smooth on the ball alone), the projection moves no two
/// points apart, and the record adds its own step. `rows` is the number of records, the same for
/// both neighbours.
[[nodiscard]] double stable_share(const StableDescent& descent, std::int64_t rows,
                                  double norm_bound, std::int64_t columns);

/// The last iterate as a bounded sum, for replace_one and zero_out. It is not one for add_remove:
/// the step that makes the map a contraction depends on the number of records, which a neighbour
/// does not share; with a public count in its place the iteration diverges once there are twice as
/// many. The number of steps, and thereby convergence, is of no concern to the bound.
[[nodiscard]] privacy::BoundedSum stable_minimum(const data::Dataset& dataset,
                                                 const StableDescent& descent,
                                                 base::ThreadPool& threads,
                                                 const base::Supervision& supervision = {});

/// The minimiser to within `tolerance` (minimise_certified) as a bounded sum, for every adjacency
/// and any number of records: a record's share is G/l2 + 2 tolerance. The loss's slope must be
/// bounded and the domain convex; UsageError otherwise.
[[nodiscard]] privacy::BoundedSum certified_minimum(const data::Dataset& dataset,
                                                    const RegularizedProblem& problem,
                                                    double tolerance, base::ThreadPool& threads,
                                                    const base::Supervision& supervision = {});

/// The bound of certified_minimum's sum in real units, from public facts: what its noise is made
/// for.
[[nodiscard]] double certified_share(const RegularizedProblem& problem, double tolerance,
                                     double norm_bound, std::int64_t columns);

}  // namespace tacet::optimize
