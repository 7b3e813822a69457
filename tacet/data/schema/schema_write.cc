#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/data/schema/schema.h"

namespace tacet::data {
namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_value(const json& value) {
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  if (value.is_object()) {
    std::string inside;
    for (const auto& entry : value.items()) {
      inside += fmt::format("{}{} = {}", inside.empty() ? "" : ", ", quoted(entry.key()),
                            toml_value(entry.value()));
    }
    return "{ " + inside + " }";
  }
  std::string out = "[";
  for (const json& entry : value) {
    if (out.size() > 1) out += ", ";
    out += toml_value(entry);
  }
  return out + "]";
}

void write_keys(const json& table, std::initializer_list<const char*> first, std::string& out) {
  for (const char* key : first) {
    if (table.contains(key)) out += fmt::format("{} = {}\n", key, toml_value(table[key]));
  }
  for (const auto& entry : table.items()) {
    const std::string& key = entry.key();
    const json& value = entry.value();
    const bool written =
        std::any_of(first.begin(), first.end(), [&key](const char* name) { return key == name; });
    const bool table_follows =
        value.is_object() || (value.is_array() && !value.empty() && value[0].is_object());
    if (!written && !table_follows) out += fmt::format("{} = {}\n", key, toml_value(value));
  }
}

}  // namespace

std::string schema_to_toml(const Schema& schema, const ColumnRemarks& remarks) {
  const json tree = schema_to_json(schema);
  std::string out;
  write_keys(tree, {"version", "name", "description"}, out);
  for (const char* key : {"cost", "projection", "curves", "format", "target", "features"}) {
    if (!tree.contains(key)) continue;
    const auto table = fmt::format("[{}]", key);
    const auto remark = remarks.find(table);
    out += remark == remarks.end() ? "\n" : fmt::format("\n# {}\n", remark->second);
    out += table + "\n";
    write_keys(tree[key],
               {"id", "unit", "max_records_per_unit", "epsilon", "delta", "kind", "column",
                "class_weights"},
               out);
  }
  if (tree.contains("column")) {
    for (const json& column : tree["column"]) {
      const auto remark = remarks.find(column["name"].get_ref<const std::string&>());
      out += remark == remarks.end() ? "\n" : fmt::format("\n# {}\n", remark->second);
      out += "[[column]]\n";
      write_keys(column, {"name", "kind"}, out);
    }
  }
  return out;
}

}  // namespace tacet::data
