#pragma once

#include <atomic>

#include "tacet/base/progress.h"

namespace tacet::apps {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT raise the returned flag instead of ending the
/// process, so that temporary files are removed and bookings ended on the way out. One that is
/// ignored (nohup, a shell's background jobs) stays ignored.
[[nodiscard]] const base::CancelToken& catch_interrupts();

/// From now on a write that the limit on file sizes stops (setrlimit(2), `ulimit -f`) fails with
/// EFBIG, like one to a full disk, and the command says so; SIGXFSZ would end it without a word. A
/// handler, and not SIG_IGN, because the latter would pass to programs that this one starts.
void survive_file_size_limit();

/// From now on SIGHUP raises this flag instead, every time: something is to be read anew.
[[nodiscard]] std::atomic<bool>& catch_hangups();

}  // namespace tacet::apps
