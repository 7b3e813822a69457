#pragma once

#include <cstdint>
#include <optional>

#include "tacet/mechanism/local/local_spec.h"
#include "tacet/mechanism/local/noise_model.h"
#include "tacet/mechanism/local/sphere_cap.h"
#include "tacet/privacy/event.h"

namespace tacet::mechanism {

/// A local randomiser of one device's gradient. All of its constants follow from a public spec, so
/// they are the same for the server and for every device. Immutable.
///
/// Example:
///
///     // d = 100, epsilon 4, by PrivUnit: reports of 101 integers, estimates that weigh 6.65.
///     const auto randomizer = mechanism::LocalRandomizer::calibrate(
///         {.epsilon = 4, .dimension = 100, .clipping_norm = 1});
///     const double weight = *randomizer.noise().norm;
class LocalRandomizer {
 public:
  /// UsageError for a spec that makes no sense. GuaranteeError, which names an alternative, if
  /// there is no proof, or if more than 2^20 candidates per report are expected.
  [[nodiscard]] static LocalRandomizer calibrate(const LocalSpec& spec);

  /// With the embedding resolved.
  [[nodiscard]] const LocalSpec& spec() const { return spec_; }
  /// The event of one report: PureDp under replace_one, or Gaussian.
  [[nodiscard]] const privacy::Event& event() const { return event_; }
  [[nodiscard]] bool pure() const { return spec_.mechanism != LocalMechanism::gaussian; }

  /// The gradient has to be on the grid clipping_norm / 2^norm_bits (optimize::ContributionLimit).
  [[nodiscard]] int norm_bits() const { return norm_bits_; }
  /// One more than spec().dimension under lift.
  [[nodiscard]] std::int64_t report_coordinates() const { return noise_.coordinates; }
  /// The bytes of a report on the wire.
  [[nodiscard]] std::int64_t report_bytes() const;
  /// Expected number of candidates for a report; 1 if noise is added.
  [[nodiscard]] double expected_candidates() const;
  /// The most random words that a report takes, and the size of the keystream block that is claimed
  /// for it.
  [[nodiscard]] std::int64_t claim_words() const;
  [[nodiscard]] const NoiseModel& noise() const { return noise_; }

  /// The cap from which directions are drawn; none for one coordinate, which uses randomised
  /// response.
  [[nodiscard]] const std::optional<SphereCap>& cap() const { return cap_; }
  /// The law of the random bit that decides whether the direction is drawn inside of the cap, or
  /// whether randomised response tells the truth.
  [[nodiscard]] BitLaw bit() const { return bit_; }
  /// The scale of additive noise, in grid units.
  [[nodiscard]] double grid_scale() const { return grid_scale_; }

 private:
  explicit LocalRandomizer(const LocalSpec& spec);
  void resolve_directions();
  void resolve_laplace();
  void resolve_gaussian();
  void resolve_grid(double reach);

  LocalSpec spec_;
  privacy::Event event_;
  NoiseModel noise_;
  std::optional<SphereCap> cap_;
  BitLaw bit_{};
  int norm_bits_ = 30;
  double grid_scale_ = 0;
};

/// The size of a report's binary form without its coordinates.
inline constexpr std::int64_t report_frame_bytes = 20;

}  // namespace tacet::mechanism
