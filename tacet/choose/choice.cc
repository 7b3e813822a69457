#include "tacet/choose/choice.h"

#include <algorithm>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/inner_run.h"
#include "tacet/choose/reading.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/learn/checked_context.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/mechanism/select/generalized_exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/mechanism/select/rational_epsilon.h"
#include "tacet/privacy/decimal.h"

namespace tacet::choose {
namespace {

namespace in_receipt = recorded_setting;

/// A model among those to choose from, how it reads records, and by which rule it is scored.
struct Entry {
  const model::LinearModel& model;
  const data::Schema& schema;
  ScoreRule rule;
  double penalty;
};

std::int64_t sum_over(const Entry& entry, const data::Dataset& block) {
  const auto anew = read_anew(block, entry.schema);
  return unit_sum(entry.model, anew ? *anew : block, entry.rule);
}

std::int64_t sum_over(const Entry& entry, const ChoicePlan& plan,
                      const std::vector<data::Dataset>& blocks) {
  if (!plan.score_all) return sum_over(entry, blocks.back());
  std::int64_t sum = 0;
  for (const auto& block : blocks) sum += sum_over(entry, block);
  return sum;
}

/// Higher is better. Under add_remove one record more raises all.
mechanism::Scores common_scores(const std::vector<Entry>& entries, const ChoicePlan& plan,
                                const std::vector<data::Dataset>& blocks) {
  std::vector<std::int64_t> sums;
  for (const auto& entry : entries) sums.push_back(sum_over(entry, plan, blocks));
  const auto adjacency = plan.guarantee.adjacency;
  return mechanism::Scores::integers(std::move(sums), score_units,
                                     adjacency == privacy::Adjacency::add_remove
                                         ? mechanism::Movement::one_way
                                         : mechanism::Movement::any,
                                     adjacency);
}

/// Sums of losses from the same units: rows less scores, over each rule's own cap. Rows, which are
/// secret under add_remove, move with the scores: a record's loss is 0 to its cap.
mechanism::Scores own_scores(const std::vector<Entry>& entries, const ChoicePlan& plan,
                             const std::vector<data::Dataset>& blocks) {
  constexpr double unit = 1.0 / static_cast<double>(score_units);
  constexpr double roundings = 1 + 0x1p-20;  // of the products below
  std::vector<double> errors;
  std::vector<double> sensitivities;
  const auto best = scored_count(blocks.back()) * score_units;
  for (const auto& entry : entries) {
    const auto losses = best - sum_over(entry, plan, blocks);
    errors.push_back(static_cast<double>(losses) * unit * entry.rule.cap + entry.penalty);
    sensitivities.push_back(entry.rule.cap * roundings);
  }
  return mechanism::generalized_scores(errors, sensitivities,
                                       privacy::Epsilon(plan.selection_epsilon), plan.failure,
                                       plan.guarantee.adjacency);
}

std::size_t chosen(const std::vector<Entry>& entries, const ChoicePlan& plan,
                   const std::vector<data::Dataset>& blocks,
                   const learn::TrainingContext& context) {
  const privacy::Epsilon epsilon(plan.selection_epsilon);
  const mechanism::ReleaseContext release{{}, context.source, context.reservation};
  const auto scores = plan.by == ChosenBy::generalized ? own_scores(entries, plan, blocks)
                                                       : common_scores(entries, plan, blocks);
  const auto index =
      plan.by == ChosenBy::noisy_max
          ? mechanism::select_noisy_max(mechanism::NoisyMax::laplace, scores, epsilon, release)
          : mechanism::select_permute_and_flip(scores, epsilon, release);
  return static_cast<std::size_t>(index.value());
}

// Records that are given away are handed out without a copy.
template <typename Records>
learn::TrainedModel choose(Records&& records, const ChoicePlan& plan,
                           const learn::TrainingContext& context) {
  const auto blocks = booked_blocks(std::forward<Records>(records), plan, plan.sizes, context);
  const auto count = std::ssize(plan.contenders);
  std::vector<learn::TrainedModel> trained;
  for (const auto& contender : plan.contenders) {
    context.supervision.step("training", std::ssize(trained), count);
    const auto& training = contender.training;
    InnerRun inner(context, trained.size(), training.events, training.guarantee);
    trained.push_back(inner.carry_out(training, blocks[contender.block]));
  }
  const auto& first = plan.contenders.front().training;
  const auto zero = model::empty_model(first.reading_schema(), plan.loss);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const auto& [name, training, block, rule, penalty] = plan.contenders[i];
    entries.push_back({trained[i].model, trained[i].schema, rule, penalty});
  }
  if (plan.zero) entries.push_back({zero, first.schema, *plan.zero, 0});
  InnerRun selecting(context, trained.size(),
                     choice_event(plan.by, plan.selection_epsilon, plan.guarantee.adjacency),
                     plan.guarantee);
  const auto place = chosen(entries, plan, blocks, selecting.context());
  context.supervision.step("training", count, count);
  const bool is_zero = place == trained.size();
  return chosen_model(
      plan, first, is_zero ? ChosenRun{} : ChosenRun{plan.contenders[place].name, &trained[place]},
      context);
}

void check_alike(const ChoicePlan& plan) {
  const auto reading = reading_of(plan.contenders.front().training);
  for (const auto& contender : plan.contenders) {
    if (reading_of(contender.training) == reading) continue;
    throw base::UsageError("the runs of {} would read the records differently; give `knots=none`",
                           plan.own->name);
  }
}

/// Refuses, before anything is spent, what the choice itself would refuse at its end.
void check_selection(const ChoicePlan& plan) {
  if (plan.by != ChosenBy::generalized) return;
  // The most records for which the allowance for roundings of sums in doubles (own_scores) is made.
  constexpr std::int64_t max_scored = std::int64_t{1} << 29;
  if (plan.sizes.back() > max_scored) {
    throw base::UsageError(
        "{} declared records would score the models, and the published choice among losses with "
        "bounds of their own is computed for at most {}; leave `calibration` out",
        plan.sizes.back(), max_scored);
  }
  std::vector<double> caps;
  for (const auto& contender : plan.contenders) caps.push_back(contender.rule.cap);
  if (plan.zero) caps.push_back(plan.zero->cap);
  static_cast<void>(mechanism::generalized_scores(std::vector<double>(caps.size(), 0.0), caps,
                                                  privacy::Epsilon(plan.selection_epsilon),
                                                  plan.failure, plan.guarantee.adjacency));
}

}  // namespace

