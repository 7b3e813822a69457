#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tacet::data {

struct Missing {};

/// A date, which only columns of dates know; elsewhere it is missing.
struct Day {
  std::int64_t number;  ///< days since 1970-01-01
};

struct ListItem;
/// Several values in one column, which only columns of ids know; elsewhere they are missing.
struct List {
  const ListItem* items;
  std::size_t count;

  [[nodiscard]] std::span<const ListItem> entries() const;
};

/// What a record holds in one column: the text of a file's field, or a value that has a type. Texts
/// and lists are views. Equal values have equal features: a typed one is what a file would spell
/// (see spelling), a number that is not one is missing.
using Value = std::variant<Missing, bool, std::int64_t, double, Day, std::string_view, float, List>;

/// No list itself.
struct ListItem {
  Value value;
};

inline std::span<const ListItem> List::entries() const { return {items, count}; }

/// Room for a spelling.
using SpellingRoom = std::array<char, 40>;

/// How a file would spell a value: an integer by its decimal digits, also where it is held as a
/// float, another float in its shortest form (0.1 of single precision as 0.1), a boolean as true or
/// false, what is missing, a date or a list as no text. Numbers that are equal are spelt alike.
[[nodiscard]] std::string_view spelling(const Value& value, SpellingRoom& room);

/// The text that a file would hold for a value: its spelling, for a date YYYY-MM-DD, for a list its
/// entries with blanks between them. Valid until the next one.
class FileText {
 public:
  /// The text of that value.
  [[nodiscard]] std::string_view of(const Value& value);

 private:
  SpellingRoom room_{};
  std::string text_;
};

}  // namespace tacet::data
