#include "tacet/mechanism/noise/laplace.h"

#include <cmath>
#include <utility>

#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {
namespace {

/// In grid units.
double checked_laplace_scale(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  const double norm = static_cast<double>(internal::absolute_norm_bound(sum));
  const double scale =
      multiplier.value() == 0 ? 0 : internal::next_above(multiplier.value() * norm);
  random::internal::check_laplace_scale(scale);
  return scale;
}

}  // namespace

privacy::Event laplace_event(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  static_cast<void>(checked_laplace_scale(sum, multiplier));
  return privacy::Laplace{multiplier.value()};
}

privacy::Released<std::vector<double>> release_laplace(privacy::BoundedSum sum,
                                                       privacy::NoiseMultiplier multiplier,
                                                       const ReleaseContext& context) {
  const auto event = laplace_event(sum, multiplier);
  const double scale = checked_laplace_scale(sum, multiplier);
  return internal::release_noisy_sum(std::move(sum), event, context,
                                     [&](random::BlockClaim claim, std::span<std::int64_t> values) {
                                       random::add_rounded_laplace(std::move(claim), scale, values);
                                     });
}

privacy::Event l2_laplace_event(privacy::Epsilon epsilon, privacy::Adjacency adjacency) {
  // With |z - z'| <= D, densities proportional to exp(-|z| / b), b = D / epsilon, differ by a
  // factor of at most exp(epsilon) (Hardt, Talwar 2010: the K-norm mechanism of the Euclidean
  // ball).
  return privacy::PureDp{epsilon.value(), adjacency};
}

privacy::Released<std::vector<double>> release_l2_laplace(privacy::BoundedSum sum,
                                                          privacy::Epsilon epsilon,
                                                          privacy::Adjacency adjacency,
                                                          const ReleaseContext& context) {
  const privacy::Event event = l2_laplace_event(epsilon, adjacency);
  const double scale = std::isinf(epsilon.value())
                           ? 0
                           : internal::next_above(sum.sensitivity(adjacency) / epsilon.value());
  random::internal::check_laplace_scale(scale);
  return internal::release_noisy_sum(std::move(sum), event, context,
                                     [&](random::BlockClaim claim, std::span<std::int64_t> values) {
                                       random::add_rounded_l2_laplace(std::move(claim), scale,
                                                                      values);
                                     });
}

}  // namespace tacet::mechanism
