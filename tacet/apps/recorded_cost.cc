#include "tacet/apps/recorded_cost.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::apps {
namespace {

namespace limits = base::limits;

using privacy::Receipt;

/// The parser's words without its error number.
std::string detail_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const auto end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

/// A schema's fit: its random name, and what it released between the neighbours of a receipt.
struct Fit {
  std::string id;
  privacy::Event events;
};

/// A receipt by itself, or that of another result.
RecordedResult result_of(const std::string& text, bool inside) {
  const auto whole = privacy::internal::parse_strictly(
      text, {.what = "result",
             .max_bytes = static_cast<std::size_t>(limits::result_bytes),
             .max_depth = limits::model_depth});
  RecordedResult result{privacy::receipt_from_json(inside ? whole["receipt"].dump() : text)};
  if (!inside) return result;
  for (const auto& [key, value] : whole.items()) {
    if (key == "privacy" && value.is_string()) {
      result.statement = value.get<std::string>();
    } else if (key != "receipt") {
      result.other_keys.push_back(key);
    }
  }
  return result;
}

/// The keys of a JSON object's top level that tell kinds of files apart; nothing for what is no
/// object. No value is kept: a wide model need not stand in memory as a tree.
std::optional<std::set<std::string>> kind_of(const std::string& text, const std::string& path) {
  using Event = nlohmann::json::parse_event_t;
  std::set<std::string> keys;
  const auto note = [&keys](int depth, Event event, const nlohmann::json& value) {
    if (event == Event::key && depth == 1) {
      for (const auto* known : {"format", "receipt", "guarantee"}) {
        if (value == known) keys.insert(known);
      }
    }
    return depth == 0;
  };
  try {
    if (!nlohmann::json::parse(text, note).is_object()) return std::nullopt;
    return keys;
  } catch (const nlohmann::json::exception& error) {
    throw base::DataError("'{}' is no JSON object, or a damaged one: {}", path, detail_of(error));
  }
}

/// A receipt, or the receipt of a model or of another result; nothing when the text is neither.
std::optional<RecordedResult> recorded_in(const std::string& text, const std::string& path) {
  const auto keys = kind_of(text, path);
  if (!keys) throw base::DataError("'{}' is no JSON object: no model, receipt or event", path);
  if (keys->contains("format")) {
    auto model = model::model_from_json(text, path);
    data::check_carries_cost(model.schema, model.receipt);
    const auto receipt = model.receipt;
    const auto statement = model.statement;
    return RecordedResult{receipt, std::move(model), statement, {}};
  }
  // Other results carry their receipt as a part of what they printed.
  const bool inside = keys->contains("receipt");
  if (!inside && !keys->contains("guarantee")) return std::nullopt;
  try {
    return result_of(text, inside);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", path, error.what());
  }
}

privacy::Event event_of(const std::string& text, const std::string& path) {
  try {
    return privacy::event_from_json(text);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", path, error.what());
  }
}

void include(const Receipt& receipt, const std::string& path, RecordedCost& cost) {
  const auto adjacency = receipt.guarantee.adjacency;
  if (cost.adjacency.value_or(adjacency) != adjacency) {
    throw base::UsageError(
        "'{}' is about {} neighbours, the files before it about {}; account for them apart", path,
        to_string(adjacency), to_string(*cost.adjacency));
  }
  if (!cost.privacy_unit.empty() && cost.privacy_unit != receipt.privacy_unit) {
    throw base::UsageError(
        "'{}' protects the unit '{}', the files before it '{}'; account for them apart", path,
        receipt.privacy_unit, cost.privacy_unit);
  }
  cost.adjacency = adjacency;
  cost.privacy_unit = receipt.privacy_unit;
  cost.delta = std::max(cost.delta.value_or(0), receipt.guarantee.delta);
  cost.unbounded = cost.unbounded || std::isinf(receipt.guarantee.epsilon);
  if (cost.unprotected_reason.empty()) cost.unprotected_reason = receipt.unprotected_reason;
}

/// What a result released, less the fit of its schema where results before it have shown the same
/// fit: its random name and its cost agree.
privacy::Event less_shared_fit(RecordedResult recorded, std::vector<Fit>& fits) {
  if (!recorded.model || !recorded.model->schema.cost) return std::move(recorded.receipt.events);
  const auto& schema = recorded.model->schema;
  const Fit fit{schema.cost->id, data::fit_events(schema, recorded.receipt.guarantee.adjacency)};
  const auto* both = recorded.receipt.events.as<privacy::Composed>();
  const bool apart = both != nullptr && both->parts.size() == 2 && both->parts[0] == fit.events;
  if (!apart) return std::move(recorded.receipt.events);
  const bool known = std::any_of(fits.begin(), fits.end(), [&](const Fit& one) {
    return one.id == fit.id && one.events == fit.events;
  });
  if (known) return both->parts[1];
  fits.push_back(fit);
  return std::move(recorded.receipt.events);
}

}  // namespace

RecordedCost read_costs(const std::vector<std::string>& paths) {
  RecordedCost cost;
  std::vector<privacy::Event> events;
  std::vector<Fit> fits;
  for (const auto& path : paths) {
    const auto text = base::read_file(path, limits::model_bytes);
    auto recorded = recorded_in(text, path);
    if (recorded) include(recorded->receipt, path, cost);
    events.push_back(recorded ? less_shared_fit(*std::move(recorded), fits) : event_of(text, path));
  }
  // A single event stays itself: some kinds have an analysis that their composition lacks.
  cost.event = events.size() == 1 ? std::move(events.front())
                                  : privacy::Event(privacy::Composed{std::move(events)});
  return cost;
}

RecordedResult read_result(const std::string& path) {
  auto recorded = recorded_in(base::read_file(path, limits::model_bytes), path);
  if (recorded) return *std::move(recorded);
  throw base::DataError(
      "'{}' has no receipt; a model file or a receipt is needed, and `tacet account` computes what "
      "events cost",
      path);
}

}  // namespace tacet::apps
