#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/local/protocol/task.h"

namespace tacet::local {

/// What a device's owner allows, whatever a task asks for.
struct Policy {
  double largest_epsilon = 0;    ///< of one task
  double largest_delta = 0;      ///< of one task; 0: pure mechanisms only
  double all_tasks_epsilon = 0;  ///< of all tasks together
  double all_tasks_delta = 0;
  std::vector<std::string> mechanisms;  ///< allowed ones
  double largest_clipping_norm = 1e9;   ///< of the gradient that a report is about
  double largest_norm = 1e4;            ///< of the models that the record is held against
  double smallest_delay = 0;            ///< seconds: a task has its devices wait up to so long
  /// Where the device's ledger is, whatever folder a call names: an absolute path. Empty: in that
  /// folder. Then somebody who deletes both the folder and the mark beside the record, or renames
  /// the record and names a new folder, begins with a new budget.
  std::filesystem::path books = {};
};

/// Reads it from TOML, strictly: unknown keys, missing ones and wrong types are DataErrors with
/// `file:line:column`.
[[nodiscard]] Policy policy_from_toml(std::string_view text, std::string_view file_name);
[[nodiscard]] Policy load_policy(const std::filesystem::path& path);

/// BudgetError where the task wants more than the policy allows to one task, GuaranteeError where
/// it is of a kind that the policy does not allow.
void check_policy(const Policy& policy, const Task& task);

}  // namespace tacet::local
