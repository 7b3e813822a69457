#include "tacet/apps/terminal/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tacet::apps {

bool occupy_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is the one asked for: those below are taken by now.
    const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", mode) != descriptor) return false;
  }
  return true;
}

namespace {

base::CancelToken interrupted;  // a signal handler can reach only what is global

std::atomic<bool> hung_up{false};

extern "C" void raise_flag(int /*signal*/) { interrupted.cancel(); }
extern "C" void note_hangup(int /*signal*/) { hung_up.store(true); }
extern "C" void let_write_fail(int /*signal*/) {}

}  // namespace

const base::CancelToken& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = raise_flag;
  // A second signal ends the program at once, even where a computation does not look at the flag.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    const bool ignored = sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(signal, &action, nullptr);
  }
  return interrupted;
}

void survive_file_size_limit() {
  struct sigaction action {};
  action.sa_handler = let_write_fail;
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, nullptr);
}

void survive_closed_pipes() {
  struct sigaction action {};
  action.sa_handler = let_write_fail;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

std::atomic<bool>& catch_hangups() {
  struct sigaction action {};
  action.sa_handler = note_hangup;
  sigemptyset(&action.sa_mask);
  sigaction(SIGHUP, &action, nullptr);
  return hung_up;
}

}  // namespace tacet::apps
