#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacet::ledger {

/// SHA-256 as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// 64 hexadecimal digits of the operating system's randomness. IoError if there is none.
[[nodiscard]] std::string random_key();

/// Whether a text is 64 lower-case hexadecimal digits.
[[nodiscard]] bool is_digest(std::string_view text);

/// 128 bits.
struct SipDigest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// Adds part by part, mod 2^64. So the order of a sum does not matter.
  SipDigest& operator+=(const SipDigest& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  friend bool operator==(const SipDigest&, const SipDigest&) = default;
  friend auto operator<=>(const SipDigest&, const SipDigest&) = default;
};

/// SipHash-2-4 with 128 bits (Aumasson and Bernstein 2012): a keyed hash. Nobody can find
/// collisions without the key. It is much faster on short texts than HMAC.
class SipHash {
 public:
  explicit SipHash(const std::array<std::uint64_t, 2>& key) : key_(key) {}

  [[nodiscard]] SipDigest operator()(std::string_view text) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

}  // namespace tacet::ledger
