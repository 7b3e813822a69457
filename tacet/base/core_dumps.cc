#include "tacet/base/core_dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "tacet/base/error.h"

namespace tacet::base {

void forbid_core_dumps() {
  const rlimit none{0, 0};
  // The limit is for files; a handler of crashes gets its image through a pipe all the same, unless
  // the process is not dumpable (core(5), prctl(2)).
  if (::setrlimit(RLIMIT_CORE, &none) == 0 && ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) return;
  throw IoError("the system does not let memory images of crashes be turned off: " +
                std::generic_category().message(errno));
}

}  // namespace tacet::base
