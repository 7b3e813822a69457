#include "tacet/data/schema/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tacet/base/text.h"

namespace tacet::data::internal {

TableReader::TableReader(const Node& node, std::string_view what) : node_(node) {
  table_ = std::get_if<NodeTable>(&node.value);
  if (table_ == nullptr) fail_at(node.where, "{} must be a table", what);
}

const Node* TableReader::find(std::string_view key) {
  known_.emplace_back(key);
  for (const auto& [name, value] : *table_) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Node& TableReader::require(std::string_view key) {
  const Node* found = find(key);
  if (found == nullptr) fail_at(node_.where, "key '{}' is missing{}", key, misspelt(key));
  return *found;
}

const Node& TableReader::require_public(std::string_view key) {
  const Node* found = find(key);
  if (found != nullptr) return *found;
  const auto meant = misspelt(key);
  fail_at(
      node_.where,
      fmt::format("key '{}' is missing{}", key,
                  meant.empty() ? "; it is public knowledge and never taken from the data: where "
                                  "nobody knows it, `schema.fit` finds it, which costs an epsilon"
                                : meant));
}

void TableReader::refuse_unknown_keys() const {
  for (const auto& [name, value] : *table_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string near = base::nearest_word(name, known_);
    fail_at(value.where,
            near.empty()
                ? fmt::format("unknown key '{}'; known here: {}", name, fmt::join(known_, ", "))
                : fmt::format("unknown key '{}'; did you mean '{}'?", name, near));
  }
}

std::string TableReader::misspelt(std::string_view key) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : *table_) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) names.push_back(name);
  }
  const auto near = base::nearest_word(key, names);
  return near.empty() ? std::string()
                      : fmt::format("; '{}' is there, did you mean '{}'?", near, key);
}

const std::string& as_text(const Node& node, std::string_view key) {
  const auto* text = std::get_if<std::string>(&node.value);
  if (text == nullptr) {
    fail_at(node.where, "'{}' must be text in quotes, as the file spells it", key);
  }
  return *text;
}

double as_number(const Node& node, std::string_view key) {
  if (const auto* real = std::get_if<double>(&node.value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    return static_cast<double>(*integer);
  }
  fail_at(node.where, "'{}' must be a number", key);
}

std::int64_t as_integer(const Node& node, std::string_view key) {
  const auto* integer = std::get_if<std::int64_t>(&node.value);
  if (integer == nullptr) fail_at(node.where, "'{}' must be a whole number", key);
  return *integer;
}

bool as_flag(const Node& node, std::string_view key) {
  const auto* flag = std::get_if<bool>(&node.value);
  if (flag == nullptr) fail_at(node.where, "'{}' must be true or false", key);
  return *flag;
}

const NodeArray& as_list(const Node& node, std::string_view key) {
  const auto* array = std::get_if<NodeArray>(&node.value);
  if (array == nullptr) fail_at(node.where, "'{}' must be a list", key);
  return *array;
}

std::vector<std::string> as_texts(const Node& node, std::string_view key) {
  const auto* array = std::get_if<NodeArray>(&node.value);
  if (array == nullptr) fail_at(node.where, "'{}' must be a list of texts in quotes", key);
  std::vector<std::string> texts;
  texts.reserve(array->size());
  for (const Node& entry : *array) texts.push_back(as_text(entry, key));
  return texts;
}

std::vector<std::string> as_text_or_texts(const Node& node, std::string_view key) {
  if (std::holds_alternative<std::string>(node.value)) return {as_text(node, key)};
  return as_texts(node, key);
}

std::size_t as_choice(const Node& node, std::string_view key,
                      const std::vector<std::string>& words) {
  const std::string& text = as_text(node, key);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    fail_at(node.where, "'{}' must be one of {}, got \"{}\"", key, fmt::join(words, ", "), text);
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace tacet::data::internal
