#include "tacet/mechanism/noise/discrete_noise.h"

#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/mechanism/noise/noisy_sum.h"
#include "tacet/random/noise/discrete.h"

namespace tacet::mechanism {
namespace {

/// The smallest multiple of 2^-20 from `value` on (of 1 for large values): never less noise than
/// the event says.
random::Ratio ratio_above(double value) {
  const int bits = value < 0x1p40 ? 20 : 0;
  return {static_cast<std::uint64_t>(std::ceil(std::ldexp(value, bits))), std::uint64_t{1} << bits};
}

double checked(double value, double min, double max, const char* what) {
  if (!(value >= min && value <= max)) {
    throw base::UsageError(
        "{} must lie between {} and {} grid units, got {}; a coarser grid has room for more", what,
        min, max, value);
  }
  return value;
}

double sigma_of(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  return checked(multiplier.value() * static_cast<double>(sum.contribution_bound()), 0x1p-10,
                 0x1p20, "the standard deviation of discrete Gaussian noise");
}

double scale_of(const privacy::BoundedSum& sum, privacy::NoiseMultiplier multiplier) {
  return checked(multiplier.value() * static_cast<double>(internal::absolute_norm_bound(sum)),
                 0x1p-20, 0x1p39, "the scale of discrete Laplace noise");
}

}  // namespace

privacy::Event discrete_gaussian_event(const privacy::BoundedSum& sum,
                                       privacy::NoiseMultiplier multiplier) {
  // Canonne, Kamath, Steinke 2020, by the sum's own dimension and bound.
  return privacy::DiscreteGaussian{sigma_of(sum, multiplier), sum.contribution_bound(),
                                   static_cast<std::int64_t>(sum.size())};
}

privacy::Released<std::vector<double>> release_discrete_gaussian(
    privacy::BoundedSum sum, privacy::NoiseMultiplier multiplier, const ReleaseContext& context) {
  const auto event = discrete_gaussian_event(sum, multiplier);
  const double sigma = sigma_of(sum, multiplier);
  // Rounded up: the square of a double has one rounding.
  const auto variance = ratio_above(std::nextafter(sigma * sigma, INFINITY));
  return internal::release_noisy_sum(std::move(sum), event, context,
                                     [&](random::BlockClaim claim, std::span<std::int64_t> values) {
                                       random::add_discrete_gaussian(std::move(claim), variance,
                                                                     values);
                                     });
}

privacy::Event discrete_laplace_event(const privacy::BoundedSum& sum,
                                      privacy::NoiseMultiplier multiplier) {
  return privacy::DiscreteLaplace{scale_of(sum, multiplier), internal::absolute_norm_bound(sum)};
}

privacy::Released<std::vector<double>> release_discrete_laplace(privacy::BoundedSum sum,
                                                                privacy::NoiseMultiplier multiplier,
                                                                const ReleaseContext& context) {
  const auto event = discrete_laplace_event(sum, multiplier);
  const auto scale = ratio_above(scale_of(sum, multiplier));
  return internal::release_noisy_sum(std::move(sum), event, context,
                                     [&](random::BlockClaim claim, std::span<std::int64_t> values) {
                                       random::add_discrete_laplace(std::move(claim), scale,
                                                                    values);
                                     });
}

}  // namespace tacet::mechanism
