#include "tacet/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace tacet::base {

void prefer_large_pages(void* begin, std::size_t bytes) noexcept {
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  if (bytes < 2 * page) return;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t from = (first + page - 1) / page * page;
  const std::uintptr_t to = (first + bytes) / page * page;
  // Advice: where the system does not take it, everything is as it would have been.
  if (from < to)
    static_cast<void>(madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE));
}

}  // namespace tacet::base
