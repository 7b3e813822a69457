#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::data {

/// Texts that mean a number or a time, but are written in a way that no kind of column reads. It
/// finds what all texts of a column have in common.
class TextShapes {
 public:
  /// Adds a text that is neither a number nor a date. Words for a missing value are not added.
  void add(std::string_view field);

  /// One sentence that says what the texts are and how to make them readable; empty if they have
  /// nothing known in common. `numbers` is the count of plain numbers in the column.
  [[nodiscard]] std::string remark(std::int64_t numbers = 0) const;

 private:
  enum class Shape {
    time,    // of day, or how long
    period,  // a week, a month, a quarter
    limit,
    negative,
    unit,  // beside a number, or a flag
    apostrophe,
    formula,
    pair,
    digits,   // of another script
    numeral,  // ASCII digits and signs
    other
  };
  [[nodiscard]] static Shape shape_of(std::string_view field);
  [[nodiscard]] std::string about_units(std::int64_t numbers) const;

  std::int64_t count_ = 0;
  bool alike_ = true;
  Shape shape_ = Shape::other;  // of the first text, as long as all others have the same
  std::string first_;
  std::vector<std::string> units_;  // the first units found, or the ten digits of a script
};

}  // namespace tacet::data
