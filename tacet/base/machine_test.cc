#include "tacet/base/machine.h"

#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <limits>

#include "tests/support/temporary_folder.h"

namespace tacet::base {
namespace machine_test {

TEST(CoreDumps, ACrashLeavesNoImageOfTheMemory) {
  const pid_t child = ::fork();
  if (child == 0) {
    forbid_core_dumps();
    rlimit limit{1, 1};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 0 || limit.rlim_max != 0) {
      ::_exit(2);
    }
    if (::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) ::_exit(3);
    ::signal(SIGABRT, SIG_DFL);
    ::raise(SIGABRT);
    ::_exit(4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_FALSE(WCOREDUMP(status));
}

TEST(LargePages, ArraysAreZerosWhateverPagesTheyAreOn) {
  for (const std::size_t size : {0U, 1U, 1000U, 524288U, 600001U, 3000000U}) {
    const auto array = large_array<std::int64_t>(size);
    ASSERT_EQ(array.size(), size);
    EXPECT_EQ(std::ranges::count(array, 0), static_cast<std::ptrdiff_t>(size));
  }
}

// Memory that holds something keeps it: the advice is about pages, not about their content.
TEST(LargePages, AdviceChangesNothing) {
  std::vector<std::int64_t> array(1000003);
  for (std::size_t j = 0; j < array.size(); ++j) array[j] = static_cast<std::int64_t>(j * j);
  prefer_large_pages(array.data(), array.size() * sizeof(std::int64_t));
  for (std::size_t j = 0; j < array.size(); ++j) {
    ASSERT_EQ(array[j], static_cast<std::int64_t>(j * j));
  }
  prefer_large_pages(nullptr, 0);
}

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

}  // namespace machine_test

}  // namespace tacet::base
