#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>

#include "tests/support/processes.h"

/// A process that is killed at the n-th of its system calls that change a file, make something
/// durable, or send: whoever does them, a library too. fault_layer.h does it below SQLite alone.
namespace tacet::test {

enum class KillMoment { before, inside, after };

namespace traced {

inline bool writes(std::uint64_t number) {
  return number == SYS_write || number == SYS_pwrite64 || number == SYS_writev;
}

/// Whether a call leaves a trace outside of the process.
inline bool counts(const __ptrace_syscall_info& call) {
  const auto number = call.entry.nr;
  if (number == SYS_openat) return (call.entry.args[2] & (O_CREAT | O_TMPFILE | O_TRUNC)) != 0;
  constexpr std::array<std::uint64_t, 11> others{
      SYS_fsync,  SYS_fdatasync, SYS_ftruncate, SYS_renameat2, SYS_linkat,   SYS_unlinkat,
      SYS_sendto, SYS_sendmsg,   SYS_mkdirat,   SYS_fchmod,    SYS_fallocate};
#ifdef SYS_rename
  constexpr std::array<std::uint64_t, 5> older{SYS_rename, SYS_link, SYS_unlink, SYS_mkdir,
                                               SYS_open};
  if (number == SYS_open) return (call.entry.args[1] & (O_CREAT | O_TRUNC)) != 0;
  for (const auto one : older) {
    if (number == one) return true;
  }
#endif
  for (const auto one : others) {
    if (number == one) return true;
  }
  return writes(number);
}

/// Half of what a write would write. False where this machine's registers are not known here.
inline bool halve_write([[maybe_unused]] pid_t child) {
#ifdef __x86_64__
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, child, nullptr, &registers) != 0) return false;
  registers.rdx /= 2;
  return ::ptrace(PTRACE_SETREGS, child, nullptr, &registers) == 0;
#else
  return false;
#endif
}

struct Look {
  __ptrace_syscall_info call{};
  bool known = false;
};
inline Look look_at(pid_t child) {
  Look look;
  look.known = ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof look.call, &look.call) > 0;
  return look;
}

/// Until it stops at a system call again, or ends: its status.
inline int go_on(pid_t child) {
  int status = 0;
  int signal = 0;
  for (;;) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return status;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return status;
    signal = WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
  }
}

}  // namespace traced

/// Whether the system lets a process trace its child: some containers do not.
inline bool tracing_is_allowed() {
  return exit_code_of(in_child(
             [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1; })) == 0;
}

/// Runs `body` in a process of its own, which has one thread, and kills it at its `when`-th such
/// call. True when it was killed; false: there were fewer calls, and `body` has returned 0.
inline bool killed_at_call(KillMoment moment, int when, const std::function<int()>& body) {
  const pid_t child = in_child([&] {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 98;
    ::raise(SIGSTOP);
    return body();
  });
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFSTOPPED(status)) {
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    status = traced::go_on(child);
  }
  int left = when;
  while (WIFSTOPPED(status)) {
    const auto look = traced::look_at(child);
    const bool here = look.known && look.call.op == PTRACE_SYSCALL_INFO_ENTRY &&
                      traced::counts(look.call) && --left == 0;
    if (here) {
      // What is no write has no inside.
      if (moment == KillMoment::inside && traced::writes(look.call.entry.nr)) {
        traced::halve_write(child);
      }
      if (moment != KillMoment::before) traced::go_on(child);
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return true;
    }
    status = traced::go_on(child);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return false;
}

}  // namespace tacet::test
