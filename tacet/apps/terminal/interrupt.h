#pragma once

#include <atomic>

#include "tacet/base/progress.h"

namespace tacet::apps {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT raise the returned flag instead of ending the
/// process, so that temporary files are removed and bookings ended on the way out. One that is
/// ignored (nohup, a shell's background jobs) stays ignored.
[[nodiscard]] const base::CancelToken& catch_interrupts();

/// From now on SIGHUP raises this flag instead, every time: something is to be read anew.
[[nodiscard]] std::atomic<bool>& catch_hangups();

}  // namespace tacet::apps
