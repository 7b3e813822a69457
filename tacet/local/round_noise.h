#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacet/local/certificate.h"
#include "tacet/mechanism/local/local_randomizer.h"

/// What the noise of a round's reports means for the learner that reads their mean.
namespace tacet::local {

/// The certificate for means of `batch` reports: the one asked for, or `bounded` where reports have
/// a bound and `known_noise` where not. UsageError where the mechanism does not allow it.
[[nodiscard]] Certificate resolve_certificate(const mechanism::NoiseModel& noise,
                                              std::int64_t batch,
                                              std::optional<CertificateKind> asked);

/// How long the mean of `batch` honest reports is at most, but for a probability below 1e-12: what
/// a round's report is cut to (docs/proofs/banco.md, section 4). For one report noise.max_norm.
[[nodiscard]] double report_bound(const mechanism::NoiseModel& noise, std::int64_t batch);

/// c_t of certificate known_noise for the mean of reports with different noise, from the largest
/// range that all of them allow (docs/proofs/banco.md, section 2). `noises` is not empty.
[[nodiscard]] double mixed_noise_cost(std::span<const mechanism::NoiseModel> noises, double range);

/// A randomiser for a device that chose its own epsilon, independently of its record. UsageError
/// below the round's minimum, from which ranges and bounds were determined.
[[nodiscard]] mechanism::LocalRandomizer randomizer_at(const mechanism::LocalSpec& round,
                                                       double min_epsilon, double epsilon);

}  // namespace tacet::local
