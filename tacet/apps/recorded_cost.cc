#include "tacet/apps/recorded_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"

namespace tacet::apps {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 30;  // as a model file may have

using privacy::Receipt;

/// A receipt, or the receipt of a model; nothing when the text is neither.
std::optional<Receipt> receipt_of(const std::string& text, const std::string& path) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw base::DataError(fmt::format("'{}' is no JSON object: no model, receipt or event", path));
  }
  if (json.contains("format")) return model::model_from_json(text, path).receipt;
  if (!json.contains("guarantee")) return std::nullopt;
  try {
    return privacy::receipt_from_json(text);
  } catch (const base::DataError& error) {
    throw base::DataError(fmt::format("'{}': {}", path, error.what()));
  }
}

privacy::Event event_of(const std::string& text, const std::string& path) {
  try {
    return privacy::event_from_json(text);
  } catch (const base::DataError& error) {
    throw base::DataError(fmt::format("'{}': {}", path, error.what()));
  }
}

void include(const Receipt& receipt, const std::string& path, RecordedCost& cost) {
  const auto adjacency = receipt.guarantee.adjacency;
  if (cost.adjacency.value_or(adjacency) != adjacency) {
    throw base::UsageError(fmt::format(
        "'{}' is about {} neighbours, the files before it about {}; account for them apart", path,
        to_string(adjacency), to_string(*cost.adjacency)));
  }
  cost.adjacency = adjacency;
  cost.delta = std::max(cost.delta.value_or(0), receipt.guarantee.delta);
  cost.unbounded = cost.unbounded || std::isinf(receipt.guarantee.epsilon);
  if (cost.unprotected_reason.empty()) cost.unprotected_reason = receipt.unprotected_reason;
}

}  // namespace

RecordedCost read_costs(const std::vector<std::string>& paths) {
  RecordedCost cost;
  std::vector<privacy::Event> events;
  for (const auto& path : paths) {
    const auto text = base::read_file(path, max_bytes);
    const auto receipt = receipt_of(text, path);
    if (receipt) include(*receipt, path, cost);
    events.push_back(receipt ? receipt->events : event_of(text, path));
  }
  cost.event = privacy::Composed{std::move(events)};
  return cost;
}

}  // namespace tacet::apps
