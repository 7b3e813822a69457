#include "tacet/local/service/token.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::local {
namespace {

TokenMac mac_by(EVP_MAC_CTX* keyed, std::string_view text) {
  TokenMac mac{};
  std::size_t size = 0;
  if (keyed == nullptr ||
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
  const std::unique_ptr<EVP_MAC_CTX, Free> one(EVP_MAC_CTX_dup(keyed_.get()));
  return mac_by(one.get(), token);
}

TokenMac SealKey::mac(std::string_view text) {
  auto* const keyed = key_.keyed_.get();
  // Without a key: the one that it has, from the beginning.
  const bool begun = EVP_MAC_init(keyed, nullptr, 0, nullptr) == 1;
  return mac_by(begun ? keyed : nullptr, text);
}

}  // namespace tacet::local
