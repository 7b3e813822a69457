#include "tacet/ledger/digest.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
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

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

struct SipState {
  std::uint64_t v0;
  std::uint64_t v1;
  std::uint64_t v2;
  std::uint64_t v3;

  void rounds(int count) {
    for (int k = 0; k < count; ++k) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  [[nodiscard]] std::uint64_t finish() {
    rounds(4);
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

std::uint64_t last_word(std::string_view rest, std::size_t size) {
  std::uint64_t word = static_cast<std::uint64_t>(size) << 56;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    word |= std::uint64_t{static_cast<unsigned char>(rest[k])} << (8 * k);
  }
  return word;
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

SipDigest SipHash::operator()(std::string_view text) const {
  SipState state{.v0 = key_[0] ^ 0x736f6d6570736575U,
                 .v1 = key_[1] ^ 0x646f72616e646f6dU ^ 0xeeU,
                 .v2 = key_[0] ^ 0x6c7967656e657261U,
                 .v3 = key_[1] ^ 0x7465646279746573U};
  const std::size_t size = text.size();
  for (; text.size() >= word_bytes; text.remove_prefix(word_bytes)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), word_bytes);
    state.take(word);
  }
  state.take(last_word(text, size));
  state.v2 ^= 0xeeU;
  SipDigest digest;
  digest.low = state.finish();
  state.v1 ^= 0xddU;
  digest.high = state.finish();
  return digest;
}

}  // namespace tacet::ledger
