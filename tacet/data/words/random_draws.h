#pragma once

#include <cstdint>

namespace tacet::data {

/// A stream of words that follows from one number (SplitMix64; Steele, Lea, Flood 2014), for
/// choices within one unit: which of its pairs take part in a step, and against which negatives.
///
/// It needs no cipher. A unit's share of a sum is bounded whatever is chosen, and the choice of a
/// unit does not depend on other units. So proofs hold for every outcome of these draws. Still, the
/// number comes from the secret source.
class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : state_(mixed(seed)) {}

  [[nodiscard]] std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  /// Uniform on 0, ..., n - 1 for 0 < n <= 2^32 (Lemire 2019, without the rejection: no number is
  /// more likely than another by more than 2^-32).
  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return (next() >> 32) * n >> 32; }
  /// True with probability threshold / 2^64; always for ~0.
  [[nodiscard]] bool heads(std::uint64_t threshold) { return next() <= threshold; }

  [[nodiscard]] static std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tacet::data
