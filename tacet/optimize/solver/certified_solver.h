#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/solver/domain.h"
#include "tacet/optimize/solver/glm_loss.h"
#include "tacet/optimize/solver/glm_sums.h"

/// Minimisers with a proved distance to the exact one: what private releases of a minimiser need.
///
/// Example:
///
///     const auto minimise = [](const data::Dataset& records, base::ThreadPool& threads) {
///       const optimize::GlmLoss loss(model::LogisticLoss{});
///       const optimize::RegularizedProblem problem{.loss = loss, .sum_l2 = 10};
///       // Within 1e-9 of the exact minimiser, whatever the records are; as private as they are.
///       return optimize::minimise_certified(records, problem, 1e-9, threads);
///     };
namespace tacet::optimize {

/// How far the first routes of minimise_certified go.
struct SolverLimits {
  std::int64_t fast_passes = 200;  ///< over the records, of the fast route
  bool accelerated = true;         ///< whether the second route is tried
};

/// sum_i loss(<w, x_i>, y_i) + (sum_l2 / 2) |w - centre|^2 + <linear, w> over the domain.
struct RegularizedProblem {
  GlmLoss loss;
  double sum_l2 = 1;             ///< of the sum, not of the mean; positive
  std::vector<double> centre{};  ///< empty: the origin
  std::vector<double> linear{};  ///< empty: none
  Domain domain = WholeSpace{};
  std::optional<RowRange> rows{};  ///< absent: all records
  SolverLimits limits{};

  [[nodiscard]] RowRange rows_of(const data::Dataset& dataset) const {
    return rows.value_or(RowRange{0, dataset.rows()});
  }
};

/// Public facts that bound the work before a record is read.
struct WorkFacts {
  std::int64_t rows = 0;  ///< the public count
  double norm_bound = 1;
  double curvature = 0.25;  ///< of the loss
  double sum_l2 = 1;
  double distance = 1;   ///< of the start from the minimiser, at most
  double tolerance = 1;  ///< asked for
};

/// Steps of accelerated descent that reach the tolerance whatever the data: with kappa = 1 + rows
/// curvature norm_bound^2 / sum_l2, ln(8 (kappa + 1/2) distance^2 / tolerance^2) over
/// -ln(1 - kappa^{-1/2}) (Beck 2017, theorem 10.42).
[[nodiscard]] std::int64_t fallback_length(const WorkFacts& facts);
/// UsageError when that length times the rows exceeds 2^42 visits of a record: for use before any
/// data are read. The solver itself never gives up.
void check_fallback_work(const WorkFacts& facts);

/// Which route ended the search; only tests look at it.
enum class SolverRoute { fast, accelerated, wide };

struct CertifiedMinimum {
  std::vector<double> weights;
  double distance_bound = 0;  ///< of the weights from the exact minimiser, at most the tolerance
  SolverRoute route = SolverRoute::fast;
};

/// The minimiser over the rows of the problem, to a distance of at most `tolerance` in Euclidean
/// norm of the exact minimiser of the problem in real arithmetic.
///
/// This holds for every data set, rounding included; there is no failure to converge, no looser
/// tolerance and no second attempt with other numbers:
///  1. Newton's method (Cholesky for few columns, preconditioned conjugate gradients for many) for
///  at
///     most `limits.fast_passes` passes over the records, ended by a certificate of the last point
///     that counts every rounding.
///  2. Accelerated projected gradient descent in doubles (V-FISTA: Beck 2017, theorem 10.42) for
///  the
///     number of steps that its theorem needs, certified in the same way.
///  3. The same in floats of 113 bits: after fallback_length() steps the theorem bounds the
///  distance
///     by half the tolerance, and rounding is too small to count, so that no certificate is needed.
/// All three return points within the tolerance, so that which one ended is of no concern to a
/// release that accounts for the tolerance. How long it takes depends on the data, as the time of
/// every solver does; nothing about it is printed. The same bits for any number of threads and for
/// dense and sparse storage.
///
/// The tolerance must be positive; the result is as private as the records.
[[nodiscard]] CertifiedMinimum minimise_certified(const data::Dataset& dataset,
                                                  const RegularizedProblem& problem,
                                                  double tolerance, base::ThreadPool& threads,
                                                  const base::Supervision& supervision = {});

}  // namespace tacet::optimize
