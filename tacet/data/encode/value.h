#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tacet::data {

struct Missing {};

/// A date. Only columns of dates read it; elsewhere it is missing.
struct Day {
  std::int64_t number;  ///< days since 1970-01-01
};

struct ListItem;
/// Several values in one field. Only columns of ids read them; elsewhere they are missing.
struct List {
  const ListItem* items;
  std::size_t count;

  [[nodiscard]] std::span<const ListItem> entries() const;
};

/// The value of a record in one column: the text of a field in a file, or a typed value. Texts and
/// lists are views. Equal values have equal features: a typed value counts as the text that a file
/// would contain (see spelling), and NaN is missing.
using Value = std::variant<Missing, bool, std::int64_t, double, Day, std::string_view, float, List>;

/// An entry of a list, which cannot be a list itself.
struct ListItem {
  Value value;
};

inline std::span<const ListItem> List::entries() const { return {items, count}; }

/// Room for a spelling.
using SpellingRoom = std::array<char, 40>;

/// The text that a file would contain for a value. An integer has its decimal digits, even if it is
/// stored as a float. Another float has its shortest form (the float 0.1 gives 0.1). A boolean is
/// true or false. Missing values, dates and lists give an empty text. Equal numbers have equal
/// spellings.
[[nodiscard]] std::string_view spelling(const Value& value, SpellingRoom& room);

/// The text that a file would contain for any value: its spelling, YYYY-MM-DD for a date, and the
/// entries of a list with blanks between them. Valid until the next one.
class FileText {
 public:
  /// The text of that value.
  [[nodiscard]] std::string_view of(const Value& value);

 private:
  SpellingRoom room_{};
  std::string text_;
};

}  // namespace tacet::data
