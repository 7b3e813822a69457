#include "tacet/learn/sparse_groups/sparse_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tacet/accounting/calibrate.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/zhang2021.h"
#include "tacet/mechanism/select/group_scores.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sums/group_sum.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr int score_bits = 24;
constexpr std::int64_t usual_groups = 10;
constexpr std::int64_t usual_passes = 10;
constexpr std::int64_t usual_positives = 10;
constexpr double radius_of_classes = 20;  // margins of classes, see learn/gradient/gradient_plan
constexpr double radius_of_numbers = 4;
// The comparisons' share of the epsilon between two draws of the threshold
// (SparseVectorOptions::threshold_share).
const double compared_share = 1 / (1 + std::pow(2.0, -2.0 / 3));

double number_of(std::int64_t count) { return static_cast<double>(count); }

data::ColumnRange range_of(const data::Schema& schema, const SparseGroupsOptions& options) {
  if (!options.group_column) {
    throw base::UsageError(
        "`group_column` is missing: groups of records must follow from the record alone, never "
        "from its position; name a column of the schema with `group_column`");
  }
  const auto columns = schema.encoded_columns();
  data::ColumnRange range{0, 0};
  for (std::uint32_t k = 0; k < columns.size(); ++k) {
    const auto index = columns[k].column;
    if (index < 0 ||
        schema.columns[static_cast<std::size_t>(index)].name != *options.group_column) {
      continue;
    }
    if (range.second == 0) range.first = k;
    range.second = k + 1;
  }
  if (range.second == 0) {
    throw base::UsageError("`group_column` '{}' is no feature of the schema",
                           *options.group_column);
  }
  return range;
}

void resolve_group_steps(SparseGroupsPlan& plan, const SparseGroupsOptions& options) {
  plan.groups = options.groups.value_or(usual_groups);
  plan.random_groups = options.random_groups;
  plan.steps = options.steps.value_or(usual_passes * plan.groups);
  plan.positives = options.positives.value_or(std::min(usual_positives, plan.columns));
  if (plan.positives > plan.columns) {
    throw base::UsageError("positives must be 1 to the {} encoded columns, got {}", plan.columns,
                           plan.positives);
  }
  if (!options.steps && plan.random_groups) {
    plan.reasons.add("{} steps: each of {} groups is drawn {} times on average", plan.steps,
                     plan.groups, plan.passes());
  } else if (!options.steps) {
    plan.reasons.add("{} steps: {} passes over {} groups", plan.steps, plan.passes(), plan.groups);
  }
  plan.coordinate_bound = options.clipping_norm.value_or(model::usual_slope(plan.loss));
  plan.step_size = options.step_size.value_or(1);
  const bool classes = model::properties(plan.loss).classification;
  plan.radius = options.radius.value_or(classes ? radius_of_classes : radius_of_numbers);
}

// The comparisons get two thirds of the epsilon of a stretch, and a released value one third.
void split_epsilon(SparseGroupsPlan& plan, double whole) {
  plan.selection_epsilon = 2 * number_of(plan.positives) / whole;
  plan.value_epsilon = number_of(plan.positives) / whole;
}

// Theorem 1 shares epsilon among secret draws of groups, and Lemma 4 divides the epsilon of a step
// among its parts.
bool resolve_published_noise(SparseGroupsPlan& plan, const SparseGroupsOptions& options,
                             double delta) {
  if (delta == 0) {
    throw base::GuaranteeError(
        "Theorem 1 of Zhang, Mironov and Hejazinia (2021) states a delta above 0; leave "
        "`calibration` out for pure privacy");
  }
  const auto step = zhang2021::group_step({options.epsilon, delta}, plan.groups, plan.steps);
  const auto run = mechanism::zhang2021_sparse_vector(
      plan.positives, 0, {step.epsilon, step.delta, options.adjacency});
  plan.calibration = Calibration::zhang2021;
  plan.selection_epsilon = run.selection_epsilon.value();
  plan.value_epsilon = run.value_epsilon.value().value();
  plan.threshold_share = run.threshold_share;
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta);
  plan.claim = privacy::Guarantee{options.epsilon, delta, options.adjacency};
  const bool proved = plan.guarantee.epsilon <= options.epsilon;
  plan.reasons.add(
      "Theorem 1 claims ({:g}, {:g}) for groups drawn in secret{}: refuted, such a draw does not "
      "amplify epsilon. Lemma 4's noise is correct, but loose; proved for it with groups {}: "
      "({:.4g}, {:g}){}",
      options.epsilon, delta,
      zhang2021::group_premise(plan.groups, plan.steps) ? "" : " (and its m <= 10 sqrt(T) fails)",
      plan.random_groups ? "drawn so" : "in turn", plan.guarantee.epsilon, delta,
      proved ? "" : "; the proved noise stands in its place");
  return proved;
}

