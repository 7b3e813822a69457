#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/names.h"

/// The values that a parameter allows, as data: `1 to 2^32`, `auto, none or 2 to 64`. The check of
/// a value and the words that help, documents and refusals print are both made from it.
///
///     constexpr auto knots = integers(2, 64).or_words({"auto", "none"});
///     knots.allows(std::int64_t{65});  // false
///     knots.text();                    // "auto, none or 2 to 64"
namespace tacet::learn {

/// Whole numbers, both ends included.
struct Integers {
  std::int64_t min;
  std::int64_t max;
  std::string_view max_name = {};  ///< if the upper end is the value of a parameter: its name
};

/// Numbers between two ends, of which each may be left out.
struct Reals {
  double min;
  double max;
  bool open_min = false;
  bool open_max = false;
};

/// A short list of words that a table can hold as a constant.
class WordList {
 public:
  constexpr WordList() = default;
  constexpr WordList(std::initializer_list<std::string_view> words) {
    for (const auto word : words) words_.at(count_++) = word;
  }
  /// The names of an enumeration's values.
  template <typename Value, std::size_t count>
  constexpr explicit WordList(const base::Names<Value, count>& names) {
    for (const auto& name : names.all) words_.at(count_++) = name.text;
  }

  [[nodiscard]] constexpr std::span<const std::string_view> all() const {
    return std::span(words_).first(count_);
  }
  [[nodiscard]] constexpr bool has(std::string_view word) const {
    return std::ranges::find(all(), word) != all().end();
  }

 private:
  std::array<std::string_view, 12> words_{};
  std::size_t count_ = 0;
};

struct Range {
  std::variant<std::monostate, Integers, Reals> numbers = {};
  WordList words = {};
  /// Further words, out of a list elsewhere in the program. The code that looks up a word refuses
  /// unknown ones.
  std::vector<std::string> (*listed)() = nullptr;
  /// The form of values that are neither: `NAME=WEIGHT,...`. Their reader checks them.
  std::string_view form = {};
  bool is_list = false;        ///< several of these, separated by commas, none of them empty
  std::size_t max_items = 1;   ///< this many numbers, separated by commas
  std::string_view note = {};  ///< further conditions, printed after the range

  [[nodiscard]] constexpr Range or_words(WordList allowed) const {
    auto range = *this;
    range.words = allowed;
    return range;
  }
  [[nodiscard]] constexpr Range with_note(std::string_view text) const {
    auto range = *this;
    range.note = text;
    return range;
  }

  [[nodiscard]] bool allows(double value) const;
  [[nodiscard]] bool allows(std::int64_t value) const;
  /// The values that are allowed, without the note.
  [[nodiscard]] std::string allowed() const;
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] constexpr Range integers(std::int64_t min, std::int64_t max,
                                       std::string_view max_name = {}) {
  return {.numbers = Integers{min, max, max_name}};
}
[[nodiscard]] constexpr Range seeds(std::int64_t max = std::numeric_limits<std::int64_t>::max()) {
  return integers(0, max);
}
/// Both ends included.
[[nodiscard]] constexpr Range reals(double min, double max) { return {.numbers = Reals{min, max}}; }
[[nodiscard]] constexpr Range reals_above(double min, double max) {
  return {.numbers = Reals{.min = min, .max = max, .open_min = true}};
}
[[nodiscard]] constexpr Range reals_below(double min, double max) {
  return {.numbers = Reals{.min = min, .max = max, .open_max = true}};
}
[[nodiscard]] constexpr Range reals_between(double min, double max) {
  return {.numbers = Reals{.min = min, .max = max, .open_min = true, .open_max = true}};
}
[[nodiscard]] constexpr Range words(WordList allowed) { return {.words = allowed}; }
/// Those that another list of the program has.
[[nodiscard]] constexpr Range words_of(std::vector<std::string> (*listed)()) {
  return {.listed = listed};
}
/// Words of any kind, described.
[[nodiscard]] constexpr Range free_text(std::string_view form) { return {.form = form}; }
/// A list of them, separated by commas, with a description.
[[nodiscard]] constexpr Range list_of(std::string_view form) {
  return {.form = form, .is_list = true};
}
/// Generous, and narrow enough that no computation leaves the range of doubles.
[[nodiscard]] constexpr Range positive_reals() { return reals(1e-9, 1e9); }

}  // namespace tacet::learn
