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
#include "tacet/choose/auto_thresholds.h"
#include "tacet/choose/read_options.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/inference/inference.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/method.h"
#include "tacet/learn/objective/objective.h"
#include "tacet/learn/one_dimensional/inverse_sensitivity.h"
#include "tacet/learn/output_perturbation/output.h"
#include "tacet/learn/output_perturbation/phased.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/learn/regularized_output/regularized_output.h"
#include "tacet/learn/ridge/adassp.h"
#include "tacet/learn/sparse_groups/sparse_groups.h"

namespace tacet::choose {
namespace {

using learn::Method;
using learn::ParameterValues;
using Names = std::vector<std::string_view>;
using Methods = std::vector<const Method*>;

// Which of the methods that suit is taken, the first one first. Method inference comes last: a
// table of coefficients is for those who ask for what it alone reads.
constexpr std::array<const Method*, 13> usual_order{
    &learn::gradient_method,  &learn::objective_method,          &learn::adassp_method,
    &learn::ladder_method,    &learn::regularized_output_method, &learn::phased_method,
    &learn::output_method,    &learn::phased_erm_method,         &learn::growth_method,
    &learn::localized_method, &learn::sparse_groups_method,      &learn::inverse_sensitivity_method,
    &learn::inference_method};
constexpr std::array<const Method*, 7> many_records_order{
    &learn::objective_method,          &learn::ladder_method,    &learn::phased_erm_method,
    &learn::regularized_output_method, &learn::localized_method, &learn::growth_method,
    &learn::inverse_sensitivity_method};
constexpr std::array<const Method*, 7> few_records_order{
    &learn::objective_method,          &learn::phased_erm_method, &learn::ladder_method,
    &learn::regularized_output_method, &learn::localized_method,  &learn::growth_method,
    &learn::inverse_sensitivity_method};

std::optional<double> records_of(const ParameterValues& given, const data::Schema& schema) {
  const auto count = given.integer("public-row-count");
  if (!count && !schema.public_row_count) return std::nullopt;
  return static_cast<double>(count ? *count : *schema.public_row_count);
}

/// Whether there are columns that a constant leaves out.
bool has_columns(const data::Schema& schema) {
  return constant_schema(schema).columns.size() < schema.columns.size();
}

/// The declared number of records times epsilon, for each encoded column.
std::optional<double> records_per_column(const ParameterValues& given, const data::Schema& schema) {
  const auto records = records_of(given, schema);
  if (!records) return std::nullopt;
  return *records * given.real("epsilon").value_or(1) /
         static_cast<double>(schema.encoded_column_count());
}

/// What is asked for, and how much the records can tell.
struct Question : learn::Facts {
  std::optional<double> records_per_column;

