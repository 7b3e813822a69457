#include "tacet/apps/interrupt.h"

#include <csignal>

namespace tacet::apps {
namespace {

base::CancelToken interrupted;  // a signal handler can reach only what is global

extern "C" void raise_flag(int /*signal*/) { interrupted.cancel(); }

}  // namespace

const base::CancelToken& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = raise_flag;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace tacet::apps
