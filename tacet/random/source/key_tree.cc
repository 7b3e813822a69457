#include "tacet/random/source/key_tree.h"

#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <memory>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

constexpr std::size_t digest_size = 32;
constexpr std::size_t hmac_block_size = 64;

using Bytes = std::span<const std::uint8_t>;

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// Computes SHA-256 sums one after the other; set up once per thread.
class Sha256Sums {
 public:
  Sha256Sums() : context_(EVP_MD_CTX_new()) {
    static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (!context_ || EVP_DigestInit_ex2(context_.get(), algorithm, nullptr) != 1) fail();
  }
  /// Begins a sum, and wipes what the last one left behind.
  void start() {
    if (EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) != 1) fail();
  }
  void add(Bytes bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) fail();
  }
  void finish(std::span<std::uint8_t, digest_size> out) {
    if (EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) != 1) fail();
  }

 private:
  [[noreturn]] static void fail() { throw base::InternalError("the key derivation failed"); }
  std::unique_ptr<EVP_MD_CTX, ContextDeleter> context_;
};

/// HMAC (RFC 2104) from its two sums, since OpenSSL's own takes four times as long to start.
void hmac_sha256(Sha256Sums& sums, Bytes key, std::initializer_list<Bytes> message,
                 std::span<std::uint8_t, digest_size> out) {
  std::array<std::uint8_t, hmac_block_size> pad{};
  std::array<std::uint8_t, digest_size> inner{};
  const ScopedWipe wipe_pad{std::span(pad)};
  const ScopedWipe wipe_inner{std::span(inner)};
  if (key.size() > hmac_block_size) {
    sums.start();
    sums.add(key);
    sums.finish(std::span(pad).first<digest_size>());
  } else {
    std::ranges::copy(key, pad.begin());
  }
  for (std::uint8_t& byte : pad) byte ^= 0x36;
  sums.start();
  sums.add(pad);
  for (const Bytes part : message) sums.add(part);
  sums.finish(inner);
  for (std::uint8_t& byte : pad) byte ^= 0x36 ^ 0x5c;
  sums.start();
  sums.add(pad);
  sums.add(inner);
  sums.finish(out);
}

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::string_view salt = "tacet/v1";

}  // namespace

void hkdf_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> salt_bytes,
                 std::span<const std::uint8_t> info, std::span<std::uint8_t> out) {
  // RFC 5869: extract, then expand.
  thread_local Sha256Sums sums;
  std::array<std::uint8_t, digest_size> secret{};
  std::array<std::uint8_t, digest_size> block{};
  const ScopedWipe wipe_secret{std::span(secret)};
  const ScopedWipe wipe_block{std::span(block)};
  hmac_sha256(sums, salt_bytes, {key}, secret);
  std::uint8_t counter = 0;
  for (std::size_t done = 0; done < out.size(); done += digest_size) {
    if (counter == 255) throw base::InternalError("a key derivation is at most 8160 bytes long");
    const Bytes before(block.data(), counter > 0 ? digest_size : 0);
    ++counter;
    hmac_sha256(sums, secret, {before, info, std::span(&counter, 1)}, block);
    const std::size_t count = std::min(digest_size, out.size() - done);
    std::copy_n(block.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
  }
  sums.start();  // wipes what is left of the last key
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
