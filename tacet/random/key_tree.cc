#include "tacet/random/key_tree.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

struct KdfDeleter {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

EVP_KDF* hkdf_algorithm() {
  static const std::unique_ptr<EVP_KDF, KdfDeleter> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  if (!kdf) throw base::InternalError("the cryptographic library has no HKDF");
  return kdf.get();
}

/// OpenSSL takes its inputs through pointers to non-const and does not write to them.
OSSL_PARAM octets(const char* name, std::span<const std::uint8_t> bytes) {
  static const std::uint8_t nothing = 0;
  const std::uint8_t* data = bytes.empty() ? &nothing : bytes.data();
  return OSSL_PARAM_construct_octet_string(name, const_cast<std::uint8_t*>(data), bytes.size());
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::string_view salt = "tacet/v1";

}  // namespace

void hkdf_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> salt_bytes,
                 std::span<const std::uint8_t> info, std::span<std::uint8_t> out) {
  const std::unique_ptr<EVP_KDF_CTX, KdfDeleter> context(EVP_KDF_CTX_new(hkdf_algorithm()));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      octets(OSSL_KDF_PARAM_KEY, key), octets(OSSL_KDF_PARAM_SALT, salt_bytes),
      octets(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  if (!context || EVP_KDF_derive(context.get(), out.data(), out.size(), parameters) != 1) {
    throw base::InternalError("the key derivation failed");
  }
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
