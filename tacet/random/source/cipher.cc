#include "tacet/random/source/cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

static_assert(std::endian::native == std::endian::little,
              "words are defined least significant byte first");

constexpr std::size_t block_size = 16;
// 16 KiB, so that input and output stay in the first cache
constexpr std::size_t batch_words = 2048;
// Never written to, but not const: a constant would add 16 KiB to the file of every program.
alignas(64) std::array<std::uint8_t, 8 * batch_words> zeros{};

[[noreturn]] void fail() { throw base::InternalError("the cipher AES-256-CTR failed"); }

const EVP_CIPHER* algorithm() {
  static const EVP_CIPHER* cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  if (cipher == nullptr) {
    throw base::InternalError("the cryptographic library has no AES-256-CTR");
  }
  return cipher;
}

}  // namespace

void Keystream::ContextDeleter::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);  // Wipes the expanded key.
}

Keystream::Keystream(const Key& key)
    : context_(EVP_CIPHER_CTX_new()), generation_(fork_generation()) {
  static const bool checked = (check_cipher(), true);
  static_cast<void>(checked);
  constexpr std::array<std::uint8_t, block_size> start{};
  if (!context_ || EVP_EncryptInit_ex2(context_.get(), algorithm(), key.bytes().data(),
                                       start.data(), nullptr) != 1) {
    fail();
  }
}

Keystream::Keystream(Keystream&&) noexcept = default;
Keystream& Keystream::operator=(Keystream&&) noexcept = default;
Keystream::~Keystream() = default;

void Keystream::seek(std::uint64_t block) {
  if (block == next_block_) return;
  std::array<std::uint8_t, block_size> counter{};
  for (std::size_t i = 0; i < 8; ++i) {
    counter[block_size - 1 - i] = static_cast<std::uint8_t>(block >> (8 * i));
  }
  if (EVP_EncryptInit_ex2(context_.get(), nullptr, nullptr, counter.data(), nullptr) != 1) fail();
  next_block_ = block;
}

void Keystream::produce(std::span<std::uint64_t> out) {
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), batch_words);
    int written = 0;
    if (EVP_EncryptUpdate(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &written,
                          zeros.data(), static_cast<int>(8 * count)) != 1 ||
        written != static_cast<int>(8 * count)) {
      fail();
    }
    next_block_ += count / 2;
    out = out.subspan(count);
  }
}

void Keystream::words(std::uint64_t first, std::span<std::uint64_t> out) {
  if (!context_) throw base::InternalError("a keystream was used after it had been moved away");
  require_same_process(generation_);
  if (first > word_limit || out.size() > word_limit - first) {
    throw base::InternalError("a keystream block holds at most 2^33 words; use several");
  }
  if (out.empty()) return;
  std::array<std::uint64_t, 2> edge{};
  const ScopedWipe wipe{std::span(edge)};
  seek(first / 2);
  if (first % 2 == 1) {
    produce(edge);
    out[0] = edge[1];
    out = out.subspan(1);
  }
  const std::size_t even = out.size() / 2 * 2;
  produce(out.first(even));
  if (even < out.size()) {
    produce(edge);
    out[even] = edge[0];
  }
}

void check_cipher() {
  // NIST SP 800-38A, F.5.5 (CTR-AES256.Encrypt), blocks 1 and 2.
  constexpr std::array<std::uint8_t, 32> key = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe,
                                                0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
                                                0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7,
                                                0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
  constexpr std::array<std::uint8_t, 16> counter = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                                    0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
  constexpr std::array<std::uint8_t, 32> plain = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                                  0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
                                                  0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac, 0x9c,
                                                  0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51};
  constexpr std::array<std::uint8_t, 32> expected = {
      0x60, 0x1e, 0xc3, 0x13, 0x77, 0x57, 0x89, 0xa5, 0xb7, 0xa7, 0xf5,
      0x04, 0xbb, 0xf3, 0xd2, 0x28, 0xf4, 0x43, 0xe3, 0xca, 0x4d, 0x62,
      0xb5, 0x9a, 0xca, 0x84, 0xe9, 0x90, 0xca, 0xca, 0xf5, 0xc5};
  std::array<std::uint8_t, 32> result{};
  int written = 0;
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  const bool done =
      context != nullptr &&
      EVP_EncryptInit_ex2(context, algorithm(), key.data(), counter.data(), nullptr) == 1 &&
      EVP_EncryptUpdate(context, result.data(), &written, plain.data(), 32) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!done || result != expected) {
    throw base::InternalError("the cipher AES-256-CTR does not give NIST's known answers");
  }
}

}  // namespace tacet::random::internal
