#include "tacet/base/machine_memory.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>

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
