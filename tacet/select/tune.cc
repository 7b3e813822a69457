#include "tacet/select/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"
#include "tacet/select/blocks.h"
#include "tacet/select/inner_run.h"
#include "tacet/select/recorded_run.h"
#include "tacet/select/tune_plan.h"

namespace tacet::select {
namespace {

namespace named = recorded_setting;

/// What a run leaves: the candidate's name and the model with its receipt.
struct Chosen {
  std::string name;
  learn::TrainedModel trained;
};

/// A candidate by the weights, which are public: that they are summed in doubles changes nothing
/// about what neighbours see.
const PlannedCandidate& drawn(const std::vector<PlannedCandidate>& candidates,
                              random::Stream& stream) {
  const double sum = std::accumulate(
      candidates.begin(), candidates.end(), 0.0,
      [](double before, const PlannedCandidate& one) { return before + one.weight; });
  double place = static_cast<double>(stream.next() >> 11) * 0x1p-53 * sum;
  for (const auto& candidate : candidates) {
    if (place < candidate.weight) return candidate;
    place -= candidate.weight;
  }
  return candidates.back();
}

double noisy_score(const model::LinearModel& model, const data::Dataset& holdout,
                   const TunePlan& plan, const learn::TrainingMeans& means) {
  const mechanism::ReleaseMeans release{{}, means.source, means.reservation};
  auto sum = score_sum(model, holdout, score_rule(model, plan.score), plan.guarantee.adjacency,
                       learn::norm_bits_for(plan.score_noise));
  const privacy::NoiseMultiplier noise(plan.score_noise);
  return plan.pure() ? mechanism::release_laplace(std::move(sum), noise, release).value().front()
                     : mechanism::release_gaussian(std::move(sum), noise, release).value().front();
}

/// One run: a candidate, trained and scored. One that left the numbers scores worst, as what was
/// released of it already says.
ScoredRun<Chosen> run_once(const TunePlan& plan, const std::vector<data::Dataset>& blocks,
                           std::uint64_t index, random::Stream& choices,
                           const learn::TrainingMeans& means) {
  const auto& candidate = drawn(plan.candidates, choices);
  const auto& training = candidate.training;
  InnerRun inner(means, 2 * index, training.events, training.guarantee);
  auto trained = training.run(blocks[0], training.schema, inner.means());
  if (!is_finite(trained.model)) {
    return {-std::numeric_limits<double>::infinity(), {candidate.name, std::move(trained)}};
  }
  InnerRun scoring(means, 2 * index + 1, plan.score_event(), training.guarantee);
  const double score = noisy_score(trained.model, blocks[1], plan, scoring.means());
  return {score, {candidate.name, std::move(trained)}};
}

// Records that are given away are handed out without a copy.
template <typename Records>
learn::TrainedModel tune(Records&& records, const TunePlan& plan,
                         const learn::TrainingMeans& means) {
  const auto blocks = booked_blocks(std::forward<Records>(records), plan, plan.sizes, means);
  random::Stream choices(means.source.lease(random::Purpose::selection, 0, 0));
  const auto count = draw_count(plan.stopping(), plan.most_runs, choices);
  means.supervision.step("tuning", 0, 1);
  auto chosen = best_of(count, choices, [&](std::int64_t k) {
    return run_once(plan, blocks, static_cast<std::uint64_t>(k), choices, means);
  });
  means.supervision.step("tuning", 1, 1);
  const auto& schema = plan.candidates.front().training.schema;
  return chosen_model(plan, {model::empty_model(schema, plan.loss), schema},
                      chosen ? ChosenRun{chosen->name, &chosen->trained} : ChosenRun{}, means);
}

const privacy::Partitioned& recorded_blocks(const privacy::Receipt& receipt,
                                            learn::RecordedParameters& parameters,
                                            const privacy::Event& own) {
  const auto* event = own.as<privacy::RandomlyRepeated>();
  const auto law = trial_law_names.find(parameters.text(named::law));
  if (event == nullptr || !law) throw base::DataError("the events are not a secret number of runs");
  const bool pure = receipt.guarantee.delta == 0;
  const auto cap = parameters.count(named::most_trials);
  if (!(stopping_event(*law, parameters.real(named::trials), pure ? 0 : cap, *event->base) ==
        *event)) {
    throw base::DataError("the events have another law of the number of runs than the parameters");
  }
  const auto* blocks = event->base->as<privacy::Partitioned>();
  if (blocks == nullptr || blocks->assignment != assignment_of(receipt.guarantee.adjacency) ||
      blocks->parts.size() < 2) {
    throw base::DataError("a run of the events does not read disjoint blocks");
  }
  return *blocks;
}

privacy::Event recorded_events(const privacy::Receipt& receipt,
                               learn::RecordedParameters& parameters, const privacy::Event& own) {
  learn::expect_sampling(receipt, blocks_sampling);
  const auto& parts = recorded_blocks(receipt, parameters, own).parts;
  const double noise = parameters.real(named::score_noise);
  const bool pure = receipt.guarantee.delta == 0;
  if (!(parts.back() == (pure ? privacy::Event(privacy::Laplace{noise})
                              : privacy::Event(privacy::Gaussian{noise})))) {
    throw base::DataError("the noise of the score is not that of the events");
  }
  if (chose_zero(parameters)) return own;
  const auto trains = [&](const privacy::Event& part) {
    return leads_to(receipt, parameters, part);
  };
  if (std::any_of(parts.begin(), parts.end() - 1, trains)) return own;
  throw base::DataError("no run of the events is that of the candidate {}",
                        parameters.text(named::candidate));
}

constexpr learn::Method tune_row{"tune",
                                 "the best of a secret number of runs with settings from a grid",
                                 privacy::Adjacency::add_remove,
                                 {},
                                 nullptr,
                                 recorded_events,
                                 false,
                                 learn::UnitProtection::bounded};

}  // namespace

const learn::Method& tune_method() { return tune_row; }

learn::Training tuned_training(TunePlan plan) {
  learn::Training training{plan, {}};
  training.schema = plan.candidates.front().training.schema;
  training.run = [plan](const data::Dataset& records, const data::Schema&,
                        const learn::TrainingMeans& means) { return tune(records, plan, means); };
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema&,
                                               const learn::TrainingMeans& means) {
    return tune(std::move(records), plan, means);
  };
  return training;
}

}  // namespace tacet::select
