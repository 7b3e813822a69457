#include "tacet/select/boosting.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/rounded_up.h"
#include "tacet/select/blocks.h"
#include "tacet/select/recorded_run.h"

namespace tacet::select {
namespace {

constexpr double scoring_share = 0.25;
constexpr double paper_selection = 0.2;  // of epsilon

void check_boost(const data::Schema& schema, const learn::LinearOptions& options) {
  if (options.radius_search) {
    throw base::UsageError("--boost and --radius auto exclude each other: give a radius");
  }
  if (std::isinf(options.epsilon)) {
    throw base::UsageError("epsilon inf needs no private choice; leave --boost out");
  }
  if (schema.unit && options.adjacency != privacy::Adjacency::add_remove) {
    throw base::UsageError(
        "units are divided into blocks by a coin each, which leaves the numbers of units in them "
        "secret: use --adjacency add_remove");
  }
}

/// Equal blocks, and behind them the one that scores, where there is one.
std::vector<std::int64_t> settle_sizes(std::int64_t rows, std::int64_t blocks, bool reuse) {
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

/// Of one run: the same for each block, and the choice.
privacy::Event events_of(const ChoicePlan& plan, const learn::Training& training,
                         privacy::Adjacency adjacency) {
  const auto assignment = assignment_of(adjacency);
  const auto choice = choice_event(plan, adjacency);
  if (!plan.score_all) return privacy::Partitioned{assignment, {training.events, choice}};
  return privacy::Composed{{privacy::Partitioned{assignment, {training.events}}, choice}};
}

/// The run at the largest epsilon that everything keeps the whole with.
std::pair<RunShare, learn::Training> settle_run(const ChoicePlan& plan, const data::Schema& schema,
                                                const learn::LinearOptions& options,
                                                const privacy::Guarantee& asked) {
  const double delta = asked.delta * (1 - 1e-6);
  RunShare share{asked.epsilon * (plan.score_all ? 1 - paper_selection : 1), delta,
                 plan.sizes.front()};
  constexpr int most_rounds = 38;
  for (int round = 0; round < most_rounds; ++round) {
    auto training = learn::plan_training(schema, run_options(options, share));
    const double cost = accounting::epsilon(events_of(plan, training, asked.adjacency),
                                            asked.adjacency, privacy::Delta(delta));
    if (cost <= asked.epsilon && (round > 0 || cost > 0.98 * asked.epsilon)) {
      return {share, std::move(training)};
    }
    share.epsilon *= asked.epsilon / cost * (1 - 0x1p-40 * std::exp2(round));
  }
  throw base::GuaranteeError("no budget of a run was found that keeps epsilon {} in total",
                             asked.epsilon);
}

constexpr learn::Method boost_row{"boosting",
                                  "one model a block of the records, and one chosen privately",
                                  privacy::Adjacency::add_remove,
                                  {},
                                  nullptr,
                                  recorded_choice,
                                  false,
                                  learn::UnitProtection::bounded,
                                  {}};

}  // namespace

const learn::Method& boosting_method() { return boost_row; }

std::int64_t boosting_blocks(double beta) {
  return static_cast<std::int64_t>(std::ceil(std::log2(2 / beta)));
}

learn::Training plan_boosting(const data::Schema& schema, const learn::LinearOptions& options) {
  check_boost(schema, options);
  ChoicePlan plan;
  plan.own = &boost_row;
  plan.public_row_count = learn::settle_row_count(schema, options);
  const privacy::Guarantee asked{
      options.epsilon,
      learn::settle_delta_or_pure(schema, options, plan.public_row_count, plan.reasons),
      options.adjacency};
  plan.score_all = options.calibration == learn::Calibration::arora2022;
  const auto blocks = boosting_blocks(*options.boost);
  plan.sizes = settle_sizes(plan.public_row_count, blocks, plan.score_all);
  plan.by = plan.score_all ? ChosenBy::noisy_max : ChosenBy::permute_and_flip;
  plan.selection_epsilon =
      privacy::decimal_down(asked.epsilon) * (plan.score_all ? paper_selection : 1);
  auto [share, training] = settle_run(plan, schema, options, asked);
  plan.events = events_of(plan, training, asked.adjacency);
  const auto rule = common_rule(model::described_model(training.schema, training.loss));
  for (std::int64_t block = 0; block < blocks; ++block) {
    plan.contenders.push_back(
        {fmt::format("block {}", block + 1), training, static_cast<std::size_t>(block), rule});
  }
  plan.reasons.add(
      "{} blocks of {} declared records, each trained on at epsilon {}; the best model is chosen "
      "on "
      "{} at epsilon {}",
      blocks, plan.sizes.front(), privacy::rounded_up(share.epsilon, 6),
      plan.score_all ? "all records" : fmt::format("{} others", plan.sizes.back()),
      privacy::rounded_up(plan.selection_epsilon, 6));
  settle_choice(plan, asked,
                {{"boost", *options.boost},
                 {"blocks", blocks},
                 {recorded_setting::run_epsilon, share.epsilon},
                 {recorded_setting::run_delta, share.delta}});
  return chosen_training(std::move(plan));
}

}  // namespace tacet::select
