#pragma once

#include <cstdint>

/// A coordinate t of a uniform point of the unit sphere in d dimensions. Its tail is half a
/// regularised incomplete beta function, P(t >= g) = I_{1 - g^2}((d - 1)/2, 1/2) / 2.
namespace tacet::numeric {

/// low <= value <= high.
struct Bracketed {
  double low;
  double high;
};

/// The largest dimension that SphereCoordinate takes.
inline constexpr std::int64_t max_sphere_dimension = std::int64_t{1} << 21;

/// The law of t, with density C_d (1 - x^2)^((d - 3)/2) on [-1, 1].
///
/// Every number is a sum of positive terms, or one half less such a sum, built from additions,
/// multiplications, divisions and square roots alone in 256 binary digits: rounding stays below
/// 2^-220 of a sum, and the terms left out below 2^-140 (docs/proofs/local_randomizers.md, section
/// 1). So the bounds are proved, at most 2^-51 apart in relation to the value, and the same on
/// every machine.
class SphereCoordinate {
 public:
  /// UsageError unless 2 <= d <= max_sphere_dimension. Takes time proportional to d.
  explicit SphereCoordinate(std::int64_t dimension);

  [[nodiscard]] std::int64_t dimension() const { return dimension_; }

  /// P(t >= g) for 0 <= g < 1, else a UsageError. Values below 1e-300 are bracketed without a
  /// promise of how closely.
  [[nodiscard]] Bracketed tail(double g) const;
  /// E[t; t >= g] = C_d (1 - g^2)^((d - 1)/2) / (d - 1), to a relative 2^-51.
  [[nodiscard]] double upper_mean(double g) const;
  /// C_d = Gamma(d/2) / (sqrt(pi) Gamma((d - 1)/2)), the largest density of the angle.
  [[nodiscard]] Bracketed density_constant() const;

 private:
  std::int64_t dimension_;
  // C_d as the exact sum of doubles, each the next 53 digits of it: 212 digits.
  double constant_[4];
};

}  // namespace tacet::numeric
