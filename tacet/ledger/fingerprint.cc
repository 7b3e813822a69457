#include "tacet/ledger/fingerprint.h"

#include <openssl/evp.h>

#include <fmt/format.h>

#include <cstring>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger {
namespace {

constexpr std::size_t block_bytes = 64;
using Digest = std::array<unsigned char, 32>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

void require(bool fine) {
  if (!fine) throw base::InternalError("SHA-256 is not available");
}

Context new_context() {
  Context context(EVP_MD_CTX_new());
  require(context != nullptr);
  return context;
}

}  // namespace

/// HMAC (RFC 2104) with both halves of the key already absorbed: a record costs two copies instead
/// of two more blocks.
struct Fingerprint::Keyed {
  Context inner = new_context();
  Context outer = new_context();
  Context work = new_context();

  explicit Keyed(std::string_view key) {
    std::array<unsigned char, block_bytes> pad{};
    for (const auto& [context, byte] :
         {std::pair{inner.get(), 0x36U}, std::pair{outer.get(), 0x5cU}}) {
      for (std::size_t i = 0; i < block_bytes; ++i) {
        const unsigned char from_key =
            i < key.size() ? static_cast<unsigned char>(key[i]) : static_cast<unsigned char>(0);
        pad[i] = static_cast<unsigned char>(from_key ^ byte);
      }
      require(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1 &&
              EVP_DigestUpdate(context, pad.data(), pad.size()) == 1);
    }
  }

  Digest hmac(std::string_view message) {
    Digest digest{};
    require(EVP_MD_CTX_copy_ex(work.get(), inner.get()) == 1 &&
            EVP_DigestUpdate(work.get(), message.data(), message.size()) == 1 &&
            EVP_DigestFinal_ex(work.get(), digest.data(), nullptr) == 1);
    require(EVP_MD_CTX_copy_ex(work.get(), outer.get()) == 1 &&
            EVP_DigestUpdate(work.get(), digest.data(), digest.size()) == 1 &&
            EVP_DigestFinal_ex(work.get(), digest.data(), nullptr) == 1);
    return digest;
  }
};

Fingerprint::Fingerprint(std::string_view key) {
  if (!is_digest(key)) throw base::InternalError("a fingerprint needs a ledger's key");
  keyed_ = std::make_unique<Keyed>(key);
}
Fingerprint::Fingerprint(Fingerprint&&) noexcept = default;
Fingerprint& Fingerprint::operator=(Fingerprint&&) noexcept = default;
Fingerprint::~Fingerprint() = default;

void Fingerprint::add(std::string_view record) {
  const auto digest = keyed_->hmac(record);
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), digest.data(), digest.size());
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t with_carry = 0;
    const auto first = __builtin_add_overflow(words[i], carry, &with_carry);
    const auto second = __builtin_add_overflow(sum_[i], with_carry, &sum_[i]);
    carry = static_cast<std::uint64_t>(first || second);
  }
  ++records_;
}

std::string Fingerprint::digest() const {
  std::string text = fmt::format("tacet records 1\n{}\n", records_);
  for (const auto word : sum_) text += fmt::format("{:016x}", word);
  const auto digest = keyed_->hmac(text);
  std::string result;
  for (const unsigned char byte : digest) result += fmt::format("{:02x}", byte);
  return result;
}

}  // namespace tacet::ledger
