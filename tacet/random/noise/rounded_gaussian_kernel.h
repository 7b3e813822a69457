#pragma once

#include <cstddef>
#include <cstdint>

namespace tacet::random::internal {

/// Room for one call of the kernel. The list of tails has room for
/// one vector more.
struct GaussianBatch {
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t padding = 64;

  double sigma = 0;
  double least_margin = 0;
  alignas(64) std::uint64_t words[capacity];
  alignas(64) std::int64_t values[capacity];
  alignas(64) std::uint64_t tail_words[capacity + padding];
  alignas(64) std::uint32_t tail_places[capacity];
  alignas(64) std::uint32_t undecided[capacity];
};

/// Adds to batch.values what doubles decide for the first `count` words (a multiple of 64, words
/// beyond those wanted being anything), on the widest vectors the machine has. Returns how many
/// places it wrote to batch.undecided; those got nothing yet.
std::size_t settle_gaussians(GaussianBatch& batch, std::size_t count);

}  // namespace tacet::random::internal
