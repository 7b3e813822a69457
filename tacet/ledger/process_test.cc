#include "tacet/ledger/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tacet::ledger {
namespace process_test {

TEST(Process, ThisOneRuns) { EXPECT_TRUE(running(this_process())); }

TEST(Process, AnotherStartOrBootWithTheSameNumberIsAnotherProcess) {
  auto other = this_process();
  ++other.start;
  EXPECT_FALSE(running(other));
  other = this_process();
  other.boot = "11111111-2222-3333-4444-555555555555";
  EXPECT_FALSE(running(other));
  EXPECT_FALSE(running(Process{}));
}

TEST(Process, OneThatEndedDoesNotRunEvenBeforeItIsCollected) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  Process process = this_process();
  process.id = child;
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(running(process));
  ::waitpid(child, nullptr, 0);
}

}  // namespace process_test
}  // namespace tacet::ledger
