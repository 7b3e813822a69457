#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacet::random::internal {

constexpr std::size_t key_size = 32;

/// 32 bytes in pages that are locked into memory where the system allows it, left out of core
/// dumps, zero in a forked child, and between guard pages. Wiped on destruction. It protects the
/// keys of the tree, root and keystream blocks; what the cipher expands from one in use lies
/// elsewhere.
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

inline std::atomic<std::uint64_t> unused_generation{0};
/// Lies in a page that the system wipes in every copy of the process, once the module is used.
inline const std::atomic<std::uint64_t>* generation_place = &unused_generation;

/// The cheap form of fork_generation(), once that has been called: what every draw looks at.
[[nodiscard]] inline std::uint64_t fork_count() {
  return generation_place->load(std::memory_order_relaxed);
}

/// 1 and the number of forks between the first use of this module and now, as seen by this process:
/// a child has a larger one than its parent. 0 in a copy that was made past fork() (a bare clone),
/// for good. A child of vfork() is no copy: it draws from its parent's memory, and what it drew is
/// gone for the parent. Where the system cannot wipe pages (before Linux 4.14) a bare clone is
/// noticed at the next read of the cipher only, by its process number.
[[nodiscard]] std::uint64_t fork_generation();

/// Throws an InternalError unless `generation` is the current one, and not 0.
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