privacy::Event choice_event(ChosenBy by, double selection_epsilon, privacy::Adjacency adjacency) {
  const privacy::Epsilon epsilon(selection_epsilon);
  return by == ChosenBy::noisy_max
             ? mechanism::noisy_max_event(mechanism::NoisyMax::laplace, epsilon, adjacency)
             : mechanism::permute_and_flip_event(epsilon, adjacency);
}

double resolve_selection(double asked, double share, std::string_view instead) {
  const double own = privacy::decimal_down(asked) * share;
  if (own >= mechanism::smallest_epsilon) {
    static_cast<void>(mechanism::round_down(privacy::Epsilon(own)));  // refuses what is too large
    return own;
  }
  throw base::UsageError(
      "a private choice among models is exact for epsilon {:.3g} or more, and epsilon {:g} leaves "
      "it {:.3g}; ask for a larger epsilon, or {}",
      mechanism::smallest_epsilon, asked, own, instead);
}

// The blocks' random draws and the choice.
double choice_prg_slack(double of_runs) {
  return random::prg_slack_of(2, random::max_block_words) + of_runs;
}

double runs_prg_slack(const ChoicePlan& plan) {
  double sum = 0;
  for (const auto& contender : plan.contenders) sum += contender.training.prg_slack;
  return sum;
}

privacy::Guarantee resolve_whole(ChoicePlan& plan, const data::Schema& schema,
                                 const learn::CommonOptions& options) {
  refuse_counted_units(schema.unit.has_value(), options.adjacency);
  plan.public_row_count = learn::resolve_row_count(schema, options);
  const double delta = learn::resolve_delta_or_pure(options, plan.public_row_count, plan.reasons);
  return {options.epsilon, delta, options.adjacency};
}

learn::ParameterValues run_values(const learn::ParameterValues& asked, const RunShare& share) {
  auto own = asked;
  if (own.text("radius") == "auto") own.erase("radius");
  own.erase("boost");
  own.set("epsilon", share.epsilon);
  own.set("delta", share.delta);
  own.set("public-row-count", share.rows);
  return own;
}

void resolve_choice(ChoicePlan& plan, const privacy::Guarantee& asked,
                    std::vector<learn::Setting> further) {
  check_alike(plan);
  plan.method = plan.own->name;
  plan.sampling_scheme = blocks_sampling;
  const auto& first = plan.contenders.front().training;
  plan.loss = first.loss;
  plan.columns = first.columns;
  plan.outputs = first.outputs;
  plan.projection = first.projection;
  plan.privacy_unit = first.privacy_unit;
  check_selection(plan);
  plan.prg_slack = choice_prg_slack(runs_prg_slack(plan));
  plan.guarantee = accounting::stated_guarantee(plan.events, asked, plan.prg_slack);
  plan.settings = {{"public_row_count", plan.public_row_count, {.table = false}}};
  for (auto& setting : further) plan.settings.push_back(std::move(setting));
  plan.settings.push_back({in_receipt::run_rows, plan.sizes.front()});
  plan.settings.push_back({in_receipt::selection_epsilon, plan.selection_epsilon});
}

learn::Training chosen_training(ChoicePlan plan) {
  learn::Training training{plan, {}};
  training.schema = plan.contenders.front().training.schema;
  training.raw_schema = plan.contenders.front().training.raw_schema;
  training.run = [plan](const data::Dataset& records, const data::Schema&,
                        const learn::TrainingContext& context) {
    return choose(records, plan, context);
  };
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema&,
                                               const learn::TrainingContext& context) {
    return choose(std::move(records), plan, context);
  };
  return learn::checked_before(std::move(training));
}

privacy::Event recorded_choice(const privacy::Receipt& receipt,
                               learn::RecordedParameters& parameters, ChosenBy by) {
  learn::expect_sampling(receipt, blocks_sampling);
  refuse_counted_units(receipt.privacy_unit != learn::single_record, receipt.guarantee.adjacency);
  return choice_event(by, parameters.real(in_receipt::selection_epsilon),
                      receipt.guarantee.adjacency);
}

const std::vector<privacy::Event>& recorded_blocks(const privacy::Event& event) {
  const auto* blocks = event.as<privacy::Partitioned>();
  if (blocks == nullptr || blocks->parts.empty()) {
    throw base::DataError("the events are not about disjoint blocks of the records");
  }
  return blocks->parts;
}

}  // namespace tacet::choose
