#pragma once

#include <sys/resource.h>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::base {

/// From now on the system writes no memory image of this process when it crashes, and no other
/// process of the same user may read its memory: such an image holds records, keys and noise. A
/// program calls it before it reads any of them; the library by itself changes nothing about the
/// process it runs in. IoError when the system refuses.
void forbid_core_dumps();

/// Asks the system for pages of 2 MiB below memory that was reserved and not yet touched: arrays of
/// 100 MB and more are then there several times sooner and read at random without a look into the
/// page table for each place. Nothing where there are none, or below 4 MiB.
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

/// Bytes that this process can hold at most: of the machine's memory and swap, of the limits that
/// the process (`ulimit -v`, `ulimit -d`) and its control group were given, the least.
[[nodiscard]] std::int64_t machine_memory();

namespace internal {

/// What a control group's file `memory.max` says: a number of bytes, or the largest one for "max"
/// and whatever cannot be read.
[[nodiscard]] std::int64_t memory_limit_of(const char* file);
/// The same for a limit of the process.
[[nodiscard]] std::int64_t memory_limit_of(rlim_t limit);

}  // namespace internal

}  // namespace tacet::base
