#include "tacet/random/choose/poisson_chunk.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tacet::random::internal {
namespace poisson_chunk_test {

/// The first bits of the number U of record 64 b + i, which lie in the shared words.
std::uint64_t first_bits(const ChunkWords& words, std::size_t b, std::size_t i) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < shared_bits; ++k) {
    bits = 2 * bits + ((words.shared()[k * chunk_blocks + b] >> i) & 1);
  }
  return bits;
}

TEST(PoissonChunk, TakesTheRecordsWhoseNumberIsBelowTheRate) {
  SeededSource source(5);
  const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
  KeystreamBlockReader reader(block);
  ChunkWords words(reader);
  for (std::uint64_t sixty_fourths = 0; sixty_fourths < 64; ++sixty_fourths) {
    words.open(static_cast<std::int64_t>(sixty_fourths));
    Chunk members;
    chunk_members(words, sixty_fourths << 58, members);
    for (std::size_t b = 0; b < members.size(); ++b) {
      for (std::size_t i = 0; i < 64; ++i) {
        ASSERT_EQ((members[b] >> i) & 1, first_bits(words, b, i) < sixty_fourths ? 1U : 0U);
      }
    }
  }
}

// Between two multiples of 1/64 the later bits decide of the records in between, and of no others.
TEST(PoissonChunk, LaterBitsDecideOnlyWhereTheFirstAgree) {
  SeededSource source(6);
  const KeystreamBlock block(source.claim(Purpose::sampling, 0, 0));
  KeystreamBlockReader reader(block);
  ChunkWords words(reader);
  constexpr std::uint64_t sixty_fourths = 20;
  int between = 0;
  int in = 0;
  for (std::int64_t chunk = 0; chunk < 64; ++chunk) {
    words.open(chunk);
    Chunk members;
    chunk_members(words, (sixty_fourths << 58) + (std::uint64_t{1} << 57) + 12345, members);
    for (std::size_t b = 0; b < members.size(); ++b) {
      for (std::size_t i = 0; i < 64; ++i) {
        const bool member = ((members[b] >> i) & 1) != 0;
        const auto bits = first_bits(words, b, i);
        if (bits == sixty_fourths) {
          ++between;
          in += member ? 1 : 0;
        } else {
          ASSERT_EQ(member, bits < sixty_fourths);
        }
      }
    }
  }
  // A 64th of 262,144 records is in between, and half of these are in: six standard deviations.
  EXPECT_NEAR(between, 4096, 6 * 64);
  EXPECT_NEAR(in, between / 2.0, 6 * 32);
}

}  // namespace poisson_chunk_test
}  // namespace tacet::random::internal
