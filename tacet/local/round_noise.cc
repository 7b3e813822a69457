#include "tacet/local/round_noise.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::local {
namespace {

KnownNoise known(const mechanism::NoiseModel& noise) {
  return {.gradient_bound = noise.clipping_norm,
          .variance = noise.variance,
          .range = noise.range,
          .proxy = [noise](double a) { return noise.proxy(a); }};
}

}  // namespace

Certificate resolve_certificate(const mechanism::NoiseModel& noise, std::int64_t batch,
                                std::optional<CertificateKind> asked) {
  const auto kind =
      asked.value_or(noise.norm ? CertificateKind::bounded : CertificateKind::known_noise);
  const auto* name = mechanism::local_mechanism_names.of(noise.mechanism);
  switch (kind) {
    case CertificateKind::known_noise:
      return known_noise_certificate(known(noise), batch);
    case CertificateKind::symmetric:
      if (noise.symmetric) return symmetric_certificate(noise.clipping_norm);
      throw base::UsageError(
          "certificate symmetric needs noise whose law is that of its negative, which reports of "
          "{} do not have; use {}",
          name, noise.norm ? "bounded" : "known_noise");
    case CertificateKind::bounded:
      if (noise.norm) return bounded_certificate(*noise.norm);
      throw base::UsageError(
          "certificate bounded needs reports of bounded size, which {} does not have; use "
          "known_noise{}",
          name, noise.symmetric ? " or symmetric" : "");
  }
  throw base::InternalError("unknown certificate");
}

double report_bound(const mechanism::NoiseModel& noise, std::int64_t batch) {
  constexpr double twice_log = 55.262042231857095;  // 2 ln 1e12
  // No sum of a report's squares, of up to 2^20 coordinates, is off by so much.
  constexpr double slack = 1 + 0x1p-30;
  const auto count = static_cast<double>(batch);
  const double square = std::max(noise.second_moment(0), noise.second_moment(noise.clipping_norm));
  const double usual =
      noise.clipping_norm +
      (std::sqrt(square) + noise.max_norm * std::sqrt(twice_log)) / std::sqrt(count);
  return slack * std::min(noise.max_norm, usual);
}

double mixed_noise_cost(std::span<const mechanism::NoiseModel> noises, double range) {
  const auto count = static_cast<double>(noises.size());
  const double bound = noises.front().clipping_norm;
  // The mean as a distance from the first: equal ones give it to the last bit.
  const double first = noises.front().proxy(range / count);
  double beyond = 0;
  for (const auto& noise : noises) beyond += noise.proxy(range / count) - first;
  const double proxy = (first + beyond / count) / count;
  return proxy / 2 + kappa(range * bound) * (bound * bound);
}

mechanism::LocalRandomizer randomizer_at(const mechanism::LocalSpec& round, double min_epsilon,
                                         double epsilon) {
  if (!(epsilon >= min_epsilon)) {
    throw base::UsageError(
        "a report at epsilon {} is below this round's minimum {}: the learner's bounds were "
        "derived from that",
        epsilon, min_epsilon);
  }
  auto spec = round;
  spec.epsilon = epsilon;
  return mechanism::LocalRandomizer::calibrate(spec);
}

}  // namespace tacet::local
