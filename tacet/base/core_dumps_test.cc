#include "tacet/base/core_dumps.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tacet::base {
namespace core_dumps_test {

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

}  // namespace core_dumps_test
}  // namespace tacet::base
