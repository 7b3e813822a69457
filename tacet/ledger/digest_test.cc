#include "tacet/ledger/digest.h"

#include <gtest/gtest.h>

namespace tacet::ledger {
namespace digest_test {

// FIPS 180-4, and one block more than fits into one.
TEST(Digest, EqualsPublishedValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_NE(sha256(std::string_view("\0", 1)), sha256(""));
}

TEST(Digest, KeysAreDigestsAndNeverTwiceTheSame) {
  const auto key = random_key();
  EXPECT_TRUE(is_digest(key));
  EXPECT_NE(key, random_key());
}

TEST(Digest, IsKnownByItsForm) {
  const std::string digest = sha256("abc");
  EXPECT_TRUE(is_digest(digest));
  EXPECT_FALSE(is_digest(""));
  EXPECT_FALSE(is_digest(digest.substr(1)));
  EXPECT_FALSE(is_digest(digest + "0"));
  EXPECT_FALSE(is_digest("A" + digest.substr(1)));
  EXPECT_FALSE(is_digest("g" + digest.substr(1)));
}

}  // namespace digest_test
}  // namespace tacet::ledger
