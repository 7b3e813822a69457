#include "tacet/optimize/parts/seal.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <array>
#include <climits>
#include <cstddef>
#include <span>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace {

constexpr std::size_t key_size = 32;    // of X25519, and of AES-256
constexpr std::size_t nonce_size = 12;  // of GCM
constexpr std::size_t tag_size = 16;
constexpr std::size_t salt_size = 32;
constexpr std::size_t head_size = key_size + salt_size;
constexpr std::string_view purpose = "tacet sealed answer 2";

template <auto free>
struct Freed {
  template <typename Object>
  void operator()(Object* object) const {
    free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Freed<EVP_CIPHER_CTX_free>>;
using Derivation = std::unique_ptr<EVP_KDF, Freed<EVP_KDF_free>>;
using DerivationContext = std::unique_ptr<EVP_KDF_CTX, Freed<EVP_KDF_CTX_free>>;

/// Bytes that are wiped when they are done with.
struct Secret {
  std::array<unsigned char, key_size> bytes{};
  Secret() = default;
  ~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&&) = delete;
  Secret& operator=(Secret&&) = delete;
};

void expect(bool done) {
  if (!done) throw base::InternalError("OpenSSL could not seal or open an answer");
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

int checked_size(std::size_t size) {
  if (size > INT_MAX) throw base::UsageError("an answer of more than 2 GB cannot be sealed");
  return static_cast<int>(size);
}

Key new_key() {
  const KeyContext context(EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, nullptr));
  EVP_PKEY* made = nullptr;
  expect(context && EVP_PKEY_keygen_init(context.get()) == 1 &&
         EVP_PKEY_keygen(context.get(), &made) == 1);
  return Key(made);
}

std::string public_part(const Key& key) {
  std::string out(key_size, '\0');
  std::size_t size = out.size();
  expect(EVP_PKEY_get_raw_public_key(key.get(), bytes_of(out), &size) == 1 && size == key_size);
  return out;
}

Key key_of(std::string_view public_key) {
  return Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, bytes_of(public_key),
                                         public_key.size()));
}

/// What both sides share; false where the other side's public key is none.
bool share(const Key& own, const Key& other, Secret& out) {
  std::size_t size = out.bytes.size();
  const KeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr));
  expect(context && EVP_PKEY_derive_init(context.get()) == 1);
  // Refuses points of small order, whose result everybody knows.
  return EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1 &&
         EVP_PKEY_derive(context.get(), out.bytes.data(), &size) == 1;
}

/// The key of AES of one answer.
void derive(Secret& shared, std::string salt, const std::string& both_public, Secret& out) {
  const Derivation kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const DerivationContext hkdf(EVP_KDF_CTX_new(kdf.get()));
  std::string digest = "SHA256";
  std::string info = std::string(purpose) + both_public;
  const std::array parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, shared.bytes.data(),
                                        shared.bytes.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  expect(hkdf &&
         EVP_KDF_derive(hkdf.get(), out.bytes.data(), out.bytes.size(), parameters.data()) == 1);
}

/// Random bytes that depend on the text as well: where a machine was copied with the state of its
/// generator, two texts still have two salts, and two keys.
std::string salt_for(std::string_view text) {
  Secret drawn;
  expect(RAND_bytes(drawn.bytes.data(), static_cast<int>(drawn.bytes.size())) == 1);
  std::string salt(salt_size, '\0');
  unsigned int size = 0;
  expect(HMAC(EVP_sha256(), drawn.bytes.data(), static_cast<int>(drawn.bytes.size()),
              bytes_of(text), text.size(), bytes_of(salt), &size) != nullptr &&
         size == salt_size);
  return salt;
}

constexpr std::array<unsigned char, nonce_size> only_nonce{};

}  // namespace

struct SealKey::Pair {
  Key key = new_key();
  std::string own_public = public_part(key);
};

SealKey::SealKey() : pair_(std::make_unique<Pair>()) {}
SealKey::~SealKey() = default;
SealKey::SealKey(SealKey&& other) noexcept = default;
SealKey& SealKey::operator=(SealKey&& other) noexcept = default;

const std::string& SealKey::public_key() const { return pair_->own_public; }

std::string SealKey::open(std::string_view sealed) const {
  const auto refuse = [] {
    throw base::DataError(
        "an answer was not sealed to the key of this run, or has changed on its way, or comes from "
        "another version");
  };
  if (sealed.size() < head_size + tag_size) refuse();
  const std::string sender(sealed.substr(0, key_size));
  const auto body = sealed.substr(head_size, sealed.size() - head_size - tag_size);
  std::string tag(sealed.substr(sealed.size() - tag_size));
  const auto other = key_of(sender);
  Secret shared;
  if (!other || !share(pair_->key, other, shared)) refuse();
  Secret key;
  derive(shared, std::string(sealed.substr(key_size, salt_size)), sender + pair_->own_public, key);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string text(body.size(), '\0');
  int size = 0;
  int rest = 0;
  expect(cipher && EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(),
                                      only_nonce.data()) == 1);
  expect(EVP_DecryptUpdate(cipher.get(), bytes_of(text), &size, bytes_of(body),
                           checked_size(body.size())) == 1);
  expect(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()) == 1);
  if (EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + size, &rest) != 1) refuse();
  return text;
}

struct Sealer::Shared {
  std::string sender;
  std::string both_public;
  Secret secret;
};

Sealer::Sealer(std::string_view public_key) : shared_(std::make_unique<Shared>()) {
  const auto other = public_key.size() == key_size ? key_of(public_key) : Key();
  const auto own = new_key();
  if (!other || !share(own, other, shared_->secret)) {
    throw base::UsageError("answers are sealed to a public key of 32 bytes, of X25519");
  }
  shared_->sender = public_part(own);
  shared_->both_public = shared_->sender + std::string(public_key);
}
Sealer::~Sealer() = default;
Sealer::Sealer(Sealer&& other) noexcept = default;
Sealer& Sealer::operator=(Sealer&& other) noexcept = default;

std::string Sealer::seal(std::string_view text) const {
  const auto salt = salt_for(text);
  Secret key;
  derive(shared_->secret, salt, shared_->both_public, key);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string out = shared_->sender + salt;
  out.resize(head_size + text.size() + tag_size);
  int size = 0;
  int rest = 0;
  expect(cipher && EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(),
                                      only_nonce.data()) == 1);
  expect(EVP_EncryptUpdate(cipher.get(), bytes_of(out) + head_size, &size, bytes_of(text),
                           checked_size(text.size())) == 1);
  expect(EVP_EncryptFinal_ex(cipher.get(), bytes_of(out) + head_size + size, &rest) == 1);
  expect(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_size,
                             bytes_of(out) + head_size + text.size()) == 1);
  return out;
}

std::string seal(std::string_view public_key, std::string_view text) {
  return Sealer(public_key).seal(text);
}

}  // namespace tacet::optimize
