#include "tacet/ledger/digest.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <string>

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

/// OpenSSL's own.
SipDigest expected(const std::array<std::uint64_t, 2>& key, std::string_view text) {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  EVP_MAC_CTX* context = EVP_MAC_CTX_new(mac);
  std::size_t size = 16;
  const std::array params{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                          OSSL_PARAM_construct_end()};
  std::array<unsigned char, 16> bytes{};
  std::array<unsigned char, 16> out{};
  std::memcpy(bytes.data(), key.data(), bytes.size());
  EXPECT_EQ(EVP_MAC_init(context, bytes.data(), bytes.size(), params.data()), 1);
  EXPECT_EQ(
      EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(text.data()), text.size()), 1);
  EXPECT_EQ(EVP_MAC_final(context, out.data(), &size, out.size()), 1);
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(mac);
  SipDigest digest;
  std::memcpy(&digest.low, out.data(), sizeof(digest.low));
  std::memcpy(&digest.high, out.data() + sizeof(digest.low), sizeof(digest.high));
  return digest;
}

TEST(SipHash, IsThatOfOpensslForTextsOfEachLength) {
  const std::array<std::uint64_t, 2> key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
  std::string text;
  for (int k = 0; k < 70; ++k) {
    EXPECT_EQ(SipHash(key)(text), expected(key, text)) << k;
    text += static_cast<char>(7 * k + 200);
  }
}

// The first line of vectors_sip128 in the authors' vectors.h.
TEST(SipHash, HasTheAuthorsVectorOfNoText) {
  const SipDigest digest = SipHash({0x0706050403020100U, 0x0f0e0d0c0b0a0908U})("");
  EXPECT_EQ(digest.low, 0xe6a825ba047f81a3U);
  EXPECT_EQ(digest.high, 0x930255c71472f66dU);
}

}  // namespace digest_test

}  // namespace tacet::ledger
