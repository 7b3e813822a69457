#pragma once

#include <cstdint>
#include <string>

#include "tacet/local/protocol/task.h"
#include "tacet/privacy/receipt.h"

namespace tacet::local {

/// How far a task is that a model is written of.
struct TaskProgress {
  std::int64_t rounds = 0;   ///< that are complete
  std::int64_t reports = 0;  ///< that have counted, without those that were dropped
  std::int64_t dropped = 0;  ///< that teach nothing any more
  std::string closed;        ///< why, before the last round; empty: it was not
};

/// "finished", "unfinished", or why the task was closed before its last round.
[[nodiscard]] std::string task_state(const Task& task, const TaskProgress& progress);

/// The receipt with what has happened beside what was planned: `rounds_done`, `reports_counted`,
/// `reports_dropped` where there are any, and `task_state`. The promise to each device is the same
/// however far the task is.
[[nodiscard]] privacy::Receipt with_progress(privacy::Receipt receipt, const Task& task,
                                             const TaskProgress& progress);

}  // namespace tacet::local
