#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema_node.h"

/// Reads the keys of one table of a schema; each error names the place.
namespace tacet::data::internal {

/// Reads the entries of a table by key, and remembers which keys exist. So a misspelt key is
/// reported with its likely meaning.
class TableReader {
 public:
  TableReader(const Node& node, std::string_view what);

  const Node* find(std::string_view key);  ///< null: the table has no such key
  const Node& require(std::string_view key);
  /// A bound or a list that must be public. If it is missing, the message says what it would cost
  /// to find it.
  const Node& require_public(std::string_view key);
  void refuse_unknown_keys() const;

  [[nodiscard]] const std::string& where() const { return node_.where; }

 private:
  /// A key of the table that may be a misspelling of the missing one.
  [[nodiscard]] std::string misspelt(std::string_view key) const;

  const Node& node_;
  const NodeTable* table_;
  std::vector<std::string> known_;
};

[[nodiscard]] const std::string& as_text(const Node& node, std::string_view key);
[[nodiscard]] double as_number(const Node& node, std::string_view key);
[[nodiscard]] std::int64_t as_integer(const Node& node, std::string_view key);
[[nodiscard]] bool as_flag(const Node& node, std::string_view key);
[[nodiscard]] const NodeArray& as_list(const Node& node, std::string_view key);
[[nodiscard]] std::vector<std::string> as_texts(const Node& node, std::string_view key);
[[nodiscard]] std::vector<std::string> as_text_or_texts(const Node& node, std::string_view key);
/// One of a few words; returns its index.
[[nodiscard]] std::size_t as_choice(const Node& node, std::string_view key,
                                    const std::vector<std::string>& words);

/// The keys of a column that holds numbers, or dates.
[[nodiscard]] NumericColumn numeric_column(TableReader& table, bool date);

/// At most one ASCII character; nothing of an empty text.
[[nodiscard]] std::optional<char> one_character(const Node& node, std::string_view key);

/// The keys of a spelling that a table may have.
struct SpellingKeys {
  bool numbers = true;   ///< decimal, thousands, symbols
  bool dates = true;     ///< date_format
  bool missing = false;  ///< further missing values
};
[[nodiscard]] Spelling read_spelling(TableReader& table, const SpellingKeys& keys);

/// The table [format].
[[nodiscard]] FileFormat read_format(const Node& node);
/// The table [target].
[[nodiscard]] Target read_target(const Node& node);

/// Refuses a text that cannot be a schema, before a parser makes a tree of it: more than
/// limits::schema_values keys and values, or dotted keys, tables and lists deeper than
/// limits::schema_depth. A tree of 20,000 levels would overflow the parser's stack. DataError
/// `file_name:line: ...`.
///
/// It recognises strings and comments as TOML 1.0 does. If the text is not TOML, this is right up
/// to the first error, and the parser reads no further than that.
void check_toml_limits(std::string_view text, std::string_view file_name);

}  // namespace tacet::data::internal
