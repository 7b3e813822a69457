#include <fmt/format.h>

#include <toml++/toml.h>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/data/schema/toml_limits.h"

namespace tacet::data::internal {
namespace {

std::string place(std::string_view file_name, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", file_name, source.begin.line, source.begin.column);
}

Node convert(const toml::node& source, std::string_view file_name, int depth) {
  Node node;
  node.where = place(file_name, source.source());
  if (depth > base::limits::schema_depth) fail_at(node.where, "nested deeper than any schema");
  if (const auto* table = source.as_table()) {
    NodeTable entries;
    for (const auto& [key, value] : *table) {
      entries.push_back({std::string(key.str()), convert(value, file_name, depth + 1)});
    }
    node.value = std::move(entries);
  } else if (const auto* array = source.as_array()) {
    NodeArray entries;
    entries.reserve(array->size());
    for (const auto& value : *array) entries.push_back(convert(value, file_name, depth + 1));
    node.value = std::move(entries);
  } else if (const auto* text = source.as_string()) {
    node.value = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.value = integer->get();
  } else if (const auto* real = source.as_floating_point()) {
    node.value = real->get();
  } else if (const auto* flag = source.as_boolean()) {
    node.value = flag->get();
  } else {
    fail_at(node.where, "a schema holds no dates or times; write them as text in quotes");
  }
  return node;
}

}  // namespace

Node node_from_toml(std::string_view text, std::string_view file_name) {
  check_toml_limits(text, file_name);
  try {
    const toml::table table = toml::parse(text, file_name);
    Node root = convert(table, file_name, 0);
    root.where = std::string(file_name);
    return root;
  } catch (const toml::parse_error& error) {
    throw base::DataError(
        fmt::format("{}: {}", place(file_name, error.source()), error.description()));
  }
}

}  // namespace tacet::data::internal
