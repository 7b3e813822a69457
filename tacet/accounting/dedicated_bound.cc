#include "tacet/accounting/dedicated_bound.h"

#include "tacet/accounting/private_selection.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/shuffle.h"

namespace tacet::accounting::internal {

std::optional<DedicatedBound> dedicated_epsilon(const Event& event, Adjacency adjacency,
                                                double delta, const AccountOptions& options) {
  if (const auto* tuning = event.as<RandomlyRepeated>()) {
    if (repetition::depth(event) > repetition::deepest_profile) {
      return DedicatedBound{pure_epsilon(event, adjacency), "pure"};
    }
    return DedicatedBound{SelectionCurve(*tuning, adjacency, options).epsilon(delta),
                          "tuning profile"};
  }
  if (const auto* reports = event.as<ShuffledLocal>()) {
    return DedicatedBound{shuffle::clones_epsilon(reports->reports, reports->local_epsilon, delta),
                          "shuffle"};
  }
  if (const auto* minimum = event.as<ObjectivePerturbation>()) {
    return DedicatedBound{objective::epsilon(*minimum, delta, adjacency), "objective"};
  }
  return std::nullopt;
}
std::optional<DedicatedBound> dedicated_delta(const Event& event, Adjacency adjacency,
                                              double epsilon, const AccountOptions& options) {
  if (const auto* tuning = event.as<RandomlyRepeated>()) {
    if (repetition::depth(event) > repetition::deepest_profile) {
      return DedicatedBound{1, "trivial"};
    }
    return DedicatedBound{SelectionCurve(*tuning, adjacency, options).delta(epsilon),
                          "tuning profile"};
  }
  if (const auto* reports = event.as<ShuffledLocal>()) {
    return DedicatedBound{shuffle::clones_delta(reports->reports, reports->local_epsilon, epsilon),
                          "shuffle"};
  }
  if (const auto* minimum = event.as<ObjectivePerturbation>()) {
    return DedicatedBound{objective::delta(*minimum, epsilon, adjacency), "objective"};
  }
  return std::nullopt;
}

}  // namespace tacet::accounting::internal
