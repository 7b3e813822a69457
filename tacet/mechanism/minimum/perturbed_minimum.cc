#include "tacet/mechanism/minimum/perturbed_minimum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/random/noise/rounded_gaussian.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {
namespace {

constexpr int coarsest_linear_bits = 20;
constexpr int coarsest_output_bits = 16;
constexpr int finest_bits = 30;

double power_of_two_below(double scale, int bits) {
  if (!(scale > 0) || !std::isfinite(scale) || std::fabs(std::log2(scale)) > 900) {
    throw base::UsageError("the scale of noise on a minimiser must be positive and finite");
  }
  return std::ldexp(1.0, std::ilogb(scale) - bits);
}

// The integer modulo 2^64 that is nearest to value / grid. The sum with the noise wraps in the same
// way, so the release is a function of the unbounded sum.
std::int64_t to_grid(double value, double grid) {
  constexpr double modulus = 0x1p64;
  double units = std::nearbyint(value / grid);
  if (!std::isfinite(units)) return 0;  // certified solvers return numbers
  units = std::remainder(units, modulus);
  return units >= 0x1p63 ? INT64_MIN : static_cast<std::int64_t>(units);
}

/// The noise on the objective and on its minimiser, and the cost of both.
struct Perturbation {
  MinimumScales scales;
  privacy::Event event;
  void (*add)(random::BlockClaim, double scale, std::span<std::int64_t> values);
  std::int64_t words;  ///< largest number of words per column for the noise
};

privacy::Released<std::vector<double>> perturb(const Perturbation& perturbation,
                                               std::size_t columns, const PerturbedSolver& solver,
                                               ReleaseContext context) {
  const auto grids = minimum_grids(perturbation.scales, columns);
  context.reservation.debit(perturbation.event);
  std::vector<std::int64_t> units(columns, 0);
  // Dividing by a power of two is exact, so the scales are those of the event.
  const auto add_noise = [&](double scale) {
    const auto words = static_cast<std::int64_t>(columns) * perturbation.words;
    perturbation.add(context.claim(random::Purpose::noise, words), scale, units);
    ++context.address.tensor;
  };
  add_noise(perturbation.scales.linear / grids.linear);
  const auto minimiser = solver(internal::in_real_units(units, grids.linear));
  if (minimiser.size() != columns) {
    throw base::InternalError("a solver returned a point of another size");
  }
  for (std::size_t j = 0; j < columns; ++j) units[j] = to_grid(minimiser[j], grids.output);
  add_noise(perturbation.scales.output / grids.output);
  return {AccessKeys::key(), internal::in_real_units(units, grids.output), perturbation.event};
}

}  // namespace

MinimumGrids minimum_grids(const MinimumScales& scales, std::size_t columns) {
  if (!(scales.distance > 0) || !(scales.regularization > 0)) {
    throw base::UsageError("the distance of a minimum and its regularization must be positive");
  }
  const double wanted = scales.distance / (16 * std::sqrt(static_cast<double>(columns)));
  const auto grid = [](double size, double scale, int coarsest_bits) {
    return std::clamp(std::ldexp(1.0, std::ilogb(size)), power_of_two_below(scale, finest_bits),
                      power_of_two_below(scale, coarsest_bits));
  };
  return {grid(wanted * scales.regularization, scales.linear, coarsest_linear_bits),
          grid(wanted, scales.output, coarsest_output_bits)};
}

double solver_tolerance(double distance, double regularization, const MinimumGrids& grids,
                        std::size_t columns) {
  const double half_diagonal = 0.5 * std::sqrt(static_cast<double>(columns));
  return (distance - (grids.linear / regularization + grids.output) * half_diagonal * (1 + 1e-12)) *
         (1 - 1e-12);
}

privacy::Released<std::vector<double>> release_perturbed_minimum(
    const privacy::ObjectivePerturbation& event, std::size_t columns, const PerturbedSolver& solver,
    const ReleaseContext& context) {
  const MinimumScales scales{.linear = event.sigma,
                             .output = event.output_sigma,
                             .distance = event.tolerance / event.regularization,
                             .regularization = event.regularization};
  const auto add = [](random::BlockClaim claim, double sigma, std::span<std::int64_t> values) {
    random::add_rounded_gaussian(std::move(claim), sigma, values);
  };
  return perturb({scales, event, add, 1}, columns, solver, context);
}

privacy::Released<std::vector<double>> release_purely_perturbed_minimum(
    const PurePerturbation& perturbation, std::size_t columns, const PerturbedSolver& solver,
    const ReleaseContext& context) {
  // docs/proofs/objective.md, sections 1 and 2: the pure form after Chaudhuri, Monteleoni, Sarwate
  // 2011, and the computed minimum's distance from the exact one.
  const privacy::Event event =
      privacy::PureDp{perturbation.epsilon.value(), perturbation.adjacency};
  return perturb(
      {perturbation.scales, event, random::add_rounded_l2_laplace, random::l2_laplace_words},
      columns, solver, context);
}

}  // namespace tacet::mechanism
