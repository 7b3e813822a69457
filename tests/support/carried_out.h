#pragma once

#include <cstdint>
#include <utility>

#include "tacet/base/threads.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/random/source/source.h"

namespace tacet::test {

struct CarriedOut {
  learn::Training plan;
  learn::TrainedModel result;
  privacy::Event spent;
};

/// A training on one thread with seeded noise, and what it took from its reservation.
inline CarriedOut carried_out(learn::Training plan, const data::Dataset& data, std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool threads(1);
  auto result = plan.run(data, plan.schema, {source, reservation, threads});
  return {std::move(plan), std::move(result), reservation.spent()};
}

/// What a method's function leaves behind of its plan with seeded noise.
template <auto train, typename Plan>
learn::TrainedModel seeded_run(const data::Dataset& data, const data::Schema& schema,
                               const Plan& plan, std::uint64_t seed, int threads) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return train(data, schema, plan, {source, reservation, pool});
}

}  // namespace tacet::test
