#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tacet/random/source/secure_memory.h"

namespace tacet::random::internal {

/// HKDF with SHA-256 (RFC 5869), into `out`.
void hkdf_sha256(std::span<const std::uint8_t> key, std::span<const std::uint8_t> salt,
                 std::span<const std::uint8_t> info, std::span<std::uint8_t> out);

/// A node of the key tree. It can be moved but neither copied, printed nor serialised; its bytes
/// lie in protected memory and are wiped on destruction. A Keystream that is opened with it makes a
/// copy without this protection (random/source/cipher.h).
class Key {
 public:
  /// A root from the operating system. Blocks until the system's generator is ready; an IoError if
  /// it cannot answer, never a weaker source instead.
  [[nodiscard]] static Key from_system();
  /// A root that anybody can compute again. It protects nothing.
  [[nodiscard]] static Key from_seed(std::uint64_t seed);

  /// The child for (label, a, b, c): HKDF-SHA-256, salt "tacet/v1", info = label, then a, b, c as 8
  /// bytes each, least significant first. No two calls have the same info, although labels may be
  /// prefixes of each other: the numbers have a fixed length and come last.
  [[nodiscard]] Key child(std::string_view label, std::uint64_t a = 0, std::uint64_t b = 0,
                          std::uint64_t c = 0) const;

  [[nodiscard]] std::span<const std::uint8_t, key_size> bytes() const { return slot_.bytes(); }

 private:
  Key() = default;
  SecureSlot slot_;
};

}  // namespace tacet::random::internal
