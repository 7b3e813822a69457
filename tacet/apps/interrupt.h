#pragma once

#include "tacet/base/progress.h"

namespace tacet::apps {

/// From now on SIGINT and SIGTERM raise the returned flag instead of ending the process, so that
/// temporary files are removed on the way out.
[[nodiscard]] const base::CancelToken& catch_interrupts();

}  // namespace tacet::apps