void resolve_group_noise(SparseGroupsPlan& plan, const SparseGroupsOptions& options) {
  const double delta = resolve_delta_or_pure(options, plan.public_row_count, plan.reasons);
  // For the noise of each step, and for its draw of a group.
  plan.prg_slack =
      random::prg_slack_of((plan.random_groups ? 2 : 1) * plan.steps, random::max_block_words);
  if (options.paper() && resolve_published_noise(plan, options, delta)) return;
  const auto left = resolve_delta_left(plan, options, delta, plan.prg_slack);
  const auto events = [&](double whole) {
    split_epsilon(plan, whole);
    return releases(plan);
  };
  plan.events = events(
      accounting::min_noise(events, {privacy::Epsilon(options.epsilon), left, options.adjacency}));
  resolve_guarantee(plan, options, delta);
}

void resolve_group_threshold(SparseGroupsPlan& plan, const SparseGroupsOptions& options) {
  const double compared = plan.threshold_share > 0 ? 1 - plan.threshold_share : compared_share;
  const double scale = 2 * plan.grid_unit() * std::ldexp(1, score_bits) *
                       number_of(plan.positives) / (compared * plan.selection_epsilon);
  plan.threshold = options.threshold.value_or(
      scale * std::log(std::max(1.0, 5 * number_of(plan.columns) / number_of(plan.positives))));
  if (options.threshold) return;
  plan.reasons.add(
      "threshold {:.4g}: coordinates without a gradient reach it by the noise of comparisons about "
      "a tenth as often as {} are moved",
      plan.threshold, plan.positives);
}

// The step that the paper forgot: back into the ball.
void project_to_ball(std::vector<double>& weights, double radius) {
  double square = 0;
  for (const double weight : weights) square += weight * weight;
  if (square <= radius * radius) return;
  const double factor = radius / std::sqrt(square);
  for (auto& weight : weights) weight *= factor;
}

/// Which group a step reads, and which reservation pays for it.
class GroupOrder {
 public:
  GroupOrder(const SparseGroupsPlan& plan, const privacy::Event& part,
             const TrainingContext& context)
      : groups_(plan.groups), source_(context.source) {
    const auto adjacency = plan.guarantee.adjacency;
    if (plan.random_groups) {
      draws_.emplace(plan.groups, part, adjacency, context.reservation);
    } else {
      pass_.emplace(plan.groups, part, adjacency, context.reservation);
    }
  }

  [[nodiscard]] std::int64_t group(std::int64_t step) {
    if (!draws_) return step % groups_;
    return draws_->draw(
        source_.claim(random::Purpose::sampling, static_cast<std::uint64_t>(step), 0));
  }
  [[nodiscard]] mechanism::GroupPayer& payer() {
    if (draws_) return *draws_;
    return *pass_;
  }

 private:
  std::int64_t groups_;
  random::Source& source_;
  std::optional<mechanism::GroupPass> pass_;
  std::optional<mechanism::GroupDraws> draws_;
};

constexpr auto group_reads =
    bound_names<sparse_groups_bindings, step_bindings, ball_bindings, calibration_bindings>;
constexpr std::array group_papers{Paper{Calibration::zhang2021}};
constexpr privacy::AdjacencySet stays_in_a_group{privacy::Adjacency::add_remove,
                                                 privacy::Adjacency::zero_out};
constexpr std::array<std::string_view, 2> group_sampling{"groups_in_turn", "random_groups"};

constexpr Proved proved_groups{
    stays_in_a_group, stays_in_a_group, UnitProtection::refused,
    "a record that is replaced may leave one group and enter another, and nothing better than "
    "twice the cost is proved; use add_remove or zero_out"};

}  // namespace

