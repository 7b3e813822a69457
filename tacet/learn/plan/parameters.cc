#include "tacet/learn/plan/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/base/parameter_names.h"
#include "tacet/base/text.h"

namespace tacet::learn {
namespace {

[[noreturn]] void refuse(const Parameter& parameter, std::string_view text) {
  const char* const quote = parameter.type == ParameterType::text ? "'" : "";
  const auto& note = parameter.range.note;
  throw base::UsageError("{0} must be {1}, got {2}{3}{2}{4}", base::parameter_name(parameter.name),
                         parameter.range.allowed(), quote, text,
                         note.empty() ? "" : fmt::format(" ({})", note));
}

bool allows_number(const Range& range, std::string_view name, std::string_view text) {
  return std::holds_alternative<Integers>(range.numbers) ? range.allows(parse_integer(name, text))
                                                         : range.allows(parse_real(name, text));
}

/// Whether the range allows the value of a text, which need not be a number.
bool allows_numbers(const Parameter& parameter, std::string_view text) {
  const auto items = base::split_at_commas(text);
  if (items.size() > parameter.range.max_items) return false;
  return std::ranges::all_of(items, [&](const std::string& item) {
    try {
      return allows_number(parameter.range, parameter.name, item);
    } catch (const base::UsageError&) {
      return false;
    }
  });
}

}  // namespace

const Parameter* find_parameter(std::string_view name, std::span<const Parameter> table) {
  const auto found = std::ranges::find(table, name, &Parameter::name);
  return found == table.end() ? nullptr : &*found;
}

void check_value(const Parameter& parameter, std::string_view text) {
  const auto& range = parameter.range;
  const bool has_numbers = !std::holds_alternative<std::monostate>(range.numbers);
  if (parameter.type == ParameterType::text) {
    if (const auto fault = base::empty_part_fault(text); range.is_list && !fault.empty()) {
      throw base::UsageError("{}: {}", base::parameter_name(parameter.name), fault);
    }
    if (range.words.has(text) || range.listed != nullptr || !range.form.empty()) return;
    if (!has_numbers || !allows_numbers(parameter, text)) refuse(parameter, text);
  } else if (!has_numbers) {
    (void)parse_real(parameter.name, text);
  } else if (!allows_number(range, parameter.name, text)) {
    refuse(parameter, text);
  }
}

bool says_default(const Parameter& parameter, std::string_view text) {
  const auto words = parameter.default_value;
  return words.substr(0, words.find_first_of(":;")) == text;
}

void check_values(std::span<const Parameter> table, const OptionValues& values) {
  for (const auto& [name, text] : values) {
    const auto* parameter = find_parameter(name, table);
    if (parameter == nullptr) throw base::UsageError("there is no parameter named {}", name);
    check_value(*parameter, text);
  }
}

ParameterValue::ParameterValue(double value) : text_(fmt::format("{}", value)) {}
ParameterValue::ParameterValue(privacy::Adjacency adjacency) : text_(to_string(adjacency)) {}
ParameterValue::ParameterValue(model::Loss loss)
    : text_(model::loss_name(loss)), loss_(std::move(loss)) {}

ParameterValues::ParameterValues(
    std::initializer_list<std::pair<std::string_view, ParameterValue>> values) {
  for (const auto& [name, value] : values) set(name, value);
}

void ParameterValues::set(std::string_view name, const ParameterValue& value) {
  check_values(parameters(), {{std::string(name), value.text()}});
  values_.insert_or_assign(std::string(name), value.text());
  if (name != "loss") return;
  custom_loss_.reset();
  if (!value.loss()) return;
  const auto& loss = *value.loss();
  if (model::is_custom(loss)) custom_loss_ = loss;
  for (const auto& [own, number] : {std::pair{"loss-parameter", model::loss_parameter(loss)},
                                    std::pair{"loss-width", model::loss_width(loss)}}) {
    erase(own);
    if (!std::isnan(number)) set(own, number);
  }
}

void ParameterValues::erase(std::string_view name) {
  const auto given = values_.find(name);
  if (given != values_.end()) values_.erase(given);
  if (name != "loss") return;
  custom_loss_.reset();
  values_.erase("loss-parameter");  // which are the loss's own
  values_.erase("loss-width");
}

std::optional<model::Loss> ParameterValues::loss() const {
  return custom_loss_ ? custom_loss_ : loss_of(values_);
}

std::optional<model::Loss> loss_of(const OptionValues& values) {
  constexpr double usual = std::numeric_limits<double>::quiet_NaN();  // the loss's own
  const auto number = [&](std::string_view name) {
    const auto given = values.find(name);
    return given == values.end() ? usual : parse_real(name, given->second);
  };
  const auto name = values.find("loss");
  if (name != values.end()) {
    return model::make_loss(name->second, number("loss-parameter"), number("loss-width"));
  }
  for (const auto* needing : {"loss-parameter", "loss-width"}) {
    if (!values.contains(needing)) continue;
    throw base::UsageError("{} needs a loss that has one; add `loss`",
                           base::parameter_name(needing));
  }
  return std::nullopt;
}

double checked_epsilon(const OptionValues& values) {
  const auto given = values.find("epsilon");
  if (given != values.end()) return parse_real("epsilon", given->second);
  throw base::UsageError(
      "epsilon is missing; give `epsilon` (1 is usual; inf trains without protection)");
}

bool ParameterValues::given(std::string_view name) const { return values_.contains(name); }

std::optional<std::string> ParameterValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> ParameterValues::real(std::string_view name) const {
  const auto value = text(name);
  return value ? std::optional(parse_real(name, *value)) : std::nullopt;
}

std::optional<std::int64_t> ParameterValues::integer(std::string_view name) const {
  const auto value = text(name);
  return value ? std::optional(parse_integer(name, *value)) : std::nullopt;
}

double parse_real(std::string_view parameter, std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || std::isnan(value)) {
    throw base::UsageError("{} must be a number, got '{}'; write it like 0.5, 1e-5 or inf",
                           base::parameter_name(parameter), text);
  }
  return value;
}

std::int64_t parse_integer(std::string_view parameter, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) {
    throw base::UsageError("{} must be a whole number, got '{}'", base::parameter_name(parameter),
                           text);
  }
  return value;
}

}  // namespace tacet::learn
