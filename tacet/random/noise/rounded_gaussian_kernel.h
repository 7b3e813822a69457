#pragma once

#include <cstddef>
#include <cstdint>

namespace tacet::random::internal {

/// Room for one call of the kernel. The list has room for a few more than there can be.
struct GaussianBatch {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t padding = 64;

  double sigma = 0;
  double min_margin = 0;
  alignas(64) std::uint64_t words[capacity];
  alignas(64) std::int64_t last[padding];                // values that are no whole vectors
  alignas(64) std::uint64_t listed[capacity + padding];  // words that the centre does not settle
  alignas(64) std::uint32_t places[capacity + padding];  // and where they stand
  alignas(64) std::int64_t rows[capacity + padding];     // where a tail's coefficients are
  alignas(64) double offsets[capacity + padding];        // and where it is in their piece
  alignas(64) std::uint32_t undecided[capacity];
  std::uint64_t left[capacity / 64];  // bits of the words that the centre does not settle
};

/// Adds to the values what doubles decide for `count` of batch.words from `begin` on (a multiple of
/// 64), on the widest vectors the machine has. Returns how many places it wrote to batch.undecided,
/// counted from `begin`; those got nothing yet.
std::size_t resolve_gaussians(GaussianBatch& batch, std::size_t begin, std::int64_t* values,
                              std::size_t count);

}  // namespace tacet::random::internal
