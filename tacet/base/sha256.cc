#include "tacet/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "tacet/base/error.h"

namespace tacet::base {

struct Sha256::Context {
  Context() : handle(EVP_MD_CTX_new()) {}
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  Context(Context&&) = delete;
  Context& operator=(Context&&) = delete;

  EVP_MD_CTX* handle;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (context_->handle == nullptr ||
      EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr) != 1) {
    throw InternalError("SHA-256 is not available");
  }
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view text) {
  if (EVP_DigestUpdate(context_->handle, text.data(), text.size()) != 1) {
    throw InternalError("text for a SHA-256 sum that is complete");
  }
}

std::string Sha256::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context_->handle, bytes.data(), &size) != 1) {
    throw InternalError("a SHA-256 sum ends once");
  }
  std::string text;
  for (unsigned k = 0; k < size; ++k) text += fmt::format("{:02x}", bytes[k]);
  return text;
}

}  // namespace tacet::base
