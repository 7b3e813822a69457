#include "tacet/apps/recorded_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::apps {
namespace {

namespace limits = base::limits;

using privacy::Receipt;
using report::recorded_in;

/// A schema's fit: its random name, and what it released between the neighbours of a receipt.
struct Fit {
  std::string id;
  privacy::Event events;
};

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
  return report::result_in(base::read_file(path, limits::model_bytes), path);
}

}  // namespace tacet::apps
