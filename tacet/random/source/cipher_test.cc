#include "tacet/random/source/cipher.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace cipher_test {

TEST(Keystream, PassesItsKnownAnswerTest) { EXPECT_NO_THROW(check_cipher()); }

TEST(Keystream, GivesTheWordsThatOpensslsProgramGives) {
  // openssl enc -aes-256-ctr with the keys of KeyTree.ChildrenAreDerivedAsDocumented and a zero
  // counter.
  const Key block = Key::from_seed(7).child("run").child("noise").child("leaf", 3, 5);
  Keystream words(block.child("words"));
  std::array<std::uint64_t, 4> out{};
  words.words(0, out);
  EXPECT_EQ(out, (std::array<std::uint64_t, 4>{0x138f65072541a7cdU, 0xc6f6b428c123df34U,
                                               0xa8c0425a3344f123U, 0x300fae8c339b3273U}));
  Keystream extension(block.child("ext", 11));
  std::array<std::uint64_t, 2> more{};
  extension.words(0, more);
  EXPECT_EQ(more, (std::array<std::uint64_t, 2>{0x48f155f67416fbf5U, 0x1b844d7d97a8fbb7U}));
}

TEST(Keystream, AnyPieceEqualsThatPartOfTheWhole) {
  const Key key = Key::from_seed(2).child("test");
  constexpr std::size_t size = 10000;
  std::vector<std::uint64_t> whole(size);
  Keystream(key).words(0, whole);
  Keystream pieces(key);
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 1},
                                     {1, 1},
                                     {1, 2},
                                     {3, 0},
                                     {7, 4096},
                                     {2, 5000},
                                     {9999, 1},
                                     {4095, 4099},
                                     {5000, 5000}}) {
    std::vector<std::uint64_t> piece(count);
    pieces.words(first, piece);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + static_cast<long>(first)))
        << first << " " << count;
  }
}

TEST(Keystream, CountersAreSixteenByteBlocksAlsoBeyondFourBytes) {
  const Key key = Key::from_seed(2).child("test");
  std::array<std::uint64_t, 2> late{};
  std::array<std::uint64_t, 4> across{};
  Keystream(key).words(Keystream::word_limit - 2, late);
  Keystream(key).words(Keystream::word_limit - 4, across);
  EXPECT_EQ(late[0], across[2]);
  EXPECT_EQ(late[1], across[3]);
}

TEST(Keystream, EndsAtItsLimit) {
  Keystream stream(Key::from_seed(2).child("test"));
  std::array<std::uint64_t, 2> out{};
  EXPECT_NO_THROW(stream.words(Keystream::word_limit - 2, out));
  EXPECT_THROW(stream.words(Keystream::word_limit - 1, out), base::InternalError);
  EXPECT_THROW(stream.words(~std::uint64_t{0}, out), base::InternalError);
}

}  // namespace cipher_test
}  // namespace tacet::random::internal
