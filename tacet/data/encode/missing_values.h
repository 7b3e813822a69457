#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tacet/data/encode/value.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The schema's words for a missing value, and the numbers that some of them spell.
class MissingValues {
 public:
  /// `more`: further words, those of one column.
  explicit MissingValues(std::span<const std::string> texts, std::span<const std::string> more = {})
      : texts_(texts.begin(), texts.end()) {
    texts_.insert(texts_.end(), more.begin(), more.end());
    for (const std::string& text : texts_) {
      if (text.empty()) empty_is_one_ = true;
      if (!text.empty()) first_[static_cast<unsigned char>(text.front())] = true;
      if (const auto number = parse_number(text)) numbers_.push_back(*number);
    }
  }

  /// A list counts as missing here. Columns of ids, which read lists, ask about each entry instead.
  [[nodiscard]] bool has(const Value& value) const {
    if (const auto* text = std::get_if<std::string_view>(&value)) return has_text(*text);
    if (const auto* number = std::get_if<double>(&value)) {
      return std::isnan(*number) || has_number(*number);
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      return has_number(static_cast<double>(*number));
    }
    if (const auto* number = std::get_if<float>(&value)) {
      SpellingRoom room;
      const auto spelt = parse_number(spelling(*number, room));
      return std::isnan(*number) || (spelt && has_number(*spelt));
    }
    return std::holds_alternative<Missing>(value) || std::holds_alternative<List>(value);
  }
  /// Whether one of the words spells the number: with -999 among them, -999.0 is missing too in a
  /// column of numbers.
  [[nodiscard]] bool has_number(double number) const {
    return std::ranges::find(numbers_, number) != numbers_.end();
  }

 private:
  [[nodiscard]] bool has_text(std::string_view text) const {
    if (text.empty()) return empty_is_one_;
    if (!first_[static_cast<unsigned char>(text.front())]) return false;
    return std::ranges::find(texts_, text) != texts_.end();
  }

  std::vector<std::string> texts_;
  std::vector<double> numbers_;
  bool empty_is_one_ = false;
  std::array<bool, 256> first_{};  // characters that a missing value can begin with
};

/// The missing values of each column: those of the schema, and its own.
class ColumnMissingValues {
 public:
  explicit ColumnMissingValues(const Schema& schema) : of_file_(schema.missing) {
    for (const Column& column : schema.columns) {
      const auto& own = column.spelling.missing;
      if (!own.empty()) own_.try_emplace(column.name, schema.missing, own);
    }
  }

  /// The reference is valid as long as this object.
  [[nodiscard]] const MissingValues& of(const std::string& column) const {
    const auto found = own_.find(column);
    return found == own_.end() ? of_file_ : found->second;
  }

 private:
  MissingValues of_file_;
  std::unordered_map<std::string, MissingValues> own_;
};

}  // namespace tacet::data
