#include "tacet/learn/inference/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/learn/inference/regression_table.h"
#include "tacet/learn/inference/regression_terms.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/plan/unit_draw.h"
#include "tacet/model/model_file.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

using optimize::MeanModel;

model::Loss loss_of_mean(MeanModel mean) {
  if (mean == MeanModel::logistic) return model::LogisticLoss{};
  return mean == MeanModel::poisson ? model::Loss{model::PoissonLoss{}}
                                    : model::Loss{model::SquaredLoss{}};
}

/// DataError if the loss is not one of the three.
MeanModel mean_of_loss(const model::Loss& loss) {
  for (const auto mean : {MeanModel::identity, MeanModel::logistic, MeanModel::poisson}) {
    if (model::loss_name(loss_of_mean(mean)) == model::loss_name(loss)) return mean;
  }
  throw base::DataError("method inference has no loss {}", model::loss_name(loss));
}

void resolve_mean(InferencePlan& plan, const data::Schema& schema,
                  const InferenceTraining& options) {
  const auto mean = plan.setup.design.mean;
  resolve_problem(plan, schema, options, inference_method.problems);
  if (options.count_cut && mean != MeanModel::poisson) {
    throw base::UsageError("`count_cut` is for a target that is a count; leave it out");
  }
  if (options.errors != ErrorLaw::any && mean != MeanModel::identity) {
    throw base::UsageError("`errors` is for a target that is a number; leave it out");
  }
  if (mean == MeanModel::poisson) {
    plan.reasons.emplace_back(
        "EXPERIMENTAL: regressions of counts, whose intervals were seen to hold 90 of 100 times "
        "where 95 were promised, if counts vary more than Poisson's law says");
  }
}

/// One number and the words for it.
std::string shares_text(const optimize::JointShares& shares, bool counts) {
  return fmt::format(
      "score {} curvature {} moment {} squares {}", shares.score,
      counts && shares.curvature == 0 ? "by the released mean" : std::to_string(shares.curvature),
      shares.moment, shares.squares);
}

void add_reasons(InferencePlan& plan) {
  const auto& design = plan.setup.design;
  plan.reasons.add(
      "terms {}: {} coefficient{}; records with a missing or unlisted value of a term are left out",
      design.terms, design.columns(), design.columns() == 1 ? "" : "s");
  plan.reasons.add(
      "intervals are expected to be {:.2f} times as wide as without privacy, by the declared "
      "number of records; intervals of rare categories and of correlated columns are wider",
      plan.forecast.width);
  plan.reasons.add(
      "a category or flag of fewer than about {:.0f} records may come out as not identified, and "
      "so may other coefficients because of it: merge such categories before",
      plan.forecast.level_records);
  plan.reasons.add(
      "coefficients are estimated with rows beyond reach {:.3g} weighted down: rows whose squared "
      "Mahalanobis distance is above {:.3g} times the average; if columns nearly repeat each "
      "other, noise decides which rows these are, and the table says so; a smaller reach has less "
      "noise and identifies more, a larger one is nearer to the unweighted coefficient",
      plan.forecast.reach, plan.forecast.reach);
  if (!plan.setup.warning.empty()) plan.reasons.push_back(plan.setup.warning);
}

/// The given schema, restricted to the terms' columns, for the model.
data::Schema schema_of_terms(const data::Schema& schema, const std::string& terms) {
  std::set<std::string> named;
  for (const auto& term : parse_terms(terms)) named.insert(term.begin(), term.end());
  auto of = schema;
  of.interactions.clear();
  std::erase_if(of.columns, [&](const data::Column& column) {
    return !column.ignored() && !named.contains(column.name);
  });
  return of;
}

}  // namespace

privacy::Event releases(const InferencePlan& plan) {
  return releases(shared_noise(plan.noise_multiplier, mean_of_loss(plan.loss), plan.newton_steps));
}

void list_settings(SettingList& list, InferencePlan& plan) {
  constexpr SettingRange steps{.lowest = 1, .highest = max_newton_steps};
  list.sampling("full_batch");
  list.problem({}, true);
  list.checked("noise_multiplier", plan.noise_multiplier, above_0);
  list.checked("newton_steps", plan.newton_steps, steps);
  const auto mean = mean_of_loss(plan.loss);
  const auto noise = shared_noise(plan.noise_multiplier, mean, plan.newton_steps);
  std::vector<double> each{noise.start};
  each.insert(each.end(), noise.steps.begin(), noise.steps.end());
  each.push_back(noise.last);
  list.computed("noise_multipliers", each, 17, {.table = false});
  // How a release divides the squared distance of neighbours among its parts, in units of 2^-20
  // (docs/proofs/inference.md).
  const RegressionFacts facts{.mean = mean, .adjacency = plan.guarantee.adjacency};
  const bool counts = mean == MeanModel::poisson;
  list.follows("start_shares", shares_text(start_shares(facts), counts), {.table = false});
  list.follows("step_shares", shares_text(step_shares(facts), counts), {.table = false});
  list.follows("last_shares", shares_text(last_shares(facts), counts), {.table = false});
  list.mark("terms", plan.setup.design.terms);
  list.note("relative_noise", plan.forecast.relative_noise, {.receipt = false});
  list.note("expected_width", plan.forecast.width, {.receipt = false});
  list.one_record_per_unit();
}

