#include "tacet/apps/terminal/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace tacet::apps
