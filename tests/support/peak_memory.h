#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace tacet::test {

/// The most memory that this process has held so far, in bytes. A test that compares two calls says
/// how much more what stands between them needed than anything before.
inline std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in kilobytes
}

}  // namespace tacet::test
