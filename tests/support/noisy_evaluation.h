#pragma once

#include <cstdint>

#include "tacet/accounting/composition.h"
#include "tacet/learn/evaluation.h"
#include "tacet/privacy/trusting_budget.h"

/// What tests of noisy evaluations share.
namespace tacet::test {

inline constexpr std::int64_t record_count = 2000;

inline data::Schema one_number() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  return schema;
}

inline learn::Evaluation evaluated(const learn::EvaluationData& data,
                                   const learn::EvaluationPlan& plan, std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.event, plan.guarantee);
  return learn::evaluate(data, plan, source, reservation);
}

inline learn::EvaluationPlan plan_at(const model::LinearModel& model, double epsilon,
                                     privacy::Adjacency adjacency) {
  return learn::plan_evaluation(model, {.epsilon = privacy::Epsilon(epsilon),
                                        .delta = privacy::Delta(1e-6),
                                        .adjacency = adjacency});
}

// The noise of epsilon 5000 and ideal random bits: beyond what the cipher lets any plan state.
inline learn::EvaluationPlan with_little_noise(learn::EvaluationPlan plan) {
  plan.noise_multiplier = 0.01;
  plan.event = privacy::Gaussian{plan.noise_multiplier};
  plan.guarantee = accounting::account(plan.event, plan.guarantee.adjacency, privacy::Delta(1e-6));
  plan.prg_slack = 0;
  return plan;
}

}  // namespace tacet::test
