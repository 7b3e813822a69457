#include "tacet/local/service/task_receipt.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace tacet::local {

std::string task_state(const Task& task, const TaskProgress& progress) {
  if (!progress.closed.empty()) return progress.closed;
  return progress.rounds == task.plan.rounds ? "finished" : "unfinished";
}

privacy::Receipt with_progress(privacy::Receipt receipt, const Task& task,
                               const TaskProgress& progress) {
  auto parameters = nlohmann::ordered_json::parse(receipt.parameters);
  parameters["rounds_done"] = progress.rounds;
  parameters["reports_counted"] = progress.reports;
  if (progress.dropped > 0) parameters["reports_dropped"] = progress.dropped;
  parameters["task_state"] = task_state(task, progress);
  receipt.parameters = parameters.dump();
  return receipt;
}

}  // namespace tacet::local
