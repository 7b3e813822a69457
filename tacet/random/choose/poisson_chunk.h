#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tacet/random/source/secure_memory.h"
#include "tacet/random/source/source.h"

/// The inner part of the Poisson sampler (subset.h): decides which of 4096 records are in the
/// sample.
namespace tacet::random::internal {

constexpr std::int64_t chunk_blocks = 64;
constexpr std::int64_t chunk_records = 64 * chunk_blocks;
/// After this many bits only one record in 64 is open, so it pays to gather the open ones.
constexpr int shared_bits = 6;

/// Bit i of word b for record 64 b + i.
using Chunk = std::array<std::uint64_t, chunk_blocks>;

/// The words of one chunk after another. A chunk has at most 64 words for each of 64 bits, so the
/// next one begins 4096 words later. First come the words of the shared bits, then some of the
/// later ones.
class ChunkWords {
 public:
  explicit ChunkWords(KeystreamBlockReader& reader) : reader_(reader) {}

  void open(std::int64_t chunk) {
    next_ = static_cast<std::uint64_t>(chunk * chunk_records);
    place_ = shared_words;
    read(words_);
  }

  /// Word b of bit k is at 64 k + b, for k < shared_bits.
  [[nodiscard]] const std::uint64_t* shared() const { return words_.data(); }

  /// The next word after the shared ones.
  std::uint64_t next() {
    if (place_ == words_.size()) {
      place_ = shared_words;
      read(std::span(words_).last(later_words));
    }
    return words_[place_++];
  }

 private:
  static constexpr std::size_t shared_words = shared_bits * chunk_blocks;
  // words per read; nearly always enough for the chunk
  static constexpr std::size_t later_words = 16;

  void read(std::span<std::uint64_t> words) {
    reader_.words(next_, words);
    next_ += words.size();
  }

  KeystreamBlockReader& reader_;
  std::uint64_t next_ = 0;
  alignas(64) std::array<std::uint64_t, shared_words + later_words> words_;
  const ScopedWipe wipe_{std::span(words_)};
  std::size_t place_ = 0;
};

/// Finds the records that are in the sample. A record is in if, at the first bit in which its
/// number U and the rate differ, U has a 0 and the rate a 1. The same on every machine.
void chunk_members(ChunkWords& words, std::uint64_t rate, Chunk& members);

}  // namespace tacet::random::internal
