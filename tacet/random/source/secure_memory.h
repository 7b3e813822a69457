#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacet::random::internal {

constexpr std::size_t key_size = 32;

/// 32 bytes in protected pages: locked into memory if the system allows it, left out of core dumps,
/// zero in a forked child, and between guard pages. Wiped on destruction. It protects the keys of
/// the tree, its root and the keystream blocks. The cipher expands a key in use outside of these
/// pages.
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
/// Once the module is used, it points into a page that the system wipes in every copy of the
/// process.
inline const std::atomic<std::uint64_t>* generation_place = &unused_generation;

/// The cheap form of fork_generation(), valid once that has been called. Every draw checks it.
[[nodiscard]] inline std::uint64_t fork_count() {
  return generation_place->load(std::memory_order_relaxed);
}

/// 1 and the number of forks between the first use of this module and now, as seen by this process:
/// a child has a larger one than its parent. In a copy made without fork() (a bare clone) it is 0
/// for good. A child of vfork() is not a copy: it draws from its parent's memory, and the parent
/// does not draw the same words again. If the system cannot wipe pages (before Linux 4.14), a bare
/// clone is noticed only at the next read of the cipher, by its process number.
[[nodiscard]] std::uint64_t fork_generation();

/// Throws an InternalError unless `generation` is the current one, and not 0.
void require_same_process(std::uint64_t generation);

/// Wipes a buffer at the end of its scope. Noise that was added to a sum is as secret as the sum.
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
