#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema_node.h"

/// How the parser of schemas reads the keys of one table, each fault with its place.
namespace tacet::data::internal {

/// Reads the entries of one table by key and remembers which keys exist, so that a misspelt one is
/// named with its likely meaning.
class TableReader {
 public:
  TableReader(const Node& node, std::string_view what);

  const Node* find(std::string_view key);  ///< null: the table has no such key
  const Node& require(std::string_view key);
  /// A bound or a list that must be public: without it, the message says what finding it costs.
  const Node& require_public(std::string_view key);
  void refuse_unknown_keys() const;

  [[nodiscard]] const std::string& where() const { return node_.where; }

 private:
  /// The key of the table that may be meant by a missing one.
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
/// One of a few words; the index of the word found.
[[nodiscard]] std::size_t as_choice(const Node& node, std::string_view key,
                                    const std::vector<std::string>& words);

/// The keys of a column that holds numbers, or dates.
[[nodiscard]] NumericColumn numeric_column(TableReader& table, bool date);

/// At most one ASCII character; nothing of an empty text.
[[nodiscard]] std::optional<char> one_character(const Node& node, std::string_view key);

/// Which keys of a spelling a table may have.
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

/// Refuses what no schema is, before a parser makes a tree of it: more than limits::schema_values
/// keys and values, or dotted keys, tables and lists deeper than limits::schema_depth. A tree of
/// 20,000 levels would end its parser by the end of the stack. DataError `file_name:line: ...`.
///
/// Strings and comments are told apart as in TOML 1.0; of a text that is no TOML only what stands
/// before the first fault is looked at rightly, and a parser reads no further.
void check_toml_limits(std::string_view text, std::string_view file_name);

}  // namespace tacet::data::internal
