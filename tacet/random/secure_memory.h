#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacet::random::internal {

constexpr std::size_t key_size = 32;

/// 32 bytes in pages that are locked into memory where the system allows it, left out of core
/// dumps, zero in a forked child, and between guard pages. Wiped on destruction.
class SecureSlot {
 public:
  SecureSlot();
  SecureSlot(SecureSlot&& other) noexcept;
  SecureSlot& operator=(SecureSlot&& other) noexcept;
  SecureSlot(const SecureSlot&) = delete;
  SecureSlot& operator=(const SecureSlot&) = delete;
  ~SecureSlot();

  /// The bytes. An InternalError in a process forked after the slot was made.
  [[nodiscard]] std::span<std::uint8_t, key_size> bytes();
  [[nodiscard]] std::span<const std::uint8_t, key_size> bytes() const;

 private:
  void release() noexcept;
  std::uint8_t* data_ = nullptr;
  std::uint64_t generation_ = 0;
};

inline std::atomic<std::uint64_t> fork_counter{0};

/// The cheap form of fork_generation(), once that has been called.
[[nodiscard]] inline std::uint64_t fork_count() {
  return fork_counter.load(std::memory_order_relaxed);
}

/// Number of forks between the first use of this module and now, as seen by this process: a child
/// has a larger one than its parent.
[[nodiscard]] std::uint64_t fork_generation();

/// Throws an InternalError unless `generation` is the current one.
void require_same_process(std::uint64_t generation);

/// Wipes a buffer when it goes out of scope: noise that was added to a sum is as secret as the sum.
class ScopedWipe {
 public:
  template <class T, std::size_t n>
  explicit ScopedWipe(std::span<T, n> buffer) : data_(buffer.data()), size_(buffer.size_bytes()) {}
  ScopedWipe(const ScopedWipe&) = delete;
  ScopedWipe& operator=(const ScopedWipe&) = delete;
  ~ScopedWipe();

 private:
  void* data_;
  std::size_t size_;
};

}  // namespace tacet::random::internal
