#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema_node.h"
#include "tacet/data/schema/spelling.h"
#include "tacet/data/schema/table_reader.h"

/// Reads what a schema says about the form of a file and the spelling of its values.
namespace tacet::data::internal {
namespace {

std::size_t as_encoding(const Node& node) {
  const auto& names = encoding_names();
  const auto& name = as_text(node, "encoding");
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    fail_at(node.where,
            "'encoding' must be one of {}, got \"{}\"; convert a file in another one to UTF-8, as "
            "iconv does",
            fmt::join(names, ", "), name);
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::optional<char> one_character(const Node& node, std::string_view key) {
  const std::string& text = as_text(node, key);
  if (text.size() > 1) {
    fail_at(node.where, "'{}' must be one ASCII character, got \"{}\"", key, text);
  }
  return text.empty() ? std::nullopt : std::optional<char>(text.front());
}

Spelling read_spelling(TableReader& table, const SpellingKeys& keys) {
  Spelling spelling;
  std::string where = table.where();
  if (const Node* node = keys.numbers ? table.find("decimal") : nullptr) {
    where = node->where;
    // An invalid value is not a decimal sign either.
    spelling.decimal = one_character(*node, "decimal").value_or('\0');
  }
  if (const Node* node = keys.numbers ? table.find("thousands") : nullptr) {
    where = node->where;
    spelling.thousands = as_text(*node, "thousands");
  }
  if (const Node* node = keys.numbers ? table.find("symbols") : nullptr) {
    where = node->where;
    spelling.symbols = as_text_or_texts(*node, "symbols");
  }
  if (const Node* node = keys.dates ? table.find("date_format") : nullptr) {
    where = node->where;
    spelling.date_format = as_text(*node, "date_format");
  }
  if (const Node* node = keys.missing ? table.find("missing") : nullptr) {
    spelling.missing = as_text_or_texts(*node, "missing");
  }
  if (const auto fault = spelling_fault(spelling); !fault.empty()) fail_at(where, fault);
  return spelling;
}

FileFormat read_format(const Node& node) {
  TableReader table(node, "format");
  FileFormat format;
  if (const Node* kind = table.find("kind")) {
    std::vector<std::string> names;
    for (const FileKind& known : file_kinds()) names.emplace_back(known.name);
    format.kind = &file_kinds()[as_choice(*kind, "kind", names)];
  }
  if (format.kind->names_columns()) {
    if (const Node* entry = table.find("separator")) {
      const auto character = one_character(*entry, "separator");
      if (!character) fail_at(entry->where, "'separator' must be one character, got none");
      format.separator = *character;
    }
    if (const Node* entry = table.find("quote")) format.quote = one_character(*entry, "quote");
    if (const Node* entry = table.find("header")) format.header = as_flag(*entry, "header");
    if (const Node* entry = table.find("trim")) format.trim = as_flag(*entry, "trim");
    if (const Node* entry = table.find("fill_short")) {
      format.fill_short = as_flag(*entry, "fill_short");
    }
    if (const Node* entry = table.find("names")) format.names = as_texts(*entry, "names");
    if (const Node* entry = table.find("comment"))
      format.comment = one_character(*entry, "comment");
    if (const Node* entry = table.find("encoding")) {
      format.encoding = static_cast<TextEncoding>(as_encoding(*entry));
    }
    format.spelling = read_spelling(table, {});
  }
  if (const Node* entry = format.kind->name == "libsvm" ? table.find("index_base") : nullptr) {
    format.index_base = as_integer(*entry, "index_base");
  }
  table.refuse_unknown_keys();
  check_format(format, node.where);
  return format;
}

}  // namespace tacet::data::internal
