#include "tacet/local/service/token.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>

#include <atomic>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::local {
namespace {

/// The MAC of the text. The context keeps its key, so that it can be used again.
TokenMac mac_again(EVP_MAC_CTX* keyed, std::string_view text) {
  TokenMac mac{};
  std::size_t size = 0;
  if (keyed == nullptr || EVP_MAC_init(keyed, nullptr, 0, nullptr) != 1 ||
      EVP_MAC_update(keyed, reinterpret_cast<const unsigned char*>(text.data()), text.size()) !=
          1 ||
      EVP_MAC_final(keyed, mac.data(), &size, mac.size()) != 1 || size != mac.size()) {
    throw base::InternalError("HMAC-SHA256 is not available");
  }
  return mac;
}

}  // namespace

std::string new_token() { return ledger::random_key(); }

bool is_token(std::string_view text) { return ledger::is_digest(text); }

void TokenKey::Free::operator()(evp_mac_ctx_st* keyed) const noexcept { EVP_MAC_CTX_free(keyed); }

TokenKey::TokenKey(std::string_view key) {
  static std::atomic<std::uint64_t> keys{0};
  number_ = ++keys;
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> hmac(
      EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr), EVP_MAC_free);
  if (hmac) keyed_.reset(EVP_MAC_CTX_new(hmac.get()));
  std::string digest = SN_sha256;
  const std::array<OSSL_PARAM, 2> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  if (!keyed_ || EVP_MAC_init(keyed_.get(), reinterpret_cast<const unsigned char*>(key.data()),
                              key.size(), parameters.data()) != 1) {
    throw base::InternalError("HMAC-SHA256 is not available");
  }
}

TokenMac TokenKey::mac(std::string_view token) const {
  // A copy takes longer than the HMAC, and a thread of a server has one key.
  struct Copy {
    std::uint64_t number = 0;
    std::unique_ptr<EVP_MAC_CTX, Free> keyed;
  };
  thread_local Copy mine;
  if (mine.number != number_) mine = {number_, {EVP_MAC_CTX_dup(keyed_.get()), Free()}};
  return mac_again(mine.keyed.get(), token);
}

TokenMac ThreadTokenKey::mac(std::string_view text) { return mac_again(key_.keyed_.get(), text); }

}  // namespace tacet::local
