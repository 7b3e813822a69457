#include "tacet/select/total_budget.h"

#include <cmath>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/select/plan.h"

namespace tacet::select {
namespace {

double together(const data::Schema& schema, const learn::Training& plan) {
  return data::with_schema_cost(schema, {plan.events, plan.guarantee, plan.cipher_delta})
      .guarantee.epsilon;
}

}  // namespace

learn::Training plan_within(const data::Schema& schema, learn::LinearOptions options,
                            double total_epsilon) {
  if (!(total_epsilon > 0) || std::isinf(total_epsilon)) {
    throw base::UsageError("the total epsilon must be above 0 and finite, got {}", total_epsilon);
  }
  options.epsilon = total_epsilon;
  if (!schema.cost) return select::plan_training(schema, options);
  const double width = 1e-3 * total_epsilon;
  std::optional<learn::Training> best;
  double affordable = 0;  // the whole stays within the total
  double dear = total_epsilon;
  while (dear - affordable > width) {
    options.epsilon = affordable + (dear - affordable) / 2;
    auto plan = select::plan_training(schema, options);
    if (together(schema, plan) <= total_epsilon) {
      affordable = options.epsilon;
      best = std::move(plan);
    } else {
      dear = options.epsilon;
    }
  }
  if (best) return std::move(*best);
  throw base::GuaranteeError(
      "the fit of the schema costs epsilon {:.6g} and leaves nothing of a total of {}; ask for "
      "more, or for --epsilon of the training alone",
      data::cost_between(schema, options.adjacency).guarantee.epsilon, total_epsilon);
}

}  // namespace tacet::select