  [[nodiscard]] bool number() const { return target == learn::TargetKind::number; }
  [[nodiscard]] bool few_records() const {
    return number() && records_per_column.value_or(ladder_records) < ladder_records;
  }
};

Question question_of(const ParameterValues& given, const data::Schema& schema) {
  return {learn::facts_of(schema, given), records_per_column(given, schema)};
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

/// The methods in the given order that read all that was demanded.
Methods allowed(std::span<const Method* const> order, const std::vector<Demand>& demands) {
  Methods methods;
  for (const auto* method : order) {
    const bool reads_all = std::ranges::all_of(demands, [&](const Demand& demand) {
      return std::ranges::find(demand.readers, method->name) != demand.readers.end();
    });
    if (reads_all) methods.push_back(method);
  }
  return methods;
}

std::string why(const Method& method, const Question& asked, const std::vector<Demand>& demands,
                const Method& unasked) {
  if (&method != &unasked) {
    std::vector<std::string> names;
    for (const auto& demand : demands) names.push_back(demand.name);
    return fmt::format("method {}: the first choice among those that read {}", method.name,
                       fmt::join(names, ", "));
  }
  if (&method == &learn::gradient_method) {
    return "method gradient: the usual choice where delta is above 0; `method` names another";
  }
  if (&method == &learn::objective_method) {
    return "method objective: pure privacy for a logistic model of two classes";
  }
  if (&method == &learn::regularized_output_method) {
    return "method regularized-output: pure privacy for units, add_remove, probabilities, counts";
  }
  if (!asked.number() || !asked.records_per_column) {
    return fmt::format("method {}: pure privacy for every loss", method.name);
  }
  return fmt::format(
      "method {}: pure privacy for numbers; {:.4g} records times epsilon per column, {}"
      " {}",
      method.name, *asked.records_per_column, asked.few_records() ? "below" : "not below",
      ladder_records);
}

struct Choice {
  const Method& method;
  std::string reason;
};

Choice choose_method(const ParameterValues& given, const data::Schema& schema) {
  const auto asked = question_of(given, schema);
  if (asked.pure && asked.target == learn::TargetKind::several_classes) {
    throw base::GuaranteeError("delta = 0 asks for pure privacy; {}", learn::way_out(asked));
  }
  const auto order = !asked.pure           ? std::span<const Method* const>(usual_order)
                     : asked.few_records() ? std::span<const Method* const>(few_records_order)
                                           : std::span<const Method* const>(many_records_order);
  const auto first = [&](const Methods& methods) -> const Method& {
    const auto found = std::ranges::find_if(methods, [&](const Method* method) {
      return !method->named_only && learn::suits(*method, asked);
    });
    return found == methods.end() ? *methods.front() : **found;
  };
  const auto demands = demands_of(given);
  auto methods = allowed(order, demands);
  if (methods.empty()) methods = allowed(usual_order, demands);  // its plan says what is missing
  if (methods.empty()) refuse_clash(demands);
  const auto& method = first(methods);
  return {method, why(method, asked, demands, first(Methods(order.begin(), order.end())))};
}

/// The same for a constant, where the noise of every pure method would drown the columns and
/// nothing was given that only some methods read.
std::optional<Choice> choose_pure_constant(const ParameterValues& given,
                                           const data::Schema& schema) {
  const auto asked = question_of(given, schema);
  const auto& drawn = learn::inverse_sensitivity_method;
  if (!asked.pure || !asked.number() || !learn::suits(drawn, asked)) return {};
  if (asked.records_per_column.value_or(constant_records) >= constant_records) return {};
  if (!has_columns(schema) || given.given("boost") || !demands_of(given).empty()) return {};
  return Choice{drawn, fmt::format("method {}: draws a constant; {:.4g} records times epsilon a "
                                   "column, fewer than {}",
                                   drawn.name, *asked.records_per_column, constant_records)};
}

/// The noise in the mean gradient, for gradients of norm 1, if the whole budget went into one
/// release; nothing without a number of records or a delta above 0.
std::optional<double> mean_noise(const data::Schema& schema, const learn::CommonOptions& options) {
  const auto declared =
      options.public_row_count ? options.public_row_count : schema.public_row_count;
  if (!declared || options.delta == 0.0) return std::nullopt;
  learn::Reasons unused;
  const auto delta = learn::resolve_delta(options, *declared, unused);
  const auto values = schema.encoded_column_count() * learn::outputs_of(learn::target_of(schema));
  return std::sqrt(static_cast<double>(values)) *
         learn::full_batch_noise(1, privacy::Epsilon(options.epsilon), delta, options.adjacency) /
         static_cast<double>(*declared);
}

/// Whether a word was given other than the one that leaves the parameter out.
bool chosen(const ParameterValues& values, std::string_view name, std::string_view left_out) {
  return values.text(name).value_or(std::string(left_out)) != left_out;
}

/// Whether the classes are so many that every column is worth its noise, and the weights few
/// enough.
bool keeps_all_columns(const data::Schema& schema) {
  const auto classes = learn::target_of(schema).class_count();
  return classes >= classes_for_all_columns &&
         schema.encoded_column_count() <= max_weights_of_all_columns / classes;
}

/// Columns kept, where that was not given and nothing that was excludes it.
bool keep_columns(ResolvedRequest& request, const data::Schema& schema) {
  auto& values = request.values;
  if (values.given("feature-selection") || chosen(values, "standardise", "none") ||
      chosen(values, "projection", "none")) {
    return chosen(values, "feature-selection", "all");
  }
  if (keeps_all_columns(schema)) return false;
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
    if (choice.noise <= max_net_noise) {
      request.reasons.push_back(fmt::format(
          "with noise up to {:g}, `model=wide` often predicts better; nobody can read such a net",
          max_net_noise));
    }
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
                    const Method& method) {
  if (chosen(request.values, "projection", "none") || !has_columns(schema)) return false;
  request.constant_only = true;
  request.reasons.push_back(
      fmt::format("{}: nothing can be expected to beat a constant here, so no column is read and a "
                  "constant is learned; more records, a larger epsilon or fewer columns change "
                  "that, `method={}` reads the columns all the same",
                  why, method.name));
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
  const double max = numbers ? max_noise_numbers : max_noise_classes;
  const auto curves = request.values.text("curves").value_or("auto");
  const bool wants_columns = curves != "auto" && curves != "none";
  const bool constant = *noise > max && !wants_columns &&
                        learn_constant(request, schema,
                                       fmt::format("noise of {:.3g} for {} columns, above {:g}",
                                                   *noise, schema.encoded_column_count(), max),
                                       learn::gradient_method);
  if (!constant && !use_curves(request, schema)) standardise(request, schema, *noise);
}

/// The same where the guarantee is pure.
void draw_constant(ResolvedRequest& request, const data::Schema& schema) {
  learn_constant(request, schema, "pure noise drowns the columns", learn::phased_erm_method);
  // The target is scaled to [-1, 1]: no constant prediction outside of that is better.
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
  return choose_method(given, schema).method.name;
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
  auto [method, reason] = drawn ? std::move(*constant) : choose_method(given, schema);
  ResolvedRequest request{with_adjacency(given, method), {std::move(reason)}};
  request.values.set("method", method.name);
  const auto options = request.common();
  if (!given.given("adjacency")) {
    request.reasons.push_back(
        fmt::format("adjacency {}: usual for method {}; `adjacency` names another",
                    to_string(options.adjacency), method.name));
  }
  // What each of several runs has of budget and records is planned with them.
  const bool several = given.given("boost") || given.text("radius") == "auto";
  if (several || options.paper()) return request;
  if (&method == &learn::gradient_method) choose_first_release(request, schema);
  if (drawn) draw_constant(request, schema);
  return request;
}

}  // namespace tacet::choose
