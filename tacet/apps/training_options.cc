#include "tacet/apps/training_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/base/text.h"
#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/privacy/decimal.h"

namespace tacet::apps {
namespace {

std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string value_text(const std::variant<std::int64_t, double, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *count);
  return std::get<std::string>(value);
}

/// A table speaks of its own parameters alone, so that each name is an option.
std::optional<std::string> option_of(std::string_view name, std::optional<std::string_view> value) {
  auto option = "--" + std::string(name);
  std::ranges::replace(option, '_', '-');
  return value ? fmt::format("{} {}", option, *value) : option;
}

/// The options that a new user needs, also those that TrainingRun and the commands declare. Help
/// shows them first.
const std::vector<std::string> first_options{"--schema",
                                             "--epsilon",
                                             "--delta",
                                             "--adjacency",
                                             "--method",
                                             "--loss",
                                             "--max-records-per-unit",
                                             "--ledger",
                                             "--data-set",
                                             "--grid",
                                             "--output",
                                             "--force",
                                             "--explain",
                                             "--json",
                                             "--quiet"};

char upper_case(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

struct Heading {
  std::vector<std::string_view> readers;  // none: all methods
  std::vector<const learn::Parameter*> parameters;
};

/// Parameters of one heading together: what every method reads first, then by the methods that do.
std::vector<Heading> by_heading() {
  std::vector<Heading> out{{}};
  for (const auto& parameter : learn::parameters()) {
    const auto readers = learn::readers_of(parameter.name);
    auto heading = std::ranges::find(out, readers, &Heading::readers);
    if (heading == out.end()) heading = out.insert(out.end(), {readers, {}});
    heading->parameters.push_back(&parameter);
  }
  return out;
}

}  // namespace

void add_parameter(Options& options, const learn::Parameter& parameter,
                   learn::OptionValues& given) {
  constexpr std::array kinds{"COUNT", "NUMBER", "NAME"};  // as learn::ParameterType
  std::string kind(parameter.unit);
  if (kind.empty()) kind = kinds.at(static_cast<std::size_t>(parameter.type));
  std::ranges::transform(kind, kind.begin(), upper_case);
  std::string help(parameter.help);
  help.front() = upper_case(help.front());
  const std::string name(parameter.name);
  const auto about = base::spell_parameters(
      fmt::format("{} [{}; default: {}]", help, parameter.range.text(), parameter.default_value),
      option_of);
  options.add(
      "--" + name, [&given, name](const std::string& value) { given[name] = value; }, kind, about);
  std::vector<std::string> words(parameter.range.words.all().begin(),
                                 parameter.range.words.all().end());
  if (parameter.range.listed != nullptr) {
    const auto listed = parameter.range.listed();
    words.insert(words.end(), listed.begin(), listed.end());
  }
  options.offer("--" + name, std::move(words));
}

void TrainingOptions::declare(Options& options) {
  options.add("--schema,-s", schema_, "FILE",
              "Schema file (TOML): which columns count, and their bounds");
  options.add("--total-epsilon", total_epsilon_, "NUMBER",
              "Instead of --epsilon: what the training and the fit of the schema spend together");
  for (const auto& [readers, parameters] : by_heading()) {
    options.heading(readers.empty() ? std::string("For every method")
                                    : fmt::format("For {}", fmt::join(readers, ", ")),
                    {readers.begin(), readers.end()});
    for (const auto* parameter : parameters) add_parameter(options, *parameter, given_);
  }
  for (const auto* method : learn::methods()) {
    options.describe(std::string(method->name), learn::described(*method));
  }
  options.heading("Options");
  options.show_first(first_options);
}

void TrainingOptions::fit_to(const std::optional<run::AccountTerms>& terms,
                             const Console& console) {
  const auto given = request().values();
  const auto epsilon = given.real("epsilon");
  if (!terms || !epsilon || std::isinf(*epsilon)) return;
  GuaranteeChoice choice{.adjacency = given.text("adjacency").value_or(""),
                         .usual_adjacency = terms->adjacency,
                         .delta = given.text("delta").value_or("")};
  if (choice.adjacency.empty()) given_["adjacency"] = to_string(terms->adjacency);
  if (!choice.delta.empty()) return;
  auto rows = given.integer("public-row-count");
  if (!rows) rows = schema().public_row_count;
  if (rows && *rows > 0) choice.usual_delta = learn::default_delta(*rows);
  const auto delta = chosen_delta(choice, terms, console);
  if (delta && delta != choice.usual_delta) given_["delta"] = fmt::format("{}", *delta);
}

choose::Request TrainingOptions::request() const {
  choose::Request request(choose::usual_for_method);
  for (const auto& [name, value] : given_) request.set(name, value);
  if (!total_epsilon_.empty()) request.set("total-epsilon", total_epsilon_);
  return request;
}

std::vector<double> TrainingOptions::epsilons() const {
  const auto found = given_.find("epsilon");
  if (found == given_.end()) return {0.1, 0.5, 1, 2, 4};
  std::vector<double> out;
  for (const auto& part : base::split_at_commas(found->second)) {
    out.push_back(
        number_option("--epsilon", part, "a number above 0, or several separated by commas"));
  }
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
  return out;
}

choose::Request TrainingOptions::request_without_epsilon() const {
  if (!total_epsilon_.empty()) {
    throw base::UsageError("--total-epsilon is one number; compare several with --epsilon");
  }
  choose::Request request(choose::usual_for_method);
  for (const auto& [name, value] : given_) {
    if (name != "epsilon") request.set(name, value);
  }
  return request;
}

std::string TrainingOptions::words_without_epsilon() const {
  std::string out = " --schema " + shell_word(schema_);
  for (const auto& [name, value] : given_) {
    if (name != "epsilon") out += fmt::format(" --{} {}", name, shell_word(value));
  }
  return out;
}

data::Schema TrainingOptions::schema() const {
  if (schema_.empty()) {
    throw base::UsageError(
        "--schema is missing: a file that says which columns count and their public bounds; "
        "nothing of it is ever guessed from private data");
  }
  if (!loaded_) loaded_ = data::load_schema(schema_);
  return *loaded_;
}

learn::Training spelled(learn::Training plan, const Console& console) {
  for (auto& reason : plan.reasons) reason = console.spelled(reason);
  return plan;
}

std::string plan_text(const learn::Training& plan) {
  std::string out;
  for (const auto& reason : plan.reasons) out += "  " + wrapped(reason, 92, "    ") + "\n";
  if (plan.unprotected()) return out;
  TextTable table({"  method", plan.method});
  table.add({"  epsilon", privacy::rounded_up(plan.guarantee.epsilon, 6)});
  table.add({"  delta", privacy::rounded_up(plan.guarantee.delta, 6)});
  table.add({"  adjacency", to_string(plan.guarantee.adjacency)});
  for (const auto& setting : plan.settings) {
    if (!setting.shown.table) continue;
    table.add({"  " + spaced(setting.name), value_text(setting.value)});
  }
  return out + "\n" + table.text();
}

std::string choices_text(const learn::Training& plan) {
  if (plan.unprotected()) return plan_text(plan);
  const auto reason_of = [&](std::string_view what) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(
        plan.reasons, [&](const auto& reason) { return reason.starts_with(what); });
    return found == plan.reasons.end() ? std::nullopt : std::optional(*found);
  };
  auto target = reason_of("labels:");
  if (!target) target = reason_of("loss ");
  std::string out;
  for (const auto& line : {std::optional(reason_of("method ").value_or("method " + plan.method)),
                           target, reason_of("delta ")}) {
    if (line) out += "  " + wrapped(*line, 92, "    ") + "\n";
  }
  // A model that reads no column is what nobody expects.
  for (const auto& reason : plan.reasons) {
    if (reason.find("a constant is learned") == std::string::npos) continue;
    out += "  " + wrapped(reason, 92, "    ") + "\n";
  }
  return out;
}

std::string fit_share_text(const data::Schema& schema, privacy::Adjacency adjacency) {
  if (!schema.cost || !schema.cost->unprotected_reason.empty()) return {};
  const auto share = data::cost_between(schema, adjacency).guarantee;
  return paragraph(fmt::format(
      "Of this, epsilon {} and delta {} are for the fit of the schema. Another model with the same "
      "schema does not pay it again in the same ledger.",
      privacy::rounded_up(share.epsilon, 6), privacy::rounded_up(share.delta, 6)));
}

}  // namespace tacet::apps
