#include "tacet/apps/terminal/interrupt.h"

#include <csignal>

namespace tacet::apps {
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

std::atomic<bool>& catch_hangups() {
  struct sigaction action {};
  action.sa_handler = note_hangup;
  sigemptyset(&action.sa_mask);
  sigaction(SIGHUP, &action, nullptr);
  return hung_up;
}

}  // namespace tacet::apps
