#pragma once

#include <memory>
#include <string>
#include <string_view>

/// Answers are sealed on their way: engines keep, log and show what passes through them, and sums
/// of a part's records are as private as the records.
///
/// X25519 between the run's key pair and one of the part's own, HKDF with SHA-256, AES-256-GCM,
/// all of OpenSSL (RFC 7748, RFC 5869, NIST SP 800-38D). Each answer has a salt of its own, and so
/// a key of AES that is used once: its nonce may be fixed. A sealed text tells its length alone,
/// and which part's key pair it comes from; whoever knows the public key can seal, so that it
/// proves nobody's identity.
///
/// It keeps answers from those who see what passes, not from those who change it: a part seals to
/// the key that it is given, so that who can exchange this key on the way can read. The way of the
/// request has to be one that nobody else can write to, as that of the code which a part runs.
namespace tacet::optimize {

/// The run's key pair. It stays with who asks.
class SealKey {
 public:
  /// A new pair, of the operating system's randomness.
  SealKey();
  ~SealKey();
  SealKey(const SealKey&) = delete;
  SealKey& operator=(const SealKey&) = delete;
  SealKey(SealKey&& other) noexcept;
  SealKey& operator=(SealKey&& other) noexcept;

  /// 32 bytes, for who seals.
  [[nodiscard]] const std::string& public_key() const;
  /// DataError for what was not sealed to this key, or changed since.
  [[nodiscard]] std::string open(std::string_view sealed) const;

 private:
  struct Pair;
  std::unique_ptr<Pair> pair_;
};

/// Seals answers to one public key, with one key pair for all of them. A copy of the process, or of
/// the machine, that goes on by itself uses no key for two texts: a salt depends on random bytes
/// and on the text.
class Sealer {
 public:
  /// UsageError for a key that is none.
  explicit Sealer(std::string_view public_key);
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;
  Sealer(Sealer&& other) noexcept;
  Sealer& operator=(Sealer&& other) noexcept;

  [[nodiscard]] std::string seal(std::string_view text) const;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// A single answer; UsageError for a key that is none.
[[nodiscard]] std::string seal(std::string_view public_key, std::string_view text);

}  // namespace tacet::optimize
