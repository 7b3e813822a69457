#include "tacet/choose/auto.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/choose/read_options.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/gradient/standardise.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"

namespace tacet::choose {
namespace {

using learn::Method;
using learn::ParameterValues;
using Names = std::vector<std::string_view>;

// What docs/methods/auto.md justifies, rule by rule.
constexpr double ladder_records = 1000;   // times epsilon, a column
constexpr double constant_records = 200;  // likewise
constexpr double max_noise_numbers = 0.3;
constexpr double max_noise_classes = 4;
constexpr double max_noise_standardised = 0.2;
constexpr double long_path_noise = 0.055;
constexpr double short_path = 0.5;
constexpr std::size_t max_numbers = 64;

// Method inference comes last: a table of coefficients is for who asks for what it alone reads.
constexpr std::array<std::string_view, 13> usual_order{
    "gradient", "objective",  "adassp", "ladder",    "regularized-output", "phased",
    "output",   "phased-erm", "growth", "localized", "sparse-groups",      "inverse-sensitivity",
    "inference"};
constexpr std::array<std::string_view, 7> many_records_order{
    "objective", "ladder", "phased-erm",         "regularized-output",
    "localized", "growth", "inverse-sensitivity"};
constexpr std::array<std::string_view, 7> few_records_order{
    "objective", "phased-erm",         "ladder", "regularized-output", "localized",
    "growth",    "inverse-sensitivity"};

/// The public facts that decide between methods.
struct Facts {
  bool pure;
  bool unit;
  bool several_classes;
  bool number;  ///< to predict, neither a probability nor a count
  bool share;   ///< a probability or a count
  bool logistic;
  bool squared;
  bool add_remove;                           ///< asked for
  std::optional<double> records_per_column;  ///< times epsilon
};

std::optional<double> records_of(const ParameterValues& given, const data::Schema& schema) {
  const auto count = given.integer("public-row-count");
  if (!count && !schema.public_row_count) return std::nullopt;
  return static_cast<double>(count ? *count : *schema.public_row_count);
}

/// Whether there are columns that a constant leaves out.
bool has_columns(const data::Schema& schema) {
  return constant_schema(schema).columns.size() < schema.columns.size();
}

Facts facts_of(const ParameterValues& given, const data::Schema& schema) {
  const auto& target = learn::target_of(schema);
  const auto loss = given.text("loss");
  Facts facts{.pure = learn::asks_pure(given), .unit = schema.unit.has_value()};
  facts.several_classes = !target.regression() && target.class_count() > 2;
  facts.number = target.regression() && target.number_kind() == data::NumberKind::number;
  facts.share = target.regression() && !facts.number;
  facts.logistic =
      !target.regression() && !facts.several_classes && loss.value_or("logistic") == "logistic";
  facts.squared = !facts.share && loss.value_or("squared") == "squared";
  facts.add_remove = given.text("adjacency") == "add_remove";
  if (const auto records = records_of(given, schema)) {
    facts.records_per_column = *records * given.real("epsilon").value_or(1) /
                               static_cast<double>(schema.encoded_column_count());
  }
  return facts;
}

bool few_records(const Facts& facts) {
  return facts.number && facts.records_per_column.value_or(ladder_records) < ladder_records;
}

/// Whether the method is for such a problem at all; what else it demands its plan says.
bool suits(std::string_view method, const Facts& facts) {
  if (method == "gradient") return !facts.pure;
  if (method == "output" || method == "phased") return !facts.pure && !facts.unit;
  if (method == "adassp") return !facts.pure && facts.squared;
  if (method == "objective") return facts.logistic;
  if (method == "regularized-output") return true;
  if (method == "sparse-groups" || method == "inference") return !facts.pure;
  if (method == "inverse-sensitivity") return false;  // one column: for who names it
  return !facts.unit && !facts.add_remove && !facts.share;
}

bool knows_paper(const Method& method, const std::string& name) {
  const auto paper = learn::calibration_names.find(name);
  if (!paper || *paper == learn::Calibration::tight) return true;
  if (*paper == learn::Calibration::paper) return !method.papers.empty();
  return learn::find_paper(method, *paper) != nullptr;
}

/// The methods that read what was given under this name.
Names readers(const learn::Parameter& parameter, const ParameterValues& given) {
  auto names = learn::readers_of(parameter.name);
  if (names.empty()) {
    for (const auto* method : learn::methods()) names.push_back(method->name);
  }
  if (parameter.name == "calibration") {
    std::erase_if(names, [&](std::string_view name) {
      return !knows_paper(learn::find_method(name), *given.text("calibration"));
    });
  }
  return names;
}

/// An option that was given, and who reads it.
struct Demand {
  std::string name;  ///< as messages name it
  Names readers;
};

[[noreturn]] void refuse_clash(const std::vector<Demand>& demands) {
  for (std::size_t i = 0; i < demands.size(); ++i) {
    for (std::size_t k = i + 1; k < demands.size(); ++k) {
      const auto& [one, ones] = demands[i];
      const auto& [other, others] = demands[k];
      const bool both = std::ranges::any_of(ones, [&](std::string_view name) {
        return std::ranges::find(others, name) != others.end();
      });
      if (both) continue;
      throw base::UsageError(
          "{} and {} exclude each other: {} belongs to {}, {} to {}; leave one of them out", one,
          other, one, fmt::join(ones, ", "), other, fmt::join(others, ", "));
    }
  }
  for (const auto& demand : demands) {
    if (!demand.readers.empty()) continue;
    throw base::UsageError("no method of training reads {}; leave it out", demand.name);
  }
  std::vector<std::string> names;
  for (const auto& demand : demands) names.push_back(demand.name);
  throw base::UsageError("no method reads all of {}; leave one of them out",
                         fmt::join(names, ", "));
}

std::vector<Demand> demands_of(const ParameterValues& given) {
  std::vector<Demand> demands;
  for (const auto& parameter : learn::parameters()) {
    if (!given.given(parameter.name)) continue;
    auto names = readers(parameter, given);
    if (names.size() == learn::methods().size()) continue;
    const bool paper = parameter.name == "calibration";
    demands.push_back({paper ? fmt::format("`calibration={}`", *given.text("calibration"))
                             : base::parameter_name(parameter.name),
                       std::move(names)});
  }
  return demands;
}

/// The names in the given order that read all that was demanded.
Names allowed(std::span<const std::string_view> order, const std::vector<Demand>& demands) {
  Names names;
  for (const auto name : order) {
    const bool reads_all = std::ranges::all_of(demands, [&](const Demand& demand) {
      return std::ranges::find(demand.readers, name) != demand.readers.end();
    });
    if (reads_all) names.push_back(name);
  }
  return names;
}

std::string why(std::string_view method, const Facts& facts, const std::vector<Demand>& demands,
                std::string_view unasked) {
  if (method != unasked) {
    std::vector<std::string> names;
    for (const auto& demand : demands) names.push_back(demand.name);
    return fmt::format("method {}: the first choice among those that read {}", method,
                       fmt::join(names, ", "));
  }
  if (method == "gradient") {
    return "method gradient: ahead of the others where delta is above 0; `method` names another";
  }
  if (method == "objective") {
    return "method objective: pure privacy for a logistic model of two classes";
  }
  if (method == "regularized-output") {
    return "method regularized-output: pure privacy for units, add_remove, probabilities, counts";
  }
  if (!facts.number || !facts.records_per_column) {
    return fmt::format("method {}: pure privacy for every loss", method);
  }
  return fmt::format(
      "method {}: pure privacy for numbers; {:.4g} records times epsilon per column, {}"
      " {}",
      method, *facts.records_per_column, few_records(facts) ? "below" : "not below",
      ladder_records);
}

/// The method, and in words why.
std::pair<std::string_view, std::string> choose_method(const ParameterValues& given,
                                                       const data::Schema& schema) {
  const auto facts = facts_of(given, schema);
  if (facts.pure && facts.several_classes) {
    throw base::GuaranteeError("delta = 0 asks for pure privacy; {}", learn::pure_way_out(schema));
  }
  const auto order = !facts.pure          ? std::span<const std::string_view>(usual_order)
                     : few_records(facts) ? std::span<const std::string_view>(few_records_order)
                                          : std::span<const std::string_view>(many_records_order);
  const auto first = [&](const Names& names) {
    const auto found =
        std::ranges::find_if(names, [&](std::string_view name) { return suits(name, facts); });
    return found == names.end() ? names.front() : *found;
  };
  const auto demands = demands_of(given);
  auto names = allowed(order, demands);
  if (names.empty()) names = allowed(usual_order, demands);  // whose plan says what is missing
  if (names.empty()) refuse_clash(demands);
  const auto method = first(names);
  return {method, why(method, facts, demands, first(Names(order.begin(), order.end())))};
}

/// The same for a constant, where the noise of every pure method would drown the columns and
/// nothing was given that only some methods read.
std::optional<std::pair<std::string_view, std::string>> choose_pure_constant(
    const ParameterValues& given, const data::Schema& schema) {
  const auto facts = facts_of(given, schema);
  const bool drawn = facts.pure && facts.number && !facts.unit && !facts.add_remove;
  if (!drawn || facts.records_per_column.value_or(constant_records) >= constant_records) return {};
  if (!has_columns(schema) || given.given("boost") || !demands_of(given).empty()) return {};
  return std::pair<std::string_view, std::string>{
      "inverse-sensitivity",
      fmt::format("method inverse-sensitivity: draws a constant; {:.4g} records times epsilon a "
                  "column, fewer than {}",
                  *facts.records_per_column, constant_records)};
}

/// The noise in the mean gradient, for gradients of norm 1, if the whole budget went into one
/// release; nothing without a number of records or a delta above 0.
std::optional<double> mean_noise(const data::Schema& schema, const learn::CommonOptions& options) {
  const auto declared =
      options.public_row_count ? options.public_row_count : schema.public_row_count;
  if (!declared || options.delta == 0.0) return std::nullopt;
  learn::Reasons unused;
  const auto delta = learn::resolve_delta(schema, options, *declared, unused);
  const auto values = schema.encoded_column_count() * learn::outputs_of(learn::target_of(schema));
  return std::sqrt(static_cast<double>(values)) *
         learn::full_batch_noise(1, privacy::Epsilon(options.epsilon), delta, options.adjacency) /
         static_cast<double>(*declared);
}

/// Whether a word was given other than the one that leaves the parameter out.
bool chosen(const ParameterValues& values, std::string_view name, std::string_view left_out) {
  return values.text(name).value_or(std::string(left_out)) != left_out;
}

/// Columns kept, where that was not given and nothing that was excludes it.
bool keep_columns(ResolvedRequest& request, const data::Schema& schema) {
  auto& values = request.values;
  if (values.given("feature-selection") || chosen(values, "standardise", "none") ||
      chosen(values, "projection", "none")) {
    return chosen(values, "feature-selection", "all");
  }
  const learn::FeatureSelectionOptions usual{learn::FeatureSelectionOptions::usual_share, true};
  const auto* in_the_way = learn::selection_obstacle(learn::gradient_options(values));
  if (learn::resolve_column_share(schema, usual, in_the_way) == 0) return false;
  values.set("feature-selection", "auto");
  return true;
}

/// Whether something was given that was meant for lines.
bool is_for_lines(const ParameterValues& values) {
  constexpr std::array<std::string_view, 3> names{"clipping-norm", "step-size", "standardise"};
  return std::ranges::any_of(names, [&](std::string_view name) { return values.given(name); });
}

/// Curves, where the rule has room for them and nothing was given that decides otherwise. A number
/// to predict is told why there are none.
bool use_curves(ResolvedRequest& request, const data::Schema& schema) {
  auto& values = request.values;
  if (values.given("curves")) {
    return chosen(values, "curves", "none") &&
           learn::choose_curves(schema, values).schema.curves.has_value();
  }
  if (is_for_lines(values)) return false;
  auto with_curves = values;
  with_curves.set("curves", "auto");
  const auto choice = learn::choose_curves(schema, with_curves);
  if (choice.schema.curves) {
    values = std::move(with_curves);
    return true;
  }
  if (!choice.reason.empty()) request.reasons.push_back(choice.reason);
  return false;
}

void standardise(ResolvedRequest& request, const data::Schema& schema, double noise) {
  auto& values = request.values;
  const auto options = learn::gradient_options(values);
  const auto numbers = data::numeric_features(schema).size();
  if (values.given("standardise") || noise > max_noise_standardised || numbers > max_numbers ||
      chosen(values, "projection", "none") || !learn::can_standardise(schema, options)) {
    return;
  }
  const bool logistic = !options.loss || std::holds_alternative<model::LogisticLoss>(*options.loss);
  // What categories alone have to tell is worth a release where they are counted with numbers too.
  if (numbers == 0 && (noise < learn::min_noise_counted || !logistic)) return;
  values.set("standardise", "private");
  if (!learn::target_of(schema).regression() || noise <= long_path_noise) return;
  if (options.steps || options.step_size) return;
  request.path_share = short_path;
  request.reasons.push_back(fmt::format(
      "half the path: noise of {:.3g}, above {:g}, is near to what numbers have to tell", noise,
      long_path_noise));
}

/// A constant in place of columns, where there are any that could be left out; `why` says what
/// drowns them.
bool learn_constant(ResolvedRequest& request, const data::Schema& schema, std::string_view why,
                    std::string_view method) {
  if (chosen(request.values, "projection", "none") || !has_columns(schema)) return false;
  request.constant_only = true;
  request.reasons.push_back(
      fmt::format("{}: nothing can be expected to beat a constant here, so no column is read and a "
                  "constant is learned; more records, a larger epsilon or fewer columns change "
                  "that, `method={}` reads the columns all the same",
                  why, method));
  return true;
}

/// What `gradient` does before its steps, where nothing was given that decides it: noise drowns
/// whatever columns could say, or leaves room for a release of its own.
void choose_first_release(ResolvedRequest& request, const data::Schema& schema) {
  if (keep_columns(request, schema)) return;
  const auto options = request.common();
  const auto noise = mean_noise(schema, options);
  if (!noise) return;  // the plan asks for what is missing
  const bool numbers = learn::target_of(schema).regression();
  const double most = numbers ? max_noise_numbers : max_noise_classes;
  const auto curves = request.values.text("curves").value_or("auto");
  const bool wants_columns = curves != "auto" && curves != "none";
  const bool constant = *noise > most && !wants_columns &&
                        learn_constant(request, schema,
                                       fmt::format("noise of {:.3g} for {} columns, above {:g}",
                                                   *noise, schema.encoded_column_count(), most),
                                       options.method);
  if (!constant && !use_curves(request, schema)) standardise(request, schema, *noise);
}

/// The same where the guarantee is pure.
void draw_constant(ResolvedRequest& request, const data::Schema& schema) {
  learn_constant(request, schema, "pure noise drowns the columns", "phased-erm");
  // Of a target scaled to [-1, 1]: no constant is better outside its bounds.
  request.values.set("radius", 1 / std::min(schema.constant, 1.0));
}

}  // namespace

data::Schema constant_schema(const data::Schema& schema) {
  auto constant = schema;
  constant.columns.clear();
  constant.interactions.clear();
  return constant.intercept && constant.encoded_column_count() == 1 ? constant : schema;
}

std::string_view auto_method(const ParameterValues& given, const data::Schema& schema) {
  if (std::isinf(given.real("epsilon").value_or(1))) return "gradient";
  return choose_method(given, schema).first;
}

ResolvedRequest auto_options(const ParameterValues& given, const data::Schema& schema) {
  if (asks_wide(given)) return read_options(given, schema);
  if (std::isinf(given.real("epsilon").value_or(1))) {
    auto values = given;
    values.set("method", learn::gradient_method.name);
    return read_options(std::move(values), schema);
  }
  auto constant = choose_pure_constant(given, schema);
  const bool drawn = constant.has_value();
  auto [name, reason] = drawn ? std::move(*constant) : choose_method(given, schema);
  ResolvedRequest request{with_adjacency(given, learn::find_method(name)), {std::move(reason)}};
  request.values.set("method", name);
  const auto options = request.common();
  if (!given.given("adjacency")) {
    request.reasons.push_back(
        fmt::format("adjacency {}: usual for method {}; `adjacency` names another",
                    to_string(options.adjacency), name));
  }
  // What each of several runs has of budget and records is planned with them.
  const bool several = given.given("boost") || given.text("radius") == "auto";
  if (several || options.paper()) return request;
  if (name == learn::gradient_method.name) choose_first_release(request, schema);
  if (drawn) draw_constant(request, schema);
  return request;
}

}  // namespace tacet::choose
