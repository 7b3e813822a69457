#include "tacet/ledger/sip_hash.h"

#include <gtest/gtest.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <string>

namespace tacet::ledger {
namespace sip_hash_test {

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

}  // namespace sip_hash_test
}  // namespace tacet::ledger
