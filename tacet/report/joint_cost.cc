#include "tacet/report/joint_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::report {

void JointCostSum::add(const RecordedResult& result, const std::string& name) {
  const auto& receipt = result.receipt;
  const auto adjacency = receipt.guarantee.adjacency;
  if (cost_.adjacency.value_or(adjacency) != adjacency) {
    throw base::UsageError(
        "'{}' is about {} neighbours, the files before it about {}; account for them apart", name,
        to_string(adjacency), to_string(*cost_.adjacency));
  }
  if (!cost_.privacy_unit.empty() && cost_.privacy_unit != receipt.privacy_unit) {
    throw base::UsageError(
        "'{}' protects the unit '{}', the files before it '{}'; account for them apart", name,
        receipt.privacy_unit, cost_.privacy_unit);
  }
  cost_.adjacency = adjacency;
  cost_.privacy_unit = receipt.privacy_unit;
  cost_.delta = std::max(cost_.delta.value_or(0), receipt.guarantee.delta);
  cost_.prg_slack += receipt.prg_slack;
  cost_.unbounded = cost_.unbounded || std::isinf(receipt.guarantee.epsilon);
  if (cost_.unprotected_reason.empty()) cost_.unprotected_reason = receipt.unprotected_reason;
  if (auto released = less_shared_fit(result)) events_.push_back(*std::move(released));
}

void JointCostSum::add(privacy::Event event) { events_.push_back(std::move(event)); }

std::optional<privacy::Event> JointCostSum::less_shared_fit(const RecordedResult& result) {
  const auto& events = result.receipt.events;
  const auto* schema = result.schema  ? &*result.schema
                       : result.model ? &result.model->schema
                                      : nullptr;
  if (schema == nullptr || !schema->cost) return events;
  const Fit fit{schema->cost->id, data::fit_events(*schema, result.receipt.guarantee.adjacency)};
  const auto* both = events.as<privacy::Composed>();
  const bool alone = result.schema && events == fit.events;
  const bool apart =
      !result.schema && both != nullptr && both->parts.size() == 2 && both->parts[0] == fit.events;
  if (!alone && !apart) return events;
  const bool known = std::any_of(fits_.begin(), fits_.end(), [&](const Fit& one) {
    return one.id == fit.id && one.events == fit.events;
  });
  if (known && alone) return std::nullopt;
  if (known) return both->parts[1];
  fits_.push_back(fit);
  return events;
}

JointCost JointCostSum::total() && {
  // A single event stays itself: some kinds have an analysis that their composition lacks.
  cost_.event = events_.size() == 1 ? std::move(events_.front())
                                    : privacy::Event(privacy::Composed{std::move(events_)});
  return std::move(cost_);
}

}  // namespace tacet::report
