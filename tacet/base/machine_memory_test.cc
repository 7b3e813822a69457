#include "tacet/base/machine_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

#include "tests/support/temporary_folder.h"

namespace tacet::base {
namespace machine_memory_test {

constexpr auto without_limit = std::numeric_limits<std::int64_t>::max();

TEST(MachineMemory, IsPositiveAndFinite) {
  EXPECT_GT(machine_memory(), 64 << 20);
  EXPECT_LT(machine_memory(), without_limit);
}

TEST(MachineMemory, ReadsTheLimitsOfProcesses) {
  EXPECT_EQ(internal::memory_limit_of(rlim_t{4096}), 4096);
  EXPECT_EQ(internal::memory_limit_of(RLIM_INFINITY), without_limit);
  EXPECT_EQ(internal::memory_limit_of(~rlim_t{1}), without_limit);
}

TEST(MachineMemory, ReadsTheLimitsOfControlGroups) {
  const auto limit_in = [](const char* text) {
    return internal::memory_limit_of(test::TemporaryFile(text).path().c_str());
  };
  EXPECT_EQ(limit_in("8589934592\n"), std::int64_t{8} << 30);
  for (const char* none : {"max\n", "", "-1\n", "0\n", "99999999999999999999\n"}) {
    EXPECT_EQ(limit_in(none), without_limit) << none;
  }
  EXPECT_EQ(internal::memory_limit_of("/nowhere/memory.max"), without_limit);
}

}  // namespace machine_memory_test
}  // namespace tacet::base
