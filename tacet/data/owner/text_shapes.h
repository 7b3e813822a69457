#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::data {

/// Texts that stand for a number or a time, but that no kind of column reads as they are written.
/// It knows what all texts of a column have in common.
class TextShapes {
 public:
  /// A text that is no number and no date; words for a missing value are left aside.
  void add(std::string_view field);

  /// What the texts are and how they would be read, in a sentence; empty: nothing in common is
  /// known. `numbers`: how many values of the column are plain numbers.
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
  Shape shape_ = Shape::other;  // of the first text, and of all while they are alike
  std::string first_;
  std::vector<std::string> units_;  // the first ones, or the ten digits of a script
};

}  // namespace tacet::data
