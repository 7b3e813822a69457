#include <fmt/format.h>

#include <toml++/toml.h>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/file_text.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/data/schema/table_reader.h"
#include "tacet/data/utf8.h"

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
    throw base::DataError("{}: {}", place(file_name, error.source()), error.description());
  }
}

}  // namespace tacet::data::internal

namespace tacet::data {

Schema schema_from_toml(std::string_view text, std::string_view file_name) {
  return internal::schema_from_node(internal::node_from_toml(text, file_name));
}

namespace {

/// Refuses a file that is not a schema, by its first line that is not blank: it must be a key or a
/// table in TOML. The message does not quote it, since it may be a record.
void refuse_other_files(std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (line[first] == '[' || line.find('=') != std::string_view::npos) return;
    throw base::DataError(
        line[first] == '{'
            ? fmt::format("'{}' is JSON, not a schema; a schema is a TOML file, and a model file "
                          "holds the one that it was trained with",
                          name)
            : fmt::format("'{}' is no schema: its first line is neither a key nor a table of TOML. "
                          "The schema goes into `schema`, the records do not",
                          name));
  }
}

}  // namespace

Schema schema_of_file(std::string_view text, const std::string& file_name) {
  refuse_other_files(without_byte_order_mark(text), file_name);
  return schema_from_toml(text, file_name);
}

Schema load_schema(const std::filesystem::path& file) {
  return schema_of_file(read_text_file(file), file.string());
}

}  // namespace tacet::data
