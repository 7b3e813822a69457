#include "tacet/local/device/policy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/local/device/refusal.h"

namespace tacet::local {
namespace {

using data::internal::fail_at;
using data::internal::Node;
using data::internal::NodeArray;
using data::internal::NodeTable;

constexpr std::int64_t policy_bytes = std::int64_t{1} << 16;

double policy_number(const Node& node, std::string_view key) {
  double value = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
    value = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&node.value)) {
    value = *real;
  } else {
    fail_at(node.where, "{} must be a number", key);
  }
  if (!(value >= 0 && std::isfinite(value))) {
    fail_at(node.where, "{} must be at least 0 and finite", key);
  }
  return value;
}

std::vector<std::string> policy_mechanisms(const Node& node) {
  std::vector<std::string> names;
  const auto* list = std::get_if<NodeArray>(&node.value);
  if (list == nullptr || list->empty()) fail_at(node.where, "mechanisms must be a list of names");
  for (const auto& entry : *list) {
    const auto* name = std::get_if<std::string>(&entry.value);
    if (name == nullptr || !mechanism::local_mechanism_names.find(*name)) {
      fail_at(entry.where,
              "mechanisms are privunit, privunitg, djw, l2_laplace, "
              "coordinate_laplace, gaussian");
    }
    names.push_back(*name);
  }
  return names;
}

std::filesystem::path policy_folder(const Node& node) {
  const auto* name = std::get_if<std::string>(&node.value);
  if (name == nullptr || !std::filesystem::path(*name).is_absolute() ||
      name->find('\0') != std::string::npos) {
    fail_at(node.where,
            "books must be the absolute path of a folder, so that it is the same one from wherever "
            "a device is started");
  }
  return *name;
}

/// Where the value of a key goes; null: there is none of that name.
double* policy_place(Policy& policy, std::string_view key) {
  if (key == "largest_epsilon") return &policy.largest_epsilon;
  if (key == "largest_delta") return &policy.largest_delta;
  if (key == "all_tasks_epsilon") return &policy.all_tasks_epsilon;
  if (key == "all_tasks_delta") return &policy.all_tasks_delta;
  if (key == "largest_clipping_norm") return &policy.largest_clipping_norm;
  if (key == "largest_norm") return &policy.largest_norm;
  if (key == "smallest_delay") return &policy.smallest_delay;
  return nullptr;
}

}  // namespace

Policy policy_from_toml(std::string_view text, std::string_view file_name) {
  const auto root = data::internal::node_from_toml(text, file_name);
  Policy policy;
  for (const auto& [key, node] : std::get<NodeTable>(root.value)) {
    if (key == "mechanisms") {
      policy.mechanisms = policy_mechanisms(node);
    } else if (key == "books") {
      policy.books = policy_folder(node);
    } else if (auto* place = policy_place(policy, key)) {
      *place = policy_number(node, key);
    } else {
      fail_at(node.where, "a policy has no key '{}'", key);
    }
  }
  const auto require = [&](bool given, const char* key) {
    if (!given) throw base::DataError("{}: {} is missing, or 0", file_name, key);
  };
  require(policy.largest_epsilon > 0, "largest_epsilon");
  require(policy.all_tasks_epsilon > 0, "all_tasks_epsilon");
  require(!policy.mechanisms.empty(), "mechanisms");
  require(policy.largest_norm > 0, "largest_norm");
  if (policy.largest_delta >= 1 || policy.all_tasks_delta >= 1) {
    throw base::DataError("{}: deltas are below 1", file_name);
  }
  return policy;
}

Policy load_policy(const std::filesystem::path& path) {
  return policy_from_toml(base::read_file(path, policy_bytes), path.string());
}

void check_policy(const Policy& policy, const Task& task) {
  const auto& spec = task.randomizer().spec();
  const auto& asked = task.plan.guarantee;
  if (asked.epsilon > policy.largest_epsilon || asked.delta > policy.largest_delta) {
    throw base::BudgetError(
        "the task asks for epsilon {}, delta {}; the policy allows a task epsilon {}, delta {}; "
        "{}",
        asked.epsilon, asked.delta, policy.largest_epsilon, policy.largest_delta, nothing_done);
  }
  const std::string name = mechanism::local_mechanism_names.of(spec.mechanism);
  if (std::ranges::find(policy.mechanisms, name) == policy.mechanisms.end()) {
    throw base::GuaranteeError("the task's mechanism {} is none that the policy allows; {}", name,
                               nothing_done);
  }
  if (spec.clipping_norm > policy.largest_clipping_norm) {
    throw base::GuaranteeError(
        "the task's clipping norm {} is above the {} that the policy allows; {}",
        spec.clipping_norm, policy.largest_clipping_norm, nothing_done);
  }
  if (task.terms.delay_seconds < policy.smallest_delay) {
    throw base::GuaranteeError(
        "the task has its devices wait up to {} seconds before they send, the policy wants {}; {}",
        task.terms.delay_seconds, policy.smallest_delay, nothing_done);
  }
}

}  // namespace tacet::local
