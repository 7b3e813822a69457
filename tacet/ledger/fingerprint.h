#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tacet::ledger {

/// Recognises the same records, whatever their order and whatever the file is called.
///
/// HMAC-SHA-256 under a ledger's own key over the number of records and the sum mod 2^256 of the
/// records' own HMACs. The key matters: an unkeyed hash of few records could be tried out. The
/// fingerprint is as private as the records and only ever compared, never decided by: the account
/// is found by the name the owner chose. Not for several threads at once.
class Fingerprint {
 public:
  /// `key` is one of random_key(); anything else is an InternalError.
  explicit Fingerprint(std::string_view key);
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;
  ~Fingerprint();

  /// A record in its canonical form: its bytes, without the end of the line.
  void add(std::string_view record);
  /// The fingerprint of all records so far, 64 hexadecimal digits.
  [[nodiscard]] std::string digest() const;

 private:
  struct Keyed;
  std::unique_ptr<Keyed> keyed_;
  std::array<std::uint64_t, 4> sum_{};
  std::uint64_t records_ = 0;
};

}  // namespace tacet::ledger
