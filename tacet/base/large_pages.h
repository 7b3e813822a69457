#pragma once

#include <cstddef>
#include <vector>

namespace tacet::base {

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

}  // namespace tacet::base
