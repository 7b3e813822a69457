#include "tacet/base/sha256.h"

#include <gtest/gtest.h>

namespace tacet::base {
namespace sha256_test {

// FIPS 180-2, appendix B.1 and B.2.
TEST(Sha256, KnownAnswersInPieces) {
  Sha256 whole;
  whole.add("abc");
  EXPECT_EQ(whole.digest(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  for (const char* piece : {"abcdbcdecdefdefgefghfghighijhi", "", "jkijkljklmklmnlmnomnopnopq"}) {
    pieces.add(piece);
  }
  EXPECT_EQ(pieces.digest(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace sha256_test
}  // namespace tacet::base
