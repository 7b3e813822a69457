#include "tacet/report/record/planned_epsilons.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/report/record/attack.h"

namespace tacet::report {

std::vector<const PlannedEpsilon*> planned_of(const PlannedSpending& plan) {
  std::vector<const PlannedEpsilon*> out;
  for (const auto& at : plan.epsilons) {
    if (at.plan) out.push_back(&at);
  }
  std::ranges::sort(out, {}, &PlannedEpsilon::epsilon);
  return out;
}

std::string why_nothing_is_promised(const PlannedSpending& plan) {
  if (plan.cost && !plan.cost->is_protected()) return plan.cost->unprotected_reason;
  for (const auto& at : plan.epsilons) {
    if (at.cost && !at.cost->is_protected()) return at.cost->unprotected_reason;
  }
  return {};
}

bool promises(const PlannedSpending& plan) { return why_nothing_is_promised(plan).empty(); }

std::string declared_records(const PlannedSpending& plan) {
  const auto planned = planned_of(plan);
  const auto* training = plan.chosen       ? &*plan.chosen
                         : planned.empty() ? nullptr
                                           : &*planned.front()->plan;
  if (training == nullptr || training->public_row_count == 0) return "an undeclared number of";
  return fmt::format("{}", training->public_row_count);
}

PlannedTest test_at(const PlannedEpsilon& at, base::WorkMeter& work) {
  constexpr double false_alarms = 0.01;
  constexpr double prior = 0.1;
  const auto& cost = *at.cost;
  const auto curve = certified_curve(cost.events, cost.guarantee.adjacency, cost.prg_slack, work);
  PlannedTest test{.recognised = largest_true_positive_rate(curve, false_alarms)};
  test.after_alarm = share_after_positive(prior, false_alarms, test.recognised);
  return test;
}

}  // namespace tacet::report
