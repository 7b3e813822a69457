#include "tacet/choose/boosting.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/choose/blocks.h"
#include "tacet/choose/budget_search.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/choose/recorded_runs.h"
#include "tacet/learn/method.h"
#include "tacet/privacy/decimal.h"

namespace tacet::choose {
namespace {

constexpr double scoring_share = 0.25;
constexpr double paper_selection = 0.2;  // of epsilon
constexpr std::string_view one_model = "leave `boost` out";

struct Whole {
  const data::Schema& schema;
  const learn::ParameterValues& values;
  const privacy::Guarantee& asked;
};

void check_boost(const learn::ParameterValues& asked) {
  if (asked.text("radius") == "auto") {
    throw base::UsageError("`boost` and `radius=auto` exclude each other: give a radius");
  }
  if (std::isinf(asked.real("epsilon").value_or(1))) {
    throw base::UsageError("epsilon inf needs no private choice; leave `boost` out");
  }
}

/// Equal blocks, and behind them the one that scores, where there is one.
std::vector<std::int64_t> resolve_sizes(std::int64_t rows, std::int64_t blocks, bool reuse) {
  const double trained = reuse ? 1 : 1 - scoring_share;
  const auto each = static_cast<std::int64_t>(trained * static_cast<double>(rows)) / blocks;
  if (each < 1) {
    throw base::UsageError(
        "boosting with {} blocks needs more than {} declared records; ask for a larger beta",
        blocks, rows);
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks), each);
  const auto left = rows - each * blocks;
  if (!reuse || left > 0) sizes.push_back(left);
  return sizes;
}

/// The event of all runs and of the choice. A run costs the same on each block.
privacy::Event boosted(privacy::Adjacency adjacency, const privacy::Event& run,
                       const privacy::Event& choice, bool score_all) {
  const auto assignment = assignment_of(adjacency);
  if (!score_all) return privacy::Partitioned{assignment, {run, choice}};
  return privacy::Composed{{privacy::Partitioned{assignment, {run}}, choice}};
}

privacy::Event events_of(const ChoicePlan& plan, const learn::Training& training,
                         privacy::Adjacency adjacency) {
  return boosted(adjacency, training.events,
                 choice_event(plan.by, plan.selection_epsilon, adjacency), plan.score_all);
}

ChosenBy way_of(bool score_all) {
  return score_all ? ChosenBy::noisy_max : ChosenBy::permute_and_flip;
}

/// The run at the largest epsilon that everything keeps the whole with.
std::pair<RunShare, learn::Training> resolve_run(const ChoicePlan& plan, std::int64_t blocks,
                                                 const Whole& whole) {
  const auto& asked = whole.asked;
  RunShare share{asked.epsilon * (plan.score_all ? 1 - paper_selection : 1),
                 asked.delta * (1 - 1e-6), plan.sizes.front()};
  learn::Training training;
  share.epsilon = largest_share(share.epsilon, asked.epsilon, [&](double epsilon) {
    share.epsilon = epsilon;
    training = planned_within(
        {fmt::format("the run of each of {} blocks", blocks), asked.epsilon, one_model}, epsilon,
        [&] { return learn::plan_training(whole.schema, run_values(whole.values, share)); });
    const double cipher = choice_prg_slack(static_cast<double>(blocks) * training.prg_slack);
    return accounting::stated_guarantee(events_of(plan, training, asked.adjacency), asked, cipher)
        .epsilon;
  });
  return {share, std::move(training)};
}

std::string name_of(std::int64_t block) { return fmt::format("block {}", block); }

/// DataError for a chosen block of others than those that there are.
void expect_block(learn::RecordedParameters& parameters, std::int64_t blocks) {
  if (chose_zero(parameters)) return;
  const auto candidate = parameters.text(recorded_setting::candidate);
  for (std::int64_t block = 1; block <= blocks; ++block) {
    if (candidate == name_of(block)) return;
  }
  throw base::DataError("the candidate {} is none of the {} blocks", candidate, blocks);
}

privacy::Event recorded_boosting(const privacy::Receipt& receipt,
                                 learn::RecordedParameters& parameters, const privacy::Event& own) {
  const bool score_all = receipt.calibration == to_string(learn::Calibration::arora2022);
  const auto choice = recorded_choice(receipt, parameters, way_of(score_all));
  const auto blocks = boosting_blocks(parameters.real("boost"));
  parameters.expect("blocks", blocks, "boost leads to");
  parameters.expect(recorded_setting::run_rows,
                    resolve_sizes(receipt.public_row_count.value_or(0), blocks, score_all).front(),
                    "blocks and the number of records lead to");
  expect_block(parameters, blocks);
  const auto* both = own.as<privacy::Composed>();
  const bool beside = score_all && both != nullptr && !both->parts.empty();
  const auto& run = recorded_blocks(beside ? both->parts.front() : own).front();
  expect_run(receipt, parameters, run);
  expect_runs(receipt, parameters, std::span(&run, 1), blocks);
  return boosted(receipt.guarantee.adjacency, run, choice, score_all);
}

constexpr std::array papers{learn::Paper{learn::Calibration::arora2022}};
constexpr learn::Method boost_row{
    .name = "boosting",
    .help = "one model a block of the records, and one chosen privately",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::every_adjacency, learn::UnitProtection::bounded},
    .recorded_events = recorded_boosting,
    .takes_infinite_epsilon = false,
    .papers = papers,
    .check_file = check_chosen_file,
};

}  // namespace

const learn::Method& boosting_method() { return boost_row; }

std::int64_t boosting_blocks(double beta) {
  return static_cast<std::int64_t>(std::ceil(1 - std::log2(beta)));
}

ChoicePlan resolve_boosting(const data::Schema& schema, const learn::ParameterValues& values) {
  check_boost(values);
  const auto options = learn::common_options(values);
  const double failure = *values.real("boost");
  ChoicePlan plan;
  plan.own = &boost_row;
  const auto asked = resolve_whole(plan, schema, options);
  plan.score_all = options.calibration == learn::Calibration::arora2022;
  const auto blocks = boosting_blocks(failure);
  plan.sizes = resolve_sizes(plan.public_row_count, blocks, plan.score_all);
  plan.by = way_of(plan.score_all);
  if (plan.score_all) plan.calibration = learn::Calibration::arora2022;
  plan.selection_epsilon =
      resolve_selection(asked.epsilon, plan.score_all ? paper_selection : 1, one_model);
  auto [share, training] = resolve_run(plan, blocks, {schema, values, asked});
  plan.events = events_of(plan, training, asked.adjacency);
  const auto rule = common_rule(model::described_model(training.schema, training.loss));
  for (std::int64_t block = 0; block < blocks; ++block) {
    plan.contenders.push_back(
        {name_of(block + 1), training, static_cast<std::size_t>(block), rule});
  }
  plan.reasons.add(
      "{} blocks of {} declared records, each trained on at epsilon {}; the best model is chosen "
      "on {} at epsilon {}",
      blocks, plan.sizes.front(), privacy::rounded_up(share.epsilon, 6),
      plan.score_all ? "all records" : fmt::format("{} others", plan.sizes.back()),
      privacy::rounded_up(plan.selection_epsilon, 6));
  const std::array runs{PlannedRun{training}};
  resolve_choice(plan, asked,
                 {runs_setting(runs),
                  {"boost", failure},
                  {"blocks", blocks},
                  {recorded_setting::run_epsilon, share.epsilon},
                  {recorded_setting::run_delta, share.delta}});
  return plan;
}

}  // namespace tacet::choose
