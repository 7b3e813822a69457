#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

/// Objective perturbation (Kifer, Smith, Thakurta 2012) in its approximate-minimum form (Iyengar et
/// al. 2019), on grids, so that its proof covers the floating-point program
/// (docs/proofs/objective.md).
///
/// A random linear term <b, w> is added to the objective, its minimiser is found to a known
/// distance, and noise for that distance is added to it. The proof is about a real vector b and its
/// exact minimiser w*(b): The density of b for the two data sets gives the first part of the
/// privacy loss. What the program computes is a function of the records and of b rounded to a grid,
/// and lies within `distance` of w*(b): the solver's tolerance, the rounding of b divided by the
/// regularization, and the rounding of the result. Given w*, two data sets' results lie at most
/// twice that apart, which the output noise hides. Without output noise, a result in doubles could
/// reveal which of two data sets was used, since the set of b that lead to it depends on the data.
namespace tacet::mechanism {

/// Values of one grid unit, powers of two.
struct MinimumGrids {
  double linear = 1;  ///< of b
  double output = 1;  ///< of the minimiser
};
/// The scales that the grids have to resolve.
struct MinimumScales {
  double linear;          ///< of b's noise
  double output;          ///< of the output noise
  double distance;        ///< largest distance of the computed minimiser from the exact one for b
  double regularization;  ///< strong convexity of the objective
};
/// Half a diagonal of either grid moves the minimiser by at most a thirty-second of the distance,
/// if the noise then spans 2^20 to 2^30 units of the first grid and 2^16 to 2^30 of the second. Not
/// finer, because exact noise on a fine grid takes longer to draw.
[[nodiscard]] MinimumGrids minimum_grids(const MinimumScales& scales, std::size_t columns);

/// The tolerance for the solver such that `distance` holds after both roundings; negative if the
/// roundings alone exceed it.
[[nodiscard]] double solver_tolerance(double distance, double regularization,
                                      const MinimumGrids& grids, std::size_t columns);

/// Returns a point within solver_tolerance() of the minimiser of the objective plus <linear, w>.
/// `linear` and the point are secret.
using PerturbedSolver = std::function<std::vector<double>(std::span<const double> linear)>;

/// Gaussian b of standard deviation event.sigma and Gaussian output noise event.output_sigma, for
/// the distance event.tolerance / event.regularization. Debits the event before a random bit is
/// drawn. The noise of b comes from `address`, the output's from the next tensor.
[[nodiscard]] privacy::Released<std::vector<double>> release_perturbed_minimum(
    const privacy::ObjectivePerturbation& event, std::size_t columns, const PerturbedSolver& solver,
    const ReleaseContext& context);

/// The pure form: b of density proportional to exp(-|b| / scales.linear), output noise of density
/// proportional to exp(-|z| / scales.output). The caller proves `epsilon`: ln(1 + smoothness /
/// regularization) + (distance factor * lipschitz) / scales.linear + 2 distance / scales.output.
struct PurePerturbation {
  privacy::Epsilon epsilon;
  privacy::Adjacency adjacency;
  MinimumScales scales;
};
/// Debits PureDp before a random bit is drawn.
[[nodiscard]] privacy::Released<std::vector<double>> release_purely_perturbed_minimum(
    const PurePerturbation& perturbation, std::size_t columns, const PerturbedSolver& solver,
    const ReleaseContext& context);

}  // namespace tacet::mechanism
