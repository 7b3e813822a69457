#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacet/learn/plan/training.h"

namespace tacet::learn {

/// The training run that a method's plan stands for: what the plan proves and releases, its
/// settings, and its train function, to be called with it.
template <typename Plan>
[[nodiscard]] Training settled_training(std::string method, Plan plan,
                                        std::vector<Setting> settings,
                                        TrainedModel (*train)(const data::Dataset&,
                                                              const data::Schema&, const Plan&,
                                                              const TrainingMeans&)) {
  Training training{.method = std::move(method),
                    .guarantee = plan.guarantee,
                    .events = plan.events,
                    .cipher_delta = plan.cipher_delta,
                    .settings = std::move(settings),
                    .reasons = plan.reasons,
                    .run = {}};
  training.run = [plan = std::move(plan), train](
                     const data::Dataset& dataset, const data::Schema& schema,
                     const TrainingMeans& means) { return train(dataset, schema, plan, means); };
  return training;
}

}  // namespace tacet::learn
