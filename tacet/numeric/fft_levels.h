#pragma once

#include <cstddef>

namespace tacet::numeric::internal {

/// Split arrays of 2^k numbers and the factors of all levels, see Fft.
struct FftBlock {
  double* real;
  double* imaginary;
  std::size_t size;
  const double* cosines;
  const double* minus_sines;
};

/// All levels of a transform, on the widest vectors the machine has. Every number goes through the
/// same operations, each rounded, whatever the width; a block that fits into the nearest cache is
/// done before the next one.
void forward_levels(const FftBlock& block);
/// The same backwards, without the factor 1/N.
void inverse_levels(const FftBlock& block);

}  // namespace tacet::numeric::internal
