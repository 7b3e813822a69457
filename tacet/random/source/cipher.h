#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tacet/random/source/key_tree.h"

struct evp_cipher_ctx_st;

namespace tacet::random::internal {

/// The AES-256 counter keystream of one key, as 64-bit words with random access: word j is bytes 8j
/// .. 8j+7, least significant first, of the encrypted counters 0, 1, 2, ... (16 bytes each,
/// big-endian). The first use in a process checks the cipher against NIST's vectors.
///
/// The expanded key of an open keystream lies in OpenSSL's context, on the ordinary heap: That
/// memory is wiped when the keystream ends. But it is not locked, it is part of core dumps, and a
/// forked child has a copy of it: OpenSSL offers no way to choose where its contexts lie. While a
/// keystream is open, anybody who can read the process's memory, swap or core dump can read its key
/// (but not the key that it comes from, see SecureSlot). So a program opens keystreams for a short
/// time and turns core dumps off.
class Keystream {
 public:
  /// At most 2^32 blocks of one key are used: the distance from random bits is blocks^2 / 2^129.
  static constexpr std::uint64_t word_limit = std::uint64_t{1} << 33;

  explicit Keystream(const Key& key);
  Keystream(Keystream&&) noexcept;
  Keystream& operator=(Keystream&&) noexcept;
  ~Keystream();

  /// Words first, first + 1, ... into `out`. An InternalError beyond the limit.
  void words(std::uint64_t first, std::span<std::uint64_t> out);

 private:
  struct ContextDeleter {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  void seek(std::uint64_t block);
  void produce(std::span<std::uint64_t> out);

  std::unique_ptr<evp_cipher_ctx_st, ContextDeleter> context_;
  std::uint64_t next_block_ = 0;
  std::uint64_t generation_ = 0;
};

/// Compares the cipher with known answers; an InternalError if they differ.
void check_cipher();

}  // namespace tacet::random::internal
