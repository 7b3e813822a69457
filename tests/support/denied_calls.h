#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>

/// What a process of a test can no longer do, or sees otherwise; for children alone.
namespace tacet::test {

/// From now on each call of this number fails with the error.
inline bool deny_call(unsigned number, int error) {
  std::array<sock_filter, 4> rules{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
  }};
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Where the superuser runs the test: nobody from now on, so that modes of files count.
inline bool be_nobody() {
  constexpr uid_t nobody = 65534;
  return ::getuid() != 0 || ::setuid(nobody) == 0;
}

/// The file `from` is in the place of the file `to` too, for this process alone.
inline bool mount_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

}  // namespace tacet::test
