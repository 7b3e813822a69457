#include "tacet/random/source/key_tree.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

struct MacDeleter {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

constexpr std::size_t digest_size = 32;

/// HMAC-SHA-256, set up once a thread: setting it up costs several times what it computes.
class Hmac {
 public:
  Hmac() {
    static const std::unique_ptr<EVP_MAC, MacDeleter> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    if (mac) context_.reset(EVP_MAC_CTX_new(mac.get()));
    if (!context_ || EVP_MAC_CTX_set_params(context_.get(), parameters) != 1) fail();
  }

  void key(std::span<const std::uint8_t> bytes) {
    // No key at all would keep the last one; HMAC itself takes an empty one as zeros.
    constexpr std::array<std::uint8_t, digest_size> empty{};
    const auto given = bytes.empty() ? std::span<const std::uint8_t>(empty) : bytes;
    if (EVP_MAC_init(context_.get(), given.data(), given.size(), nullptr) != 1) fail();
  }
  void add(std::span<const std::uint8_t> bytes) {
    if (EVP_MAC_update(context_.get(), bytes.data(), bytes.size()) != 1) fail();
  }
  void finish(std::span<std::uint8_t, digest_size> out) {
    std::size_t size = 0;
    if (EVP_MAC_final(context_.get(), out.data(), &size, out.size()) != 1 || size != out.size()) {
      fail();
    }
  }
  /// Leaves nothing of the last key behind.
  void forget() { key({}); }

 private:
  [[noreturn]] static void fail() { throw base::InternalError("the key derivation failed"); }
  std::unique_ptr<EVP_MAC_CTX, MacDeleter> context_;
};

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::string_view salt = "tacet/v1";

}  // namespace

void hkdf_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> salt_bytes,
                 std::span<const std::uint8_t> info, std::span<std::uint8_t> out) {
  // RFC 5869: extract, then expand.
  thread_local Hmac hmac;
  std::array<std::uint8_t, digest_size> secret{};
  std::array<std::uint8_t, digest_size> block{};
  const ScopedWipe wipe_secret{std::span(secret)};
  const ScopedWipe wipe_block{std::span(block)};
  hmac.key(salt_bytes);
  hmac.add(key);
  hmac.finish(secret);
  std::uint8_t counter = 0;
  for (std::size_t done = 0; done < out.size(); done += digest_size) {
    if (counter == 255) throw base::InternalError("a key derivation is at most 8160 bytes long");
    hmac.key(secret);
    if (counter > 0) hmac.add(block);
    hmac.add(info);
    ++counter;
    hmac.add(std::span(&counter, 1));
    hmac.finish(block);
    const std::size_t count = std::min(digest_size, out.size() - done);
    std::copy_n(block.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
  }
  hmac.forget();
}

Key Key::from_system() {
  Key key;
  const auto bytes = key.slot_.bytes();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + done, bytes.size() - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw base::IoError(
          "the operating system's random generator (getrandom) failed; there is no safe "
          "replacement for it");
    }
    done += static_cast<std::size_t>(got);
  }
  return key;
}

Key Key::from_seed(std::uint64_t seed) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(seed >> (8 * i));
  Key key;
  hkdf_sha256(bytes, as_bytes(salt), as_bytes("insecure seed"), key.slot_.bytes());
  return key;
}

Key Key::child(std::string_view label, std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
  std::array<std::uint8_t, 64> info{};
  if (label.size() + 24 > info.size()) throw base::InternalError("a key label is too long");
  std::size_t used = 0;
  for (const char letter : label) info[used++] = static_cast<std::uint8_t>(letter);
  for (const std::uint64_t number : {a, b, c}) {
    for (int i = 0; i < 8; ++i) info[used++] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  Key key;
  hkdf_sha256(slot_.bytes(), as_bytes(salt), std::span(info).first(used), key.slot_.bytes());
  return key;
}

}  // namespace tacet::random::internal
