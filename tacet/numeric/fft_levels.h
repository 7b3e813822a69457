#pragma once

#include <cstddef>

namespace tacet::numeric::internal {

/// Split arrays of 2^k numbers, and the factors of all levels; see Fft.
struct FftBlock {
  double* real;
  double* imaginary;
  std::size_t size;
  const double* cosines;
  const double* minus_sines;
};

/// Runs all levels of a transform on the widest vectors of the machine. Every number goes through
/// the same operations with the same roundings, whatever the width. A block that fits the nearest
/// cache is finished before the next one begins.
void forward_levels(const FftBlock& block);
/// The inverse transform, without the factor 1/N.
void inverse_levels(const FftBlock& block);

}  // namespace tacet::numeric::internal
