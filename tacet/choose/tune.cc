#include "tacet/choose/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/choice.h"
#include "tacet/choose/inner_run.h"
#include "tacet/choose/reading.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/choose/recorded_runs.h"
#include "tacet/choose/tune_plan.h"
#include "tacet/learn/checked_context.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/laplace.h"

namespace tacet::choose {
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

double noisy_score(const learn::TrainedModel& trained, const data::Dataset& holdout,
                   const TunePlan& plan, const learn::TrainingContext& context) {
  const mechanism::ReleaseContext release{{}, context.source, context.reservation};
  const auto anew = read_anew(holdout, trained.schema);
  const auto rule = score_rule(trained.model, plan.score);
  auto sum = score_sum(trained.model, anew ? *anew : holdout, rule, plan.guarantee.adjacency,
                       learn::norm_bits_for(plan.score_noise));
  const privacy::NoiseMultiplier noise(plan.score_noise);
  return plan.pure() ? mechanism::release_laplace(std::move(sum), noise, release).value().front()
                     : mechanism::release_gaussian(std::move(sum), noise, release).value().front();
}

/// One run: a candidate, trained and scored. One that left the numbers scores worst, as what was
/// released of it already says.
ScoredRun<Chosen> run_once(const TunePlan& plan, const std::vector<data::Dataset>& blocks,
                           std::uint64_t index, random::Stream& choices,
                           const learn::TrainingContext& context) {
  const auto& candidate = drawn(plan.candidates, choices);
  const auto& training = candidate.training;
  InnerRun inner(context, 2 * index, training.events, training.guarantee);
  auto trained = inner.carry_out(training, blocks[0]);
  if (!is_finite(trained.model)) {
    return {-std::numeric_limits<double>::infinity(), {candidate.name, std::move(trained)}};
  }
  InnerRun scoring(context, 2 * index + 1, plan.score_event(), training.guarantee);
  const double score = noisy_score(trained, blocks[1], plan, scoring.context());
  return {score, {candidate.name, std::move(trained)}};
}

// Records that are given away are handed out without a copy.
template <typename Records>
learn::TrainedModel tune(Records&& records, const TunePlan& plan,
                         const learn::TrainingContext& context) {
  const auto blocks = booked_blocks(std::forward<Records>(records), plan, plan.sizes, context);
  random::Stream choices(context.source.claim(random::Purpose::selection, 0, 0));
  const auto count = draw_count(plan.stopping(), plan.max_runs, choices);
  context.supervision.step("tuning", 0, 1);  // and no more: when the last one ended tells how many
  auto chosen = best_of(count, choices, [&](std::int64_t k) {
    return run_once(plan, blocks, static_cast<std::uint64_t>(k), choices, context);
  });
  return chosen_model(plan, plan.candidates.front().training,
                      chosen ? ChosenRun{chosen->name, &chosen->trained} : ChosenRun{}, context);
}

/// What a run may have released, one of each kind, and the score at the end.
const std::vector<privacy::Event>& recorded_runs(const privacy::Receipt& receipt,
                                                 learn::RecordedParameters& parameters,
                                                 const privacy::Event& own) {
  const auto* event = own.as<privacy::RandomlyRepeated>();
  const auto law = trial_law_names.find(parameters.text(named::law));
  if (event == nullptr || !law) throw base::DataError("the events are not a secret number of runs");
  const bool pure = receipt.guarantee.delta == 0;
  constexpr std::int64_t min = 1;
  const auto cap = parameters.count(named::max_trials);
  if (!(stopping_event(*law, parameters.real(named::trials), pure ? 0 : cap, *event->base) ==
        *event)) {
    throw base::DataError("the events have another law of the number of runs than the parameters");
  }
  const auto& parts = recorded_blocks(*event->base);
  const auto max = parameters.count("candidates") + 1;
  if (event->base->as<privacy::Partitioned>()->assignment !=
          assignment_of(receipt.guarantee.adjacency) ||
      parts.size() < 2 || std::ssize(parts) > max) {
    throw base::DataError(
        "a run of the events does not read a block that trains and one that scores");
  }
  // As it was booked: what a pure law has beyond the cap, and how far the law that is drawn is off.
  constexpr double roundings = 1 - 1e-6;
  const double law_term = count_distance(*event) + (pure ? beyond(*event, std::max(cap, min)) : 0);
  if (cap < min || receipt.prg_slack < law_term * roundings) {
    throw base::DataError(
        "the runs that the cap of {} leaves out have the probability {:.3g}, of which the PRG "
        "slack says nothing",
        cap, law_term);
  }
  return parts;
}

/// DataError unless the chosen candidate stands in the grid of the receipt.
void expect_candidate(learn::RecordedParameters& parameters) {
  const auto grid = "; " + parameters.text("grid") + "; ";
  const auto entry = "; " + parameters.text(named::candidate);
  if (chose_zero(parameters)) return;
  if (grid.find(entry + "; ") != std::string::npos) return;
  if (grid.find(entry + " weight=") != std::string::npos) return;
  throw base::DataError("the candidate {} is none of the grid's",
                        parameters.text(named::candidate));
}

void expect_score(const privacy::Receipt& receipt, learn::RecordedParameters& parameters,
                  const privacy::Event& score) {
  const RunBudget run{parameters.real(named::run_epsilon), parameters.real(named::run_delta)};
  const double noise = parameters.real(named::score_noise);
  constexpr double roundings = 1e-6;  // of another machine's logarithms
  if (std::abs(noise / score_noise_of(run, receipt.guarantee.adjacency) - 1) <= roundings &&
      score == score_event_of(run, noise)) {
    return;
  }
  throw base::DataError("the noise of the score is not that of the events, or of a run's budget");
}

privacy::Event recorded_events(const privacy::Receipt& receipt,
                               learn::RecordedParameters& parameters, const privacy::Event& own) {
  learn::expect_sampling(receipt, blocks_sampling);
  refuse_counted_units(receipt.privacy_unit != learn::single_record, receipt.guarantee.adjacency);
  const auto& parts = recorded_runs(receipt, parameters, own);
  expect_score(receipt, parameters, parts.back());
  expect_candidate(parameters);
  const bool zero = chose_zero(parameters);
  const auto chosen = std::find_if(parts.begin(), parts.end() - 1, [&](const auto& part) {
    return zero || leads_to(receipt, parameters, part);
  });
  if (chosen == parts.end() - 1) {
    throw base::DataError("no run of the events is that of the candidate {}",
                          parameters.text(named::candidate));
  }
  expect_run(receipt, parameters, *chosen);
  const std::span runs(parts.begin(), parts.end() - 1);
  for (const auto& run : runs) expect_run_cost(receipt, parameters, run, false);
  expect_runs_of_grid(receipt, parameters, runs);
  return own;
}

constexpr learn::Method tune_row{
    .name = "tune",
    .help = "the best of a secret number of runs with settings from a grid",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::every_adjacency, learn::UnitProtection::bounded},
    .recorded_events = recorded_events,
    .takes_infinite_epsilon = false,
    .check_file = check_chosen_file,
};

}  // namespace

const learn::Method& tune_method() { return tune_row; }

learn::Training tuned_training(TunePlan plan) {
  learn::Training training{plan, {}};
  training.schema = plan.candidates.front().training.schema;
  training.raw_schema = plan.candidates.front().training.raw_schema;
  training.run = [plan](const data::Dataset& records, const data::Schema&,
                        const learn::TrainingContext& context) {
    return tune(records, plan, context);
  };
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema&,
                                               const learn::TrainingContext& context) {
    return tune(std::move(records), plan, context);
  };
  return learn::checked_before(std::move(training));
}

}  // namespace tacet::choose
