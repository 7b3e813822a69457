#include "tacet/base/machine.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <limits>
#include <system_error>

#include "tacet/base/error.h"

namespace tacet::base {
namespace {

constexpr std::int64_t without_limit = std::numeric_limits<std::int64_t>::max();

std::int64_t installed() {
  struct sysinfo facts {};
  if (sysinfo(&facts) != 0) return without_limit;
  const auto units =
      static_cast<std::int64_t>(facts.totalram) + static_cast<std::int64_t>(facts.totalswap);
  return units * static_cast<std::int64_t>(facts.mem_unit);
}

}  // namespace

void forbid_core_dumps() {
  const rlimit none{0, 0};
  // The limit is for files; a handler of crashes gets its image through a pipe all the same, unless
  // the process is not dumpable (core(5), prctl(2)).
  if (::setrlimit(RLIMIT_CORE, &none) == 0 && ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) return;
  throw IoError("the system does not let memory images of crashes be turned off: " +
                std::generic_category().message(errno));
}

void prefer_large_pages(void* begin, std::size_t bytes) noexcept {
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  if (bytes < 2 * page) return;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t from = (first + page - 1) / page * page;
  const std::uintptr_t to = (first + bytes) / page * page;
  // Only a hint: if the system ignores it, nothing changes.
  if (from < to)
    static_cast<void>(madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE));
}

std::int64_t internal::memory_limit_of(const char* file) {
  std::ifstream in(file);
  std::int64_t limit = 0;
  return in >> limit && limit > 0 ? limit : without_limit;
}

std::int64_t internal::memory_limit_of(rlim_t limit) {
  constexpr auto largest = static_cast<rlim_t>(without_limit);
  return static_cast<std::int64_t>(std::min(limit, largest));  // infinity is the largest of all
}

std::int64_t machine_memory() {
  const auto process = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) == 0 ? internal::memory_limit_of(limit.rlim_cur)
                                            : without_limit;
  };
  return std::min({installed(), process(RLIMIT_AS), process(RLIMIT_DATA),
                   internal::memory_limit_of("/sys/fs/cgroup/memory.max")});
}

}  // namespace tacet::base
