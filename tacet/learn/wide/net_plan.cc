#include "tacet/learn/wide/net_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/base/machine.h"
#include "tacet/base/text.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/rows/word_threshold.h"
#include "tacet/learn/wide/net_gradients.h"
#include "tacet/learn/wide/net_schedule.h"
#include "tacet/model/model_file.h"
#include "tacet/model/wide/wide_numbers.h"
#include "tacet/random/source/source.h"

namespace tacet::learn {
namespace {

constexpr double usual_clip = 1;
// The clipping norm for a numeric target if all fields are numbers. Residuals are small relative to
// the target's bounds, so less noise is worth more than the full gradients of a few outliers
// (bench/utility/nets.py).
constexpr double usual_clip_of_numbers = 0.1;
constexpr double usual_share = 0.1;
// The largest number of words of a text that take part: a public bound of the rows that a record
// moves.
constexpr std::int64_t max_words = 4096;
// Numbers that get noise in every step without anybody waiting for it.
constexpr double many_numbers = 0x1p22;

void refuse(const data::Schema& schema, const WideOptions& options) {
  if (std::isinf(options.epsilon) && options.feature_selection > 0) {
    throw base::UsageError(
        "`feature_selection` has no meaning with epsilon inf, which trains on all columns; leave "
        "it out");
  }
  if (options.steps.value_or(1) > max_net_steps) {
    throw base::UsageError("steps of method wide must be 1 to {}, got {}", max_net_steps,
                           *options.steps);
  }
  if (options.max_records_per_unit > 1 && !schema.unit) {
    throw base::UsageError(
        "`max_records_per_unit` needs a unit column in the schema; without one each record is a "
        "unit");
  }
}

// Several classes share one loss.
WideOptions with_usual_loss(const data::Schema& schema, const WideOptions& options) {
  auto asked = options;
  if (!asked.loss && target_of(schema).class_count() > 2) asked.loss = model::SoftmaxLoss{};
  return asked;
}

std::int64_t max_ids_of(const data::Column& column) {
  if (const auto* ids = std::get_if<data::IdsColumn>(&column.rule)) return ids->max_ids;
  return std::holds_alternative<data::TextColumn>(column.rule) ? max_words : 1;
}

void resolve_shape(NetPlan& plan, const data::Schema& schema, const WideOptions& options) {
  plan.architecture = options;
  plan.shape = model::wide_shape(schema, plan.architecture, plan.loss);
  if (options.usual_layers && !plan.shape.two_tower() && plan.of_numbers()) {
    plan.architecture.hidden = {32, 16};  // bench/utility/nets.py
    plan.shape = model::wide_shape(schema, plan.architecture, plan.loss);
  }
  plan.start_seed = static_cast<std::uint64_t>(options.start_seed.value_or(1));
  std::int64_t max = 0;
  const auto places = model::column_places(schema);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const auto& [first, count] = places[c];
    const bool field = std::ranges::any_of(plan.shape.fields, [&](const model::WideField& known) {
      return known.first == first && count > 0;
    });
    if (field) max += std::min(max_ids_of(schema.columns[c]), count);
  }
  plan.max_ids = std::max<std::int64_t>(max, 1);
  const auto numbers = base::to_double(model::wide_number_count(plan.shape));
  constexpr double max_numbers = base::to_double(base::limits::model_bytes / 8);
  if (numbers > max_numbers) {
    throw base::UsageError(
        "a wide model of {:.4g} numbers is more than the 2^27 that a model file holds; use fewer "
        "bits or ids in the schema, or a smaller `dim`",
        numbers);
  }
  const double bytes = 4 * numbers * sizeof(float);
  if (const auto memory = base::to_double(base::machine_memory()); memory > 0 && bytes > memory) {
    plan.reasons.add(
        "memory: were every vector chosen in the end, training would take {:.3g} GiB, and this "
        "machine has {:.3g}",
        bytes / 0x1p30, memory / 0x1p30);
  }
}

void resolve_choice(NetPlan& plan, const WideOptions& options) {
  auto& choice = plan.choice;
  const auto numbers = base::to_double(model::wide_number_count(plan.shape));
  const auto asked = options.selection;
  if (asked && *asked != "all" && *asked != "adafest") {
    throw base::UsageError("selection of method wide must be all or adafest, got '{}'", *asked);
  }
  // If the ids were found from the records first, their number must not matter here.
  const bool few = numbers <= many_numbers || plan.shape.fields.empty() || plan.first;
  choice.kind = asked.value_or(few ? "all" : "adafest") == "all" ? WordSelection::all
                                                                 : WordSelection::adafest;
  if (!asked && !plan.shape.fields.empty()) {
    plan.reasons.add("selection {}: {:.4g} numbers are {} for noise in every step",
                     word_selection_names.of(choice.kind), numbers,
                     few ? "few enough" : "too many");
  }
  if (choice.kind == WordSelection::adafest) {
    if (plan.shape.fields.empty()) {
      throw base::UsageError("selection adafest chooses among ids, and this model has none");
    }
    return;
  }
  if (options.selection_share || options.threshold) {
    throw base::UsageError(
        "`selection_share` and threshold have no meaning where all vectors are chosen; leave them "
        "out, or use `selection=adafest`");
  }
}

void resolve_noise(NetPlan& plan, const WideOptions& options) {
  plan.guarantee = {options.epsilon, 0, options.adjacency};
  // The sample, the choice, the noise.
  plan.prg_slack = random::prg_slack_of(3 * plan.steps, random::max_block_words);
  if (std::isinf(options.epsilon)) return;
  const auto delta = resolve_delta(options, plan.public_row_count, plan.reasons);
  const auto left = resolve_delta_left(plan, options, delta.value(), plan.prg_slack);
  const double share = options.selection_share.value_or(usual_share);
  plan.events = min_noise(
      [&](double whole) {
        split_noise(plan, share, whole);
        return step_releases(plan);
      },
      options, left);
  static_cast<void>(norm_bits_for(plan.noise));
  if (plan.choice.counts_words()) {
    check_count_noise(plan.choice.noise, "records for choosing ids",
                      "give a larger epsilon or `selection_share`, or `selection=all`");
  }
  resolve_guarantee(plan, options, delta.value());
}

double usual_clip_of(const NetPlan& plan) {
  const bool number = plan.shape.loss == model::WideLoss::squared;
  return number && plan.of_numbers() ? usual_clip_of_numbers : usual_clip;
}

void resolve_threshold(NetPlan& plan, const WideOptions& options) {
  auto& choice = plan.choice;
  if (plan.unprotected() || !choice.counts_words()) return;
  choice.threshold = options.threshold.value_or(usual_threshold(
      {.noise = choice.noise,
       .units = base::to_double(plan.batch),
       .max_words_per_unit = base::to_double(std::min<std::int64_t>(plan.max_ids, 64)),
       .words = base::to_double(id_count(plan.shape))}));
  if (options.threshold) return;
  plan.reasons.add(
      "threshold {:.4g}: were ids distributed by Zipf's law, at most one in 2,000 of those chosen "
      "would be so by noise alone",
      choice.threshold);
}

void resolve_optimizer(NetPlan& plan, const WideOptions& options) {
  const auto name = options.optimizer.value_or("adam");
  const auto kind = row_optimizer_names.find(name);
  if (!kind || *kind == RowOptimizerKind::adam_dense_zero) {
    throw base::UsageError(
        "optimizer of method wide must be sgd, momentum, adagrad or adam, got "
        "'{}'",
        name);
  }
  plan.optimizer.kind = *kind;
  if (*kind == RowOptimizerKind::momentum && plan.choice.counts_words()) {
    throw base::UsageError(
        "optimizer momentum moves vectors in steps that did not choose them, which undoes "
        "selection adafest; use sgd, adagrad or adam");
  }
  plan.optimizer.step_size = options.step_size.value_or(usual_step_size(plan));
  plan.optimizer.fall = plan.steps;
}

std::string list_text(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

std::string hidden_text(const std::vector<std::int64_t>& hidden) {
  return hidden.empty() ? "none" : fmt::format("{}", fmt::join(hidden, ","));
}

void list_architecture(SettingList& list, const model::WideArchitecture& asked) {
  const bool towers = asked.head == model::WideHead::two_tower;
  list.note("dim", asked.width);
  list.note("head", towers ? "two-tower" : "layers", {.table = towers});
  if (towers) {
    list.note("left", list_text(asked.left));
    list.note("right", list_text(asked.right));
  } else {
    list.note("hidden", hidden_text(asked.hidden));
  }
  list.mark("pooling", asked.pooling == model::Pooling::mean ? "mean" : "sum");
  list.mark("linear_part", asked.linear == model::LinearPart::present ? "present" : "absent");
}

privacy::Event recorded_net(const privacy::Receipt& receipt, RecordedParameters& parameters,
                            const privacy::Event& /*own*/) {
  const auto plan = read_plan<NetPlan>(receipt, parameters);
  check_sample(plan);
  if (plan.steps > max_net_steps) throw base::DataError("the steps are out of range");
  const auto kind = plan.choice.kind;
  if (kind != WordSelection::all && kind != WordSelection::adafest) {
    throw base::DataError("the selection of method wide is all or adafest");
  }
  return step_releases(plan);
}

void check_net_file(const privacy::Receipt& /*receipt*/, const model::ModelFile& file,
                    RecordedParameters& parameters) {
  if (!file.model.wide) throw base::DataError("method wide trains wide models, the file has none");
  NetPlan of_model;
  SettingList list(of_model);
  list_architecture(list, file.model.wide->architecture());
  list.note("numbers", std::ssize(file.model.wide->numbers()));
  expect_settings(parameters, of_model.settings, "the model has");
}

}  // namespace

optimize::RowLimit NetPlan::gradient_limit() const {
  const auto tables = shape.linear == model::LinearPart::present ? 2 : 1;
  const int bits = unprotected() ? 26 : std::min(26, norm_bits_for(noise));
  return {.max_rows = tables * max_ids,
          .max_records_per_unit = max_records_per_unit,
          .norm_bits = bits};
}

optimize::RowLimit NetPlan::id_limit() const {
  return {.max_rows = max_ids, .max_records_per_unit = max_records_per_unit};
}

void list_settings(SettingList& list, NetPlan& plan) {
  list.look_ahead("sampling_rate", plan.rate, rate_range);
  list.sampling(plan.rate < 1 ? "poisson" : "full_batch");
  list.problem({.receipt = false});
  list.note("outputs", plan.outputs, {.table = plan.outputs > 1});
  list_architecture(list, plan.architecture);
  list.mark("numbers", list.reads() ? 0 : model::wide_number_count(plan.shape));
  list_steps(list, plan);
  list.note("start_seed", static_cast<std::int64_t>(plan.start_seed), {.table = false});
  list.records_per_unit(plan.rate < 1 ? Looking::confirms : Looking::assumes,
                        plan.max_records_per_unit, {.table = plan.max_records_per_unit > 1});
  if (plan.unprotected()) return;
  list.note("clipping_norm", plan.clipping_norm);
  list.checked("selection", plan.choice.kind, word_selection_names);
  if (plan.choice.counts_words()) {
    list.note("threshold", plan.choice.threshold);
    list.checked("selection_noise_multiplier", plan.choice.noise, above_0);
  }
  list.checked("noise_multiplier", plan.noise, above_0);
}

NetPlan plan_net(const data::Schema& schema, const WideOptions& options,
                 const PlanContext& context) {
  refuse(schema, options);
  NetPlan plan;
  plan.first = context.first_release;
  resolve_problem(plan, schema, with_usual_loss(schema, options), wide_method.problems);
  resolve_shape(plan, schema, options);
  plan.public_row_count = resolve_row_count(schema, options);
  resolve_steps(plan, options);
  resolve_choice(plan, options);
  plan.clipping_norm = options.clipping_norm.value_or(usual_clip_of(plan));
  resolve_noise(plan, options);
  resolve_threshold(plan, options);
  resolve_optimizer(plan, options);
  write_settings(plan);
  return plan;
}

namespace {

constexpr auto pooling_names =
    base::names<model::Pooling>({{model::Pooling::sum, "sum"}, {model::Pooling::mean, "mean"}});
constexpr auto linear_part_names = base::names<model::LinearPart>(
    {{model::LinearPart::present, "present"}, {model::LinearPart::absent, "absent"}});
constexpr auto head_names = base::names<model::WideHead>(
    {{model::WideHead::layers, "layers"}, {model::WideHead::two_tower, "two-tower"}});

void read_hidden(const std::string& text, model::WideArchitecture& architecture) {
  auto& hidden = architecture.hidden;
  hidden.clear();
  if (text == "none") return;
  for (const auto& part : base::split_at_commas(text))
    hidden.push_back(parse_integer("hidden", part));
}

constexpr std::array architecture_bindings{
    bind<&model::WideArchitecture::width>("dim"),
    bind<&model::WideArchitecture::hidden>("hidden", read_hidden),
    bind<&model::WideArchitecture::pooling, pooling_names>("pooling"),
    bind<&model::WideArchitecture::linear, linear_part_names>("linear-part"),
    bind<&model::WideArchitecture::head, head_names>("head"),
    bind<&model::WideArchitecture::left>("left"),
    bind<&model::WideArchitecture::right>("right"),
};

constexpr std::array wide_bindings{
    bind<&WideOptions::batch_size>("batch-size"),
    bind<&WideOptions::max_records_per_unit>("max-records-per-unit"),
    bind<&WideOptions::threshold>("threshold"),
    bind<&WideOptions::optimizer>("optimizer"),
    bind<&WideOptions::selection>("selection"),
    bind<&WideOptions::selection_share>("selection-share"),
    bind<&WideOptions::start_seed>("start-seed"),
};

/// The largest noise for which numbers get hat functions, for nets whose fields are all numbers.
/// Kin8nm lost by them at .0049; Adult and kin40k gained at .0019 and below
/// (bench/utility/nets.py).
double knot_noise_of(const data::Schema& schema, const ParameterValues& asked) {
  constexpr double max_net_knot_noise = 0.002;
  const bool towers = asked.text("head").value_or("layers") != "layers";
  return towers || model::has_vectors(schema) ? 0 : max_net_knot_noise;
}

constexpr auto wide_reads = bound_names<architecture_bindings, wide_bindings, step_bindings,
                                        feature_selection_bindings, knot_bindings>;

}  // namespace

WideOptions wide_options(const ParameterValues& asked) {
  auto options = read_options<WideOptions, architecture_bindings, wide_bindings, step_bindings,
                              feature_selection_bindings>(asked);
  options.usual_layers = !asked.given("hidden");
  return options;
}

constinit const Method wide_method{
    .name = "wide",
    .help = "noisy descent for vectors of ids and hidden layers (`model=wide`)",
    .usual_adjacency = privacy::Adjacency::add_remove,
    .proved = {privacy::every_adjacency, privacy::no_adjacency, UnitProtection::bounded},
    .problems = {.targets = classes_and_numbers, .softmax = true},
    .sampling = full_batch_or_poisson,
    .options = wide_reads,
    .plan = planned_by<wide_options, plan_net, train_net>,
    .recorded_events = recorded_net,
    .check_file = check_net_file,
    .runs_without_noise = true,
    .max_knot_noise = knot_noise_of,
    .named_only = true,
};

}  // namespace tacet::learn
