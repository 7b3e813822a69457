#pragma once

#include <sys/resource.h>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::base {

/// From now on the system writes no memory image of this process when it crashes, and no other
/// process of the same user may read its memory. Both would show records, keys and noise. A program
/// calls this before it reads any of them. The library never calls it by itself. IoError if the
/// system refuses.
void forbid_core_dumps();

/// Asks the system for pages of 2 MiB for memory that is reserved and not yet touched. Arrays of
/// 100 MB and more are then allocated several times faster, and a random access needs no walk
/// through the page table. Does nothing below 4 MiB or if the system has no such pages.
void prefer_large_pages(void* begin, std::size_t bytes) noexcept;

/// `size` zeros on such pages.
template <typename T>
[[nodiscard]] std::vector<T> large_array(std::size_t size) {
  std::vector<T> array;
  array.reserve(size);
  prefer_large_pages(array.data(), size * sizeof(T));
  array.resize(size);
  return array;
}

/// The number of bytes that this process can hold at most: the smallest of the machine's memory and
/// swap, the limits of the process (`ulimit -v`, `ulimit -d`) and the limit of its control group.
[[nodiscard]] std::int64_t machine_memory();

namespace internal {

/// The limit in a control group's file `memory.max`, in bytes. The largest number for "max" and for
/// a file that cannot be read.
[[nodiscard]] std::int64_t memory_limit_of(const char* file);
/// The limit of the process for one resource, in bytes; the largest number for "unlimited".
[[nodiscard]] std::int64_t memory_limit_of(rlim_t limit);

}  // namespace internal

}  // namespace tacet::base
