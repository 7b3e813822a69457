#include "tacet/choose/total_budget.h"

#include <cmath>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"

namespace tacet::choose {
namespace {

double together(const data::Schema& schema, const learn::Training& plan) {
  return data::with_schema_cost(schema, {plan.events, plan.guarantee, plan.prg_slack})
      .guarantee.epsilon;
}

}  // namespace

learn::Training plan_within(const data::Schema& schema, ResolvedRequest request,
                            double total_epsilon) {
  request.values.set("epsilon", 1);  // any: what is read of it here is the adjacency
  return plan_within(schema, request.common().adjacency, total_epsilon, [&](double epsilon) {
    request.values.set("epsilon", epsilon);
    return choose::plan_training(schema, request);
  });
}

learn::Training plan_within(const data::Schema& schema, privacy::Adjacency adjacency,
                            double total_epsilon, const PlanAt& plan_at) {
  if (!(total_epsilon > 0) || std::isinf(total_epsilon)) {
    throw base::UsageError("the total epsilon must be above 0 and finite, got {}", total_epsilon);
  }
  if (!schema.cost) return plan_at(total_epsilon);
  const double width = 1e-3 * total_epsilon;
  std::optional<learn::Training> best;
  double affordable = 0;  // the whole stays within the total
  double dear = total_epsilon;
  while (dear - affordable > width) {
    const double epsilon = affordable + (dear - affordable) / 2;
    auto plan = plan_at(epsilon);
    if (together(schema, plan) <= total_epsilon) {
      affordable = epsilon;
      best = std::move(plan);
    } else {
      dear = epsilon;
    }
  }
  if (best) return std::move(*best);
  throw base::GuaranteeError(
      "the fit of the schema costs epsilon {:.6g} and leaves nothing of a total of {}; ask for "
      "more, or for `epsilon` of the training alone",
      data::cost_between(schema, adjacency).guarantee.epsilon, total_epsilon);
}

}  // namespace tacet::choose
