#include "tacet/learn/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/base/parameter_names.h"
#include "tacet/base/text.h"
#include "tacet/learn/checked_context.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/inference/inference.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/objective/objective.h"
#include "tacet/learn/one_dimensional/inverse_sensitivity.h"
#include "tacet/learn/output_perturbation/output.h"
#include "tacet/learn/output_perturbation/phased.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/knots.h"
#include "tacet/learn/plan/model_size.h"
#include "tacet/learn/plan/projection.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/regularized_output/regularized_output.h"
#include "tacet/learn/ridge/adassp.h"
#include "tacet/learn/selected_training.h"
#include "tacet/learn/sparse_groups/sparse_groups.h"
#include "tacet/learn/wide/net_plan.h"

namespace tacet::learn {
namespace {

// One line per method.
constexpr std::array<const Method*, 14> table{
    &gradient_method,  &output_method,
    &phased_method,    &inverse_sensitivity_method,
    &objective_method, &regularized_output_method,
    &ladder_method,    &localized_method,
    &growth_method,    &phased_erm_method,
    &adassp_method,    &sparse_groups_method,
    &inference_method, &wide_method,
};

}  // namespace

std::span<const Method* const> methods() { return table; }

std::vector<std::string> method_words() {
  std::vector<std::string> words{"auto"};
  for (const auto* method : table) words.emplace_back(method->name);
  return words;
}

const Method& find_method(std::string_view name, std::span<const Method* const> known) {
  const auto found = std::ranges::find(known, name, &Method::name);
  if (found != known.end()) return **found;
  std::vector<std::string> names;
  for (const auto* method : known) names.emplace_back(method->name);
  const auto near = base::did_you_mean(name, names);
  throw base::UsageError(
      near.empty() ? fmt::format("there is no method '{}'; known: {}", name, fmt::join(names, ", "))
                   : fmt::format("there is no method '{}'{}", name, near));
}

bool reads(const Method& method, std::string_view parameter) {
  const auto has = [&](std::span<const std::string_view> names) {
    return std::ranges::find(names, parameter) != names.end();
  };
  return has(common_names()) || has(method.options);
}

bool asks_pure(const ParameterValues& values) {
  return values.real("delta") == 0.0 && !std::isinf(values.real("epsilon").value_or(1));
}

std::vector<std::string_view> readers_of(std::string_view parameter) {
  std::vector<std::string_view> readers;
  for (const auto* method : table) {
    if (reads(*method, parameter)) readers.push_back(method->name);
  }
  if (readers.size() == table.size()) readers.clear();
  return readers;
}

void check_parameters(const Method& method, const ParameterValues& values) {
  for (const auto& parameter : parameters()) {
    if (!values.given(parameter.name) || reads(method, parameter.name)) continue;
    throw base::UsageError("{} has no meaning for method {}; it belongs to {}",
                           base::parameter_name(parameter.name), method.name,
                           fmt::join(readers_of(parameter.name), ", "));
  }
}

Facts facts_of(const data::Schema& schema, const ParameterValues& asked) {
  Facts facts{.target = kind_of(target_of(schema)),
              .loss = asked.loss(),
              .pure = asks_pure(asked),
              .unit = schema.unit.has_value()};
  if (const auto adjacency = asked.text("adjacency")) {
    facts.adjacency = privacy::parse_adjacency(*adjacency);
  }
  return facts;
}

bool suits(const Method& method, const Facts& facts) {
  const auto& [with_delta, pure, units, why_not] = method.proved;
  const auto& proved = facts.pure ? pure : with_delta;
  return method.problems.targets.has(facts.target) &&
         (!facts.loss || method.problems.takes(*facts.loss)) &&
         (facts.adjacency ? proved.has(*facts.adjacency) : !proved.empty()) &&
         (!facts.unit || units != UnitProtection::refused);
}

std::string way_out(const Facts& facts, std::span<const Method* const> known) {
  std::vector<std::string> names;
  for (const auto* method : known) {
    if (method->named_only || !suits(*method, facts)) continue;
    names.push_back(names.empty() ? fmt::format("`method={}`", method->name)
                                  : std::string(method->name));
  }
  if (!names.empty()) return "use " + base::alternatives(names);
  if (facts.pure && facts.target == TargetKind::several_classes) {
    return "no method is pure for several classes: give a delta above 0 with `method=gradient`, or "
           "a target of two classes";
  }
  return "no method takes this target, loss, unit and adjacency together";
}

namespace {

std::string_view described(UnitProtection units) {
  switch (units) {
    case UnitProtection::drawn:
      return "Of a unit's records one takes part, drawn in secret.";
    case UnitProtection::bounded:
      return "All records of a unit are protected together.";
    default:
      return "It protects single records.";
  }
}

}  // namespace

std::string described(const Method& method) {
  const auto& [targets, losses, why, softmax, custom_loss, complete_cases] = method.problems;
  const auto& proved = method.proved;
  auto text =
      fmt::format("Method {}: {}. The target is {}", method.name, method.help, to_string(targets));
  if (!losses.empty()) text += fmt::format(", the loss {}", fmt::join(losses, ", "));
  text += fmt::format(". Proved under {}", privacy::to_string(proved.with_delta));
  text += proved.pure.empty()
              ? "; not pure."
              : fmt::format("; pure with delta 0 under {}.", privacy::to_string(proved.pure));
  text += fmt::format(" {} How records are sampled: {}.", described(proved.units),
                      fmt::join(method.sampling, ", "));
  if (method.over_parts) text += " It can train on records in parts.";
  return text;
}

namespace {

/// A loss that does not fit this kind of target is refused later, where losses are resolved.
bool is_for(const model::Loss& loss, const data::Target& target) {
  return model::properties(loss).classification != target.regression();
}

void expect_problem(const Method& method, const data::Target& target, const Facts& facts,
                    std::span<const Method* const> known) {
  const auto& problems = method.problems;
  if (!problems.targets.has(facts.target)) {
    throw base::UsageError("method {} is for {}, and the target is {}; {}", method.name,
                           to_string(problems.targets), to_string(facts.target),
                           way_out(facts, known));
  }
  const auto& loss = facts.loss;
  if (!loss || model::is_custom(*loss) || !is_for(*loss, target) || problems.takes(*loss)) return;
  const bool softmax = std::holds_alternative<model::SoftmaxLoss>(*loss);
  if (softmax && facts.target == TargetKind::two_classes) return;
  throw base::UsageError(
      "method {} does not take loss {}: {}; {}", method.name, model::loss_name(*loss),
      softmax ? "it fits several classes one by one" : problems.why_no_other_loss,
      way_out(facts, known));
}

void expect_proved(const Method& method, const data::Schema& schema, const Facts& facts,
                   privacy::Adjacency adjacency, std::span<const Method* const> known) {
  const auto& proved = method.proved;
  if (!proved.with_delta.has(adjacency)) {
    throw base::GuaranteeError("method {} has no proof under {}: {}", method.name,
                               privacy::to_string(adjacency), proved.why_not);
  }
  if (facts.pure && !proved.pure.has(adjacency)) {
    throw base::GuaranteeError(
        "delta = 0 asks for pure privacy, which the Gaussian noise of method {} cannot give; {}",
        method.name, way_out(facts, known));
  }
  if (schema.unit == single_record) {
    throw base::UsageError(
        "the schema's unit column is called '{}', which is what receipts call the unit where "
        "single records are protected; give the column another name",
        single_record);
  }
  if (!schema.unit || proved.units != UnitProtection::refused) return;
  throw base::UsageError(
      "method {} reads single records, but the schema's unit column {} protects all records of a "
      "unit together; {}",
      method.name, *schema.unit, way_out(facts, known));
}

}  // namespace

void expect_offered(const Method& method, const data::Schema& schema, const CommonOptions& options,
                    std::span<const Method* const> known) {
  const auto& target = target_of(schema);
  const Facts facts{.target = kind_of(target),
                    .loss = options.loss,
                    .pure = options.delta == 0.0,
                    .unit = schema.unit.has_value(),
                    .adjacency = options.adjacency};
  expect_problem(method, target, facts, known);
  expect_proved(method, schema, facts, options.adjacency, known);
  if (target.class_weights.empty() || reads(method, "class-weights")) return;
  throw base::UsageError("class weights have no proof for method {}; they belong to {}",
                         method.name, fmt::join(readers_of("class-weights"), ", "));
}

void expect_over_parts(const Training& training) {
  if (training.over_parts) return;
  if (training.unprotected()) {
    throw base::UsageError(
        "without noise the exact minimiser is trained, which needs the records themselves, and "
        "records in parts answer with sums alone; give a finite epsilon");
  }
  std::vector<std::string> names;
  for (const auto* method : table) {
    if (method->over_parts) names.push_back(fmt::format("`method={}`", method->name));
  }
  throw base::UsageError(
      "method {} cannot train on records in parts, which answer with sums of all of them alone: "
      "{}; use {}, on all records",
      training.method,
      training.needs_records.empty() ? "it needs the records themselves" : training.needs_records,
      base::alternatives(names));
}

/// Standards are released from records, and belong to the receipt of the model for which they were
/// released. A schema that contained them would not bring their cost along.
void refuse_released_standards(const data::Schema& schema) {
  for (const auto& column : schema.columns) {
    if (!column.standardised()) continue;
    throw base::UsageError(
        "column '{}' has {}, which only the model may have that they were released for: what they "
        "cost would not be counted here; leave them out",
        column.name,
        std::holds_alternative<data::NumericColumn>(column.rule) ? "a mean and a standard deviation"
                                                                 : "scales");
  }
}

namespace {

/// A paper that the method does not follow.
void check_calibration(const Method& method, const CommonOptions& options) {
  if (!options.paper() || options.calibration == Calibration::paper) return;
  if (find_paper(method, options.calibration) != nullptr) return;
  std::vector<std::string> own{to_string(Calibration::tight)};
  for (const auto& paper : method.papers) own.push_back(to_string(paper.calibration));
  throw base::UsageError("method {} has no calibration {}; it has {}", method.name,
                         to_string(options.calibration), fmt::join(own, ", "));
}

/// Kept columns are released from records, and a projection is the plan's to say.
void refuse_narrowed(const data::Schema& schema) {
  if (schema.selected_columns) {
    throw base::UsageError(
        "the schema has selected_columns, which only the model may have that they were released "
        "for: what they cost would not be counted here; leave them out");
  }
  if (schema.curves) {
    throw base::UsageError(
        "the schema has curves, which only the model may have that their whitening was released "
        "for: what it cost would not be counted here; leave them out and give `curves`");
  }
  if (schema.projection) {
    throw base::UsageError(
        "the schema has a projection, which belongs to models; leave it out and give `projection`");
  }
}

void refuse_choices(const ParameterValues& asked) {
  if (asked.given("boost") || asked.text("radius") == "auto") {
    throw base::InternalError("choices among runs are planned by choose, not by a method");
  }
}

/// The schema for reading records: with curves, or with knots and a projection, as asked for or as
/// the rules choose.
ProjectionChoice resolve_reading(const Method& method, const data::Schema& schema,
                                 ParameterValues& asked, Reasons& reasons) {
  auto curves = choose_curves(schema, asked);
  if (!curves.reason.empty()) reasons.push_back(std::move(curves.reason));
  if (curves.schema.curves) return {std::move(curves.schema), {}};
  const double max_noise =
      method.max_knot_noise == nullptr ? 0 : method.max_knot_noise(schema, asked);
  auto choice = choose_knots(schema, asked, max_noise);
  if (!choice.reason.empty()) reasons.push_back(std::move(choice.reason));
  auto projected = choose_projection(choice.schema, asked);
  if (!projected.reason.empty()) reasons.push_back(projected.reason);
  if (const auto radius = asked.real("radius")) {
    asked.set("radius", *radius * projected.radius_factor);
  }
  return projected;
}

/// The method's plan. If feature selection is asked for with another method than `gradient` (whose
/// steps share their budget with it), plans that first.
Training planned(const Method& method, const data::Schema& schema, const ParameterValues& asked,
                 const PlanContext& context) {
  FeatureSelectionOptions selection;
  read_bound(feature_selection_bindings, asked.all(), selection);
  const bool finite = !std::isinf(asked.real("epsilon").value_or(1));
  if (finite && method.plan != gradient_method.plan) {
    const double share = resolve_column_share(schema, selection);
    if (share > 0) return plan_on_selected_columns(method, schema, asked, share);
  }
  return method.plan(schema, asked, context);
}

/// Unpacks packed rows for a method that cannot read them. In a choice among methods, records are
/// read only once for all of them.
void read_unpacked(Training& training) {
  training.run = [run = std::move(training.run)](const data::Dataset& records,
                                                 const data::Schema& schema,
                                                 const TrainingContext& context) {
    if (records.packing() == nullptr) return run(records, schema, context);
    return run(data::unpacked(records), schema, context);
  };
  if (!training.run_last) return;
  training.run_last = [run = std::move(training.run_last)](data::Dataset&& records,
                                                           const data::Schema& schema,
                                                           const TrainingContext& context) {
    if (records.packing() == nullptr) return run(std::move(records), schema, context);
    return run(data::unpacked(records), schema, context);
  };
}

}  // namespace

Training plan_training(const data::Schema& schema, ParameterValues asked,
                       const PlanContext& context, std::span<const Method* const> known) {
  refuse_released_standards(schema);
  refuse_narrowed(schema);
  refuse_choices(asked);
  const auto options = common_options(asked);
  const auto& method = find_method(options.method, known);
  check_parameters(method, asked);
  check_calibration(method, options);
  const bool exact = std::isinf(options.epsilon) && !method.runs_without_noise;
  if (exact && !method.takes_infinite_epsilon) {
    throw base::UsageError("epsilon inf trains the exact minimiser; leave `method` out");
  }
  if (!exact) expect_offered(method, schema, options, known);
  if (options.calibration == Calibration::paper && !method.papers.empty()) {
    asked.set("calibration", to_string(method.papers.front().calibration));
  }
  Reasons reasons;
  auto reading = resolve_reading(method, schema, asked, reasons);
  auto training = exact ? exact_minimum_training(reading.schema, asked)
                        : planned(method, reading.schema, asked, context);
  training.schema = std::move(reading.schema);
  if (method.reads_packed_rows && !exact) {
    training.schema.packs_numbers = true;
  } else {
    read_unpacked(training);
  }
  for (auto& reason : reasons) training.reasons.push_back(std::move(reason));
  check_model_size(training, base::machine_memory());
  return checked_before(std::move(training));
}

}  // namespace tacet::learn
