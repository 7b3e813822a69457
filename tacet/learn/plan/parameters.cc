#include "tacet/learn/plan/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {

void ParameterValues::set(std::string_view name, std::string value) {
  const auto* parameter = find_parameter(name);
  if (parameter == nullptr) throw base::UsageError("there is no parameter named {}", name);
  if (parameter->type == ParameterType::real) (void)parse_real(name, value);
  if (parameter->type == ParameterType::integer) (void)parse_integer(name, value);
  values_.insert_or_assign(std::string(name), std::move(value));
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

std::optional<double> Reading::real(bool (*holds)(double), std::string_view allowed) const {
  const auto value = values.real(parameter.name);
  if (!value || holds(*value)) return value;
  throw base::UsageError("{} must be {}, got {}", parameter.name,
                         allowed.empty() ? parameter.range : allowed, *value);
}

std::optional<std::int64_t> Reading::integer(std::int64_t lowest, std::int64_t highest) const {
  const auto value = values.integer(parameter.name);
  if (!value || (*value >= lowest && *value <= highest)) return value;
  throw base::UsageError("{} must be {} to {}, got {}", parameter.name, lowest, highest, *value);
}

std::size_t Reading::word(std::initializer_list<std::string_view> words) const {
  const auto given = text();
  if (!given) return 0;
  const auto found = std::ranges::find(words, *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw base::UsageError("{} must be {}, got '{}'", parameter.name, parameter.range, *given);
}

double parse_real(std::string_view parameter, std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || std::isnan(value)) {
    throw base::UsageError("{} must be a number, got '{}'; write it like 0.5, 1e-5 or inf",
                           parameter, text);
  }
  return value;
}

std::int64_t parse_integer(std::string_view parameter, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) {
    throw base::UsageError("{} must be a whole number, got '{}'", parameter, text);
  }
  return value;
}

}  // namespace tacet::learn
