#pragma once

#include <atomic>

#include "tacet/base/progress.h"

/// What the system gives a process: descriptors, signals, limits.
namespace tacet::apps {

/// Occupies descriptors 0 to 2 where the caller closed them, so that no file that is opened later
/// gets one: it would receive what is meant for the terminal. What stands in for them can be
/// neither read from nor written to, so that a result without a place to go is an error still.
/// False when the system has nothing to stand in.
[[nodiscard]] bool occupy_standard_descriptors();

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT raise the returned flag instead of ending the
/// process, so that temporary files are removed and bookings ended on the way out. One that is
/// ignored (nohup, a shell's background jobs) stays ignored.
[[nodiscard]] const base::CancelToken& catch_interrupts();

/// From now on a write that the limit on file sizes stops (setrlimit(2), `ulimit -f`) fails with
/// EFBIG, like one to a full disk, and the command says so; SIGXFSZ would end it without a word. A
/// handler, and not SIG_IGN, because the latter would pass to programs that this one starts.
void survive_file_size_limit();

/// From now on a write to a pipe that nobody reads any more fails with EPIPE: a server outlives
/// whoever reads its log. A handler, as above.
void survive_closed_pipes();

/// From now on SIGHUP raises this flag instead, every time: something is to be read anew.
[[nodiscard]] std::atomic<bool>& catch_hangups();

}  // namespace tacet::apps
