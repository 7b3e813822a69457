#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/learn/plan/parameters.h"

/// Tables of parameters for commands whose options are a struct of their own.
namespace tacet::learn {

/// Values given by a user, by the name of the parameter.
using OptionValues = std::map<std::string, std::string, std::less<>>;

/// A value on its way into the options; not called where none was given.
template <typename Options>
struct OptionReading {
  std::string_view name;
  std::string_view range;
  const std::string& text;
  Options& options;

  [[noreturn]] void refuse() const {
    throw base::UsageError("{} must be {}, got '{}'", name, range, text);
  }
  [[nodiscard]] double real(double lowest, double highest) const {
    const double value = parse_real(name, text);
    if (!(value >= lowest && value <= highest)) refuse();
    return value;
  }
  [[nodiscard]] std::int64_t integer(std::int64_t lowest, std::int64_t highest) const {
    const auto value = parse_integer(name, text);
    if (value < lowest || value > highest) refuse();
    return value;
  }
  [[nodiscard]] std::size_t word(std::initializer_list<std::string_view> words) const {
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) refuse();
    return static_cast<std::size_t>(found - words.begin());
  }
};

/// A public parameter, as in parameters(), and how its value is read.
template <typename Options>
struct OptionRow {
  std::string_view name;
  ParameterType type;
  std::string_view range;
  std::string_view default_value;
  std::string_view help;
  PrivacyRelevance relevance;
  void (*read)(const OptionReading<Options>&);
};

/// Reads what was given, row by row in their order; rows without a reader are somebody else's.
/// UsageError for a name that no row has, and for a value that is not allowed: it names the
/// parameter, what was given and what is allowed.
template <typename Options>
void read_options(std::span<const OptionRow<Options>> rows, const OptionValues& values,
                  Options& options) {
  for (const auto& [name, text] : values) {
    if (std::ranges::find(rows, std::string_view(name), &OptionRow<Options>::name) == rows.end()) {
      throw base::UsageError("there is no parameter named {}", name);
    }
  }
  for (const auto& row : rows) {
    const auto given = values.find(row.name);
    if (row.read == nullptr || given == values.end()) continue;
    row.read({row.name, row.range, given->second, options});
  }
}

}  // namespace tacet::learn
