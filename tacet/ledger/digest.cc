#include "tacet/ledger/digest.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <span>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

constexpr std::size_t digest_bytes = 32;

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, digest_bytes> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1 ||
      size != digest.size()) {
    throw base::InternalError("SHA-256 is not available");
  }
  return hexadecimal(digest);
}

std::string random_key() {
  std::array<unsigned char, digest_bytes> key{};
  if (RAND_priv_bytes(key.data(), static_cast<int>(key.size())) != 1) {
    throw base::IoError("the operating system gave no random bytes for the ledger's key");
  }
  return hexadecimal(key);
}

bool is_digest(std::string_view text) {
  return text.size() == 2 * digest_bytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace tacet::ledger
