#include "tacet/report/epsilon_grid.h"

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/report/plan.h"

namespace tacet::report {
namespace {

// Numbers of records of two digits: 10, 11, .. 99, 100, 110, ..
constexpr std::int64_t numbers_in_a_decade = 90;

std::int64_t number_at(std::int64_t place) {
  auto value = 10 + place % numbers_in_a_decade;
  for (auto k = place / numbers_in_a_decade; k > 0; --k) value *= 10;
  return value;
}

/// Whether a plan for `records` records has little noise in a usual column. A plan that is refused
/// has not.
bool has_small_noise(choose::Request request, const data::Schema& schema, std::int64_t records) {
  try {
    const auto plan = choose::plan(request.set("public-row-count", records), schema);
    const auto noise = planned_noise(plan);
    return noise && noise->standardised < small_noise;
  } catch (const base::GuaranteeError&) {
    return false;
  } catch (const base::UsageError&) {  // a batch, say, of more records than there are
    return false;
  }
}

/// Decade by decade, then by halving: what changes the method or its settings on the way is passed
/// over. Some plans hold a number for each record, so that no more are tried than it takes.
std::optional<std::int64_t> records_for_small_noise(const choose::Request& request,
                                                    const data::Schema& schema,
                                                    const base::CancelToken* cancel) {
  const auto small = [&](std::int64_t place) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    return has_small_noise(request, schema, number_at(place));
  };
  std::int64_t high = 0;
  while (!small(high)) {
    if (number_at(high) >= max_planned_records) return std::nullopt;
    high += numbers_in_a_decade;
  }
  if (high == 0) return number_at(high);
  std::int64_t low = high - numbers_in_a_decade;
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (small(middle) ? high : low) = middle;
  }
  return number_at(high);
}

PlannedEpsilon planned(const choose::Request& request, const data::Schema& schema, double epsilon,
                       const base::CancelToken* cancel) {
  PlannedEpsilon out{.epsilon = epsilon};
  try {
    out.plan = choose::plan(request, schema);
  } catch (const base::GuaranteeError& error) {
    out.refusal = error.what();
    return out;
  }
  out.cost = data::with_schema_cost(out.plan->schema, planned_receipt(*out.plan));
  out.noise = planned_noise(*out.plan);
  out.excess = proved_excess_risk(*out.plan);
  if (out.noise) out.records_for_small_noise = records_for_small_noise(request, schema, cancel);
  return out;
}

}  // namespace

std::vector<PlannedEpsilon> plan_epsilons(const choose::Request& request,
                                          const data::Schema& schema,
                                          std::span<const double> epsilons,
                                          const base::CancelToken* cancel) {
  std::vector<PlannedEpsilon> out;
  bool any = false;
  for (const double epsilon : epsilons) {
    if (!(epsilon > 0) || std::isinf(epsilon)) {
      throw base::UsageError(
          "epsilon must be above 0 and finite, got {}; without noise nobody is "
          "protected, so that there is nothing to plan",
          epsilon);
    }
    auto at = request;
    out.push_back(planned(at.set("epsilon", epsilon), schema, epsilon, cancel));
    any = any || out.back().plan;
  }
  if (!any && !out.empty()) throw base::GuaranteeError("{}", out.front().refusal);
  return out;
}

}  // namespace tacet::report
