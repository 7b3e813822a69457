#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace tacet::base {

/// Bytes that this process can hold at most: of the machine's memory and swap, of the limits that
/// the process (`ulimit -v`, `ulimit -d`) and its control group were given, the least.
[[nodiscard]] std::int64_t machine_memory();

namespace internal {

/// What a control group's file `memory.max` says: a number of bytes, or the largest one for "max"
/// and whatever cannot be read.
[[nodiscard]] std::int64_t memory_limit_of(const char* file);
/// The same of a limit of the process.
[[nodiscard]] std::int64_t memory_limit_of(rlim_t limit);

}  // namespace internal
}  // namespace tacet::base
