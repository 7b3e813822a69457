#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/random/source/source.h"

namespace tacet::random {

__extension__ using Wide = unsigned __int128;

/// A positive rational number.
struct Ratio {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
};

/// True with probability exp(-numerator / denominator), exactly. A UsageError if denominator = 0.
[[nodiscard]] bool bernoulli_exp(Stream& stream, Wide numerator, Wide denominator);

/// The discrete Laplace law, P(k) proportional to exp(-|k| / scale) on the integers, exactly. It
/// differs from the rounded Laplace law: both have the pure epsilon sensitivity / scale, but their
/// profiles (delta at epsilon) are different.
class DiscreteLaplace {
 public:
  /// A UsageError unless 0 < scale <= 2^40.
  explicit DiscreteLaplace(Ratio scale);
  [[nodiscard]] std::int64_t draw(Stream& stream) const;

 private:
  Ratio scale_;
  double approximate_scale_;
};

/// The discrete Gaussian law, P(k) proportional to exp(-k^2 / (2 sigma^2)) on the integers,
/// exactly, for rational sigma^2 (Canonne, Kamath and Steinke 2020 define it; sampled by rejection
/// under a staircase of integer weights, with lazily refined uniform numbers).
class DiscreteGaussian {
 public:
  /// A UsageError unless 0 < sigma^2 <= 2^60.
  explicit DiscreteGaussian(Ratio sigma_squared);
  [[nodiscard]] std::int64_t draw(Stream& stream) const;

 private:
  struct Place {
    std::uint64_t weight;  // weight of the step, in units of 2^-unit_bits
    std::uint64_t end;     // sum of the weights up to this step, inclusive
  };
  static constexpr int unit_bits = 55;
  static constexpr int guide_bits = 9;

  /// Whether y >= 0, which was proposed with the weight `weight` 2^-(unit_bits + shift), is
  /// accepted.
  [[nodiscard]] bool accept(Stream& stream, std::int64_t y, std::uint64_t weight, int shift) const;

  Ratio variance_;
  double exponent_factor_;  // 1 / (2 sigma^2)
  std::uint64_t width_;     // of a step of the staircase
  std::uint64_t total_;
  int guide_shift_;
  std::vector<Place> places_;
  std::vector<std::uint8_t> guide_;
};

/// Adds independent draws to the values, in the order of the words of one keystream block.
void add_discrete_laplace(BlockClaim claim, Ratio scale, std::span<std::int64_t> values);
void add_discrete_gaussian(BlockClaim claim, Ratio sigma_squared, std::span<std::int64_t> values);

/// The largest scale of the samplers below, in grid units.
constexpr double largest_laplace_scale = 1099511627776.0;  // 2^40

/// Adds independent K_j = floor(X_j + 1/2), X_j with density exp(-|x| / scale) / (2 scale),
/// exactly. This is real Laplace noise, rounded. So the formulas of the continuous law hold for
/// integer values, unlike those of the discrete Laplace law.
///
/// Word first + j of the keystream block decides coordinate j, as for add_rounded_gaussian. A
/// UsageError unless 0 < scale <= 2^40. Sums wrap modulo 2^64.
void add_rounded_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values,
                         std::uint64_t first = 0);

namespace internal {

/// UsageError unless 0 < scale <= 2^40.
void check_laplace_scale(double scale);

/// add_rounded_laplace for an open keystream block. Internal: a block could add the same noise to
/// two sums, while a claim can be used only once.
void add_rounded_laplace(const KeystreamBlock& block, double scale, std::span<std::int64_t> values,
                         std::uint64_t first = 0);

}  // namespace internal

}  // namespace tacet::random
