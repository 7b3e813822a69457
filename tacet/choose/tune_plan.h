#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacet/choose/score.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/plan/training.h"

/// What planning a tuning hands to running it.
namespace tacet::choose {

struct PlannedCandidate {
  std::string name;
  double weight = 1;
  learn::Training training;
};

/// One run's part of the budget; delta 0 where everything is pure.
struct RunBudget {
  double epsilon = 0;
  double delta = 0;
};

/// The noise of a run's score, which costs what a run does: a multiplier of Gaussian noise, or of
/// Laplace noise where the run is pure.
[[nodiscard]] double score_noise_of(const RunBudget& run, privacy::Adjacency adjacency);
[[nodiscard]] privacy::Event score_event_of(const RunBudget& run, double noise);

struct TunePlan : learn::MethodPlan {
  std::vector<PlannedCandidate> candidates;
  std::vector<std::int64_t> sizes;  ///< declared, of the block that trains and the one that scores
  std::int64_t max_runs = 0;
  RunBudget run;
  std::optional<Score> score;
  double score_noise = 0;

  [[nodiscard]] bool pure() const { return run.delta == 0; }
  [[nodiscard]] privacy::Event score_event() const { return score_event_of(run, score_noise); }
  [[nodiscard]] const privacy::RandomlyRepeated& stopping() const {
    return *events.as<privacy::RandomlyRepeated>();
  }
};

/// plan_tuning before its records are read.
[[nodiscard]] TunePlan resolve_tuning(const data::Schema& schema, const TuneRequest& request);

/// How the records of a plan's runs are read, trained on and scored.
[[nodiscard]] learn::Training tuned_training(TunePlan plan);

}  // namespace tacet::choose