privacy::Event releases(const SparseGroupsPlan& plan) {
  const auto adjacency = plan.guarantee.adjacency;
  const auto part = mechanism::sparse_vector_event(plan.run(), adjacency);
  auto one = plan.random_groups ? mechanism::GroupDraws::event(part, plan.groups, adjacency)
                                : mechanism::GroupPass::event(part);
  const auto count = plan.random_groups ? plan.steps : plan.passes();
  if (count == 1) return one;
  return privacy::Repeated{count, std::move(one)};
}

void list_settings(SettingList& list, SparseGroupsPlan& plan) {
  plan.random_groups = list.has("group_order", plan.random_groups);
  list.sampling(plan.random_groups ? "random_groups" : "groups_in_turn");
  list.problem();
  list.note("group_column", plan.group_column);
  list.checked("groups", plan.groups, at_least_1);
  if (plan.random_groups) list.follows("group_order", "random");
  list.checked("steps", plan.steps, at_least_1);
  list.checked("positives", plan.positives, at_least_1);
  list.note("clipping_norm", plan.coordinate_bound);
  list.note("threshold", plan.threshold);
  list.note("step_size", plan.step_size);
  list.note("radius", plan.radius);
  list.checked("selection_epsilon", plan.selection_epsilon, above_0);
  list.checked("value_epsilon", plan.value_epsilon, above_0);
  list.claim();
}

double SparseGroupsPlan::grid_unit() const {
  return coordinate_bound * std::ldexp(1, -score_bits) * number_of(groups) /
         number_of(public_row_count);
}

mechanism::SparseVectorOptions SparseGroupsPlan::run() const {
  return {.form = mechanism::SparseVectorForm::redrawn_threshold,
          .compared = mechanism::Compared::magnitude,
          .threshold = threshold / grid_unit(),
          .max_positives = positives,
          .selection_epsilon = privacy::Epsilon(selection_epsilon),
          .value_epsilon = privacy::Epsilon(value_epsilon),
          .threshold_share = threshold_share};
}

SparseGroupsPlan plan_sparse_groups(const data::Schema& schema, const SparseGroupsOptions& options,
                                    const PlanContext& context) {
  SparseGroupsPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, options, sparse_groups_method.problems);
  plan.public_row_count = resolve_row_count(schema, options);
  plan.guarantee = {options.epsilon, 0, options.adjacency};
  plan.column = range_of(schema, options);
  plan.group_column = *options.group_column;
  resolve_group_steps(plan, options);
  resolve_group_noise(plan, options);
  resolve_group_threshold(plan, options);
  write_settings(plan);
  return plan;
}

TrainedModel train_sparse_groups(const data::Dataset& dataset, const data::Schema& schema,
                                 const SparseGroupsPlan& plan, const TrainingContext& context) {
  check_shape(dataset, schema, plan);
  check_public_count(dataset, plan, context);
  const auto adjacency = plan.guarantee.adjacency;
  const optimize::GroupedRecords records(dataset, plan.column, plan.groups);
  const auto run = plan.run();
  GroupOrder order(plan, mechanism::sparse_vector_event(run, adjacency), context);
  std::vector<double> weights(static_cast<std::size_t>(plan.columns), 0.0);
  for (std::int64_t t = 0; t < plan.steps; ++t) {
    context.supervision.step("training", t, plan.steps);
    const auto scores =
        records.gradient(order.group(t), weights, plan.loss,
                         {.bound = plan.coordinate_bound, .norm_bits = score_bits}, adjacency);
    const auto answer = mechanism::release_sparse_vector(
        scores, run,
        mechanism::GroupContext{{static_cast<std::uint64_t>(t), 0}, context.source, order.payer()});
    for (const auto& positive : answer.value().positives) {
      weights[static_cast<std::size_t>(positive.index)] -=
          plan.step_size * plan.grid_unit() * *positive.value;
    }
    project_to_ball(weights, plan.radius);
  }
  context.supervision.step("training", plan.steps, plan.steps);
  return finish(plan, schema, context, {std::move(weights)});
}

constinit const Method sparse_groups_method{
    .name = "sparse-groups",
    .help = "few coordinates a step, from groups of records in turn",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = proved_groups,
    .problems = {.targets = one_output},
    .sampling = group_sampling,
    .options = group_reads,
    .plan = planned_by<sparse_groups_options, plan_sparse_groups, train_sparse_groups>,
    .recorded_events = recorded_releases_of<SparseGroupsPlan>,
    .papers = group_papers,
    .named_only = true,
};

}  // namespace tacet::learn
