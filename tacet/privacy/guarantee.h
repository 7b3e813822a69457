#pragma once

#include <compare>

#include "tacet/privacy/adjacency.h"

namespace tacet::privacy {

/// A privacy loss bound: at least 0; infinity promises nothing. Anything else is a UsageError.
class Epsilon {
 public:
  explicit Epsilon(double value);
  [[nodiscard]] double value() const { return value_; }
  friend auto operator<=>(Epsilon, Epsilon) = default;

 private:
  double value_;
};

/// The probability that the bound of Epsilon may fail: in [0, 1); 0 is pure privacy. Anything else
/// is a UsageError.
class Delta {
 public:
  explicit Delta(double value);
  [[nodiscard]] double value() const { return value_; }
  friend auto operator<=>(Delta, Delta) = default;

 private:
  double value_;
};

/// Standard deviation (or scale) of noise in units of one record's bound C: at least 0. No
/// noise (0) costs infinity, infinite noise costs nothing. Anything else is a UsageError.
class NoiseMultiplier {
 public:
  explicit NoiseMultiplier(double value);
  [[nodiscard]] double value() const { return value_; }
  friend auto operator<=>(NoiseMultiplier, NoiseMultiplier) = default;

 private:
  double value_;
};

/// Bound C of one record's contribution: positive and finite. Anything else is a UsageError.
class ClippingNorm {
 public:
  explicit ClippingNorm(double value);
  [[nodiscard]] double value() const { return value_; }
  friend auto operator<=>(ClippingNorm, ClippingNorm) = default;

 private:
  double value_;
};

/// Probability that a record takes part in one step: in [0, 1]. Anything else is a UsageError.
class SamplingRate {
 public:
  explicit SamplingRate(double value);
  [[nodiscard]] double value() const { return value_; }
  friend auto operator<=>(SamplingRate, SamplingRate) = default;

 private:
  double value_;
};

/// (epsilon, delta)-differential privacy between neighbours of `adjacency`. An infinite epsilon
/// promises nothing.
struct Guarantee {
  double epsilon;
  double delta;
  Adjacency adjacency;

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

/// The same guarantee after a check of its ranges (epsilon >= 0, 0 <= delta <= 1); a violation is
/// a UsageError.
[[nodiscard]] Guarantee checked(const Guarantee& guarantee);

}  // namespace tacet::privacy
