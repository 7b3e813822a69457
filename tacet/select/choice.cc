#include "tacet/select/choice.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/mechanism/select/generalized_exponential.h"
#include "tacet/mechanism/select/noisy_max.h"
#include "tacet/mechanism/select/permute_and_flip.h"
#include "tacet/privacy/event_tree.h"
#include "tacet/select/blocks.h"
#include "tacet/select/inner_run.h"
#include "tacet/select/recorded_run.h"

namespace tacet::select {
namespace {

namespace in_receipt = recorded_setting;

/// A model among those to choose from, and by which rule.
struct Entry {
  const model::LinearModel& model;
  ScoreRule rule;
  double penalty;
};

std::int64_t sum_over(const Entry& entry, const ChoicePlan& plan,
                      const std::vector<data::Dataset>& blocks) {
  if (!plan.score_all) return unit_sum(entry.model, blocks.back(), entry.rule);
  std::int64_t sum = 0;
  for (const auto& block : blocks) sum += unit_sum(entry.model, block, entry.rule);
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
  for (const auto& entry : entries) {
    std::int64_t scored = 0;
    Scorer(entry.model, blocks.back(), entry.rule).each([&](double) { ++scored; });
    const auto losses = scored * score_units - sum_over(entry, plan, blocks);
    errors.push_back(static_cast<double>(losses) * unit * entry.rule.cap + entry.penalty);
    sensitivities.push_back(entry.rule.cap * roundings);
  }
  return mechanism::generalized_scores(errors, sensitivities,
                                       privacy::Epsilon(plan.selection_epsilon), plan.failure,
                                       plan.guarantee.adjacency);
}

std::size_t chosen(const std::vector<Entry>& entries, const ChoicePlan& plan,
                   const std::vector<data::Dataset>& blocks, const learn::TrainingMeans& means) {
  const privacy::Epsilon epsilon(plan.selection_epsilon);
  const mechanism::ReleaseMeans release{{}, means.source, means.reservation};
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
                           const learn::TrainingMeans& means) {
  const auto blocks = booked_blocks(std::forward<Records>(records), plan, plan.sizes, means);
  const auto count = std::ssize(plan.contenders);
  std::vector<learn::TrainedModel> trained;
  for (const auto& contender : plan.contenders) {
    means.supervision.step("training", std::ssize(trained), count);
    const auto& training = contender.training;
    InnerRun inner(means, trained.size(), training.events, training.guarantee);
    trained.push_back(training.run(blocks[contender.block], training.schema, inner.means()));
  }
  const auto& schema = plan.contenders.front().training.schema;
  auto zero = model::empty_model(schema, plan.loss);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    entries.push_back({trained[i].model, plan.contenders[i].rule, plan.contenders[i].penalty});
  }
  if (plan.zero) entries.push_back({zero, *plan.zero, 0});
  InnerRun selecting(means, trained.size(), choice_event(plan, plan.guarantee.adjacency),
                     plan.guarantee);
  const auto place = chosen(entries, plan, blocks, selecting.means());
  means.supervision.step("training", count, count);
  const bool is_zero = place == trained.size();
  return chosen_model(
      plan, {std::move(zero), schema},
      is_zero ? ChosenRun{} : ChosenRun{plan.contenders[place].name, &trained[place]}, means);
}

void check_alike(const ChoicePlan& plan) {
  const auto& first = plan.contenders.front().training;
  const auto schema = data::schema_to_json(first.schema);
  for (const auto& contender : plan.contenders) {
    const auto& training = contender.training;
    check_reading(training);
    if (data::schema_to_json(training.schema) != schema) {
      throw base::UsageError("the runs of {} would read the records differently; give --knots none",
                             plan.method);
    }
  }
}

bool anywhere(const privacy::Event& event, const auto& holds) {
  if (holds(event)) return true;
  if (const auto* all = event.as<privacy::Composed>()) {
    return std::ranges::any_of(all->parts, [&](const auto& part) { return anywhere(part, holds); });
  }
  if (const auto* blocks = event.as<privacy::Partitioned>()) {
    return std::ranges::any_of(blocks->parts,
                               [&](const auto& part) { return anywhere(part, holds); });
  }
  return false;
}

}  // namespace

privacy::Event choice_event(const ChoicePlan& plan, privacy::Adjacency adjacency) {
  const privacy::Epsilon epsilon(plan.selection_epsilon);
  return plan.by == ChosenBy::noisy_max
             ? mechanism::noisy_max_event(mechanism::NoisyMax::laplace, epsilon, adjacency)
             : mechanism::permute_and_flip_event(epsilon, adjacency);
}

learn::LinearOptions run_options(const learn::LinearOptions& options, const RunShare& share) {
  auto own = options;
  own.radius_search = false;
  own.boost.reset();
  own.epsilon = share.epsilon;
  own.delta = share.delta;
  own.public_row_count = share.rows;
  return own;
}

void settle_choice(ChoicePlan& plan, const privacy::Guarantee& asked,
                   std::vector<learn::Setting> further) {
  check_alike(plan);
  plan.method = plan.own->name;
  plan.sampling_scheme = blocks_sampling;
  const auto& first = plan.contenders.front().training;
  plan.loss = first.loss;
  plan.columns = first.columns;
  plan.outputs = first.outputs;
  plan.projection = first.projection;
  plan.cipher_delta = random::cipher_term(2, random::most_leaf_words);
  for (const auto& contender : plan.contenders) {
    plan.cipher_delta += contender.training.cipher_delta;
  }
  plan.guarantee = accounting::stated_guarantee(plan.events, asked, plan.cipher_delta);
  plan.settings = {{"public_row_count", plan.public_row_count, {.table = false}}};
  for (auto& setting : further) plan.settings.push_back(std::move(setting));
  plan.settings.push_back({in_receipt::run_rows, plan.sizes.front()});
  plan.settings.push_back({in_receipt::selection_epsilon, plan.selection_epsilon});
}

learn::Training chosen_training(ChoicePlan plan) {
  learn::Training training{plan, {}};
  training.schema = plan.contenders.front().training.schema;
  training.run = [plan](const data::Dataset& records, const data::Schema&,
                        const learn::TrainingMeans& means) { return choose(records, plan, means); };
  training.run_last = [plan = std::move(plan)](data::Dataset&& records, const data::Schema&,
                                               const learn::TrainingMeans& means) {
    return choose(std::move(records), plan, means);
  };
  return training;
}

privacy::Event recorded_choice(const privacy::Receipt& receipt,
                               learn::RecordedParameters& parameters, const privacy::Event& own) {
  learn::expect_sampling(receipt, blocks_sampling);
  const privacy::Event choice =
      privacy::PureDp{parameters.real(in_receipt::selection_epsilon), receipt.guarantee.adjacency};
  const auto assignment = assignment_of(receipt.guarantee.adjacency);
  if (!anywhere(own, [&](const privacy::Event& part) { return part == choice; })) {
    throw base::DataError("the events hold no choice of that selection_epsilon");
  }
  if (!anywhere(own, [&](const privacy::Event& part) {
        const auto* blocks = part.as<privacy::Partitioned>();
        return blocks != nullptr && blocks->assignment == assignment;
      })) {
    throw base::DataError("the events are not about disjoint blocks of the records");
  }
  if (chose_zero(parameters)) return own;
  if (anywhere(own,
               [&](const privacy::Event& part) { return leads_to(receipt, parameters, part); })) {
    return own;
  }
  throw base::DataError("no run of the events is that of the candidate {}",
                        parameters.text(in_receipt::candidate));
}

}  // namespace tacet::select