InferencePlan plan_inference(const data::Schema& schema, const InferenceTraining& options,
                             const PlanContext& /*context*/) {
  InferencePlan plan;
  auto design = regression_design(schema, options.terms);
  const auto room = noise_room(design);
  plan.setup.design = std::move(design);
  resolve_mean(plan, schema, options);
  plan.columns = plan.setup.design.columns();
  plan.public_row_count = resolve_row_count(schema, options);
  const auto delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  plan.prg_slack = random::prg_slack_of(room.blocks, room.words);
  resolve_unit_draw(plan, schema);
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  plan.setup = inference_setup(std::move(plan.setup.design),
                               {.epsilon = options.epsilon,
                                .delta = left.value(),
                                .adjacency = options.adjacency,
                                .rows = plan.public_row_count,
                                .reach = options.reach,
                                .symmetric_errors = options.errors == ErrorLaw::symmetric,
                                .count_cut = options.count_cut});
  plan.forecast = forecast(plan.setup.facts, options.reach);
  plan.noise_multiplier = plan.setup.noise.whole;
  plan.newton_steps = std::ssize(plan.setup.noise.steps);
  plan.events = releases(plan);
  resolve_guarantee(plan, options, delta.value());
  add_reasons(plan);
  write_settings(plan);
  return plan;
}

TrainedModel train_inference(const data::Dataset& dataset, const data::Schema& schema,
                             const InferencePlan& plan, const TrainingContext& context) {
  const auto drawn = drawn_records(dataset, schema, context);
  const auto& records = drawn ? *drawn : dataset;
  check_public_count(records, plan, context, drawn ? "units" : "records");
  const auto& design = plan.setup.design;
  const auto table = regression_table(design, run_inference(records, plan.setup, context));
  auto of_terms = schema_of_terms(schema, design.terms);
  TrainedModel trained{model::described_model(of_terms, plan.loss), finished_receipt(plan, context),
                       std::move(of_terms)};
  trained.model.table = table_numbers(table, design.terms);
  return trained;
}

namespace {

/// A separate schema reads the records, with marks for missing values.
Training inference_training(const data::Schema& schema, const ParameterValues& asked,
                            const PlanContext& context) {
  auto plan = plan_inference(schema, inference_options(asked), context);
  auto reading = plan.setup.design.reading;
  auto training = resolved_training(std::move(plan), train_inference);
  training.raw_schema = std::move(reading);
  return training;
}

privacy::Event recorded_inference(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                  const privacy::Event& /*own*/) {
  return releases(read_plan<InferencePlan>(receipt, parameters));
}

/// The lines of the table must be those of the schema and the terms, and its mean model that of the
/// target.
void check_table(const privacy::Receipt& receipt, const model::ModelFile& file,
                 RecordedParameters& parameters) {
  if (!file.model.table) {
    throw base::DataError("the file has no table of coefficients, which method inference writes");
  }
  const auto& table = *file.model.table;
  const auto design = regression_design(file.schema, table.terms);
  if (design.names != table.names || design.references != table.references) {
    throw base::DataError("the lines of the table do not follow from its terms and its schema");
  }
  if (design.mean != mean_of_loss(file.model.loss)) {
    throw base::DataError("method inference fits another loss to this target");
  }
  if (receipt.public_row_count != table.rows) {
    throw base::DataError("the table states another number of records than the receipt");
  }
  parameters.expect("terms", table.terms, "the model has");
}

constexpr std::array<std::string_view, 3> regressions{"logistic", "squared", "poisson"};
constexpr auto inference_reads = bound_names<inference_bindings>;

}  // namespace

constinit const Method inference_method{
    .name = "inference",
    .help = "a regression table with intervals that hold sampling error and privacy noise",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::drawn},
    .problems = {.targets = {TargetKind::two_classes, TargetKind::number, TargetKind::count},
                 .losses = regressions,
                 .why_no_other_loss = "a regression table is of one of these",
                 .complete_cases = true},
    .sampling = full_batch,
    .options = inference_reads,
    .plan = inference_training,
    .recorded_events = recorded_inference,
    .takes_infinite_epsilon = false,
    .check_file = check_table,
    .named_only = true,
};

}  // namespace tacet::learn
