#include "tacet/data/owner/text_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/guess_spelling.h"

namespace tacet::data {
namespace {

constexpr std::string_view typographic_minus = "\xe2\x88\x92";
constexpr std::size_t longest = 60;

/// Digits with the signs that stand between them, and a currency or two.
bool is_amount(std::string_view text) {
  for (const auto& symbol : usual_symbols()) {
    if (text.starts_with(symbol)) text.remove_prefix(symbol.size());
    if (text.ends_with(symbol)) text.remove_suffix(symbol.size());
  }
  return std::ranges::any_of(text, is_digit) &&
         text.find_first_not_of("0123456789., '") == std::string_view::npos;
}

bool is_number(std::string_view text) { return parse_number(text).has_value(); }

/// 99 for a digit, other characters for themselves.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char wanted) { return wanted == '9' ? is_digit(c) : c == wanted; });
}

bool is_clock(std::string_view text) {
  return has_form(text, "9:99") || has_form(text, "99:99") || has_form(text, "99:99:99") ||
         has_form(text, "9:99:99");
}

bool is_limit(std::string_view text) {
  if (text.empty() || (text[0] != '<' && text[0] != '>')) return false;
  text.remove_prefix(text.size() > 1 && text[1] == '=' ? 2 : 1);
  return is_number(without_blanks(text));
}

bool is_unusual_negative(std::string_view text) {
  if (text.starts_with(typographic_minus)) return is_amount(text.substr(typographic_minus.size()));
  if (text.ends_with('-')) return is_amount(text.substr(0, text.size() - 1));
  if (text.starts_with("- ")) return is_amount(text.substr(2));
  return text.size() > 2 && text.front() == '(' && text.back() == ')' &&
         is_amount(text.substr(1, text.size() - 2));
}

/// What follows a number: "kg" of "72.5 kg"; empty where the text does not begin with one.
std::string_view unit_of(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.,-+ ");
  if (end == std::string_view::npos || end == 0) return {};
  const bool number = is_number(without_blanks(text.substr(0, end)));
  return number ? without_blanks(text.substr(end)) : std::string_view();
}

}  // namespace

TextShapes::Shape TextShapes::shape_of(std::string_view field) {
  if (is_clock(field)) return Shape::clock;
  if (has_form(field, "9999-99")) return Shape::month;
  if (is_limit(field)) return Shape::limit;
  if (is_unusual_negative(field)) return Shape::negative;
  if (field.starts_with("=\"") && field.ends_with('"')) return Shape::formula;
  if (field.starts_with('\'') && is_number(field.substr(1))) return Shape::apostrophe;
  return unit_of(field).empty() ? Shape::other : Shape::unit;
}

void TextShapes::add(std::string_view field) {
  if (!alike_) return;
  field = without_blanks(field);
  const auto shape = field.size() > longest ? Shape::other : shape_of(field);
  const auto unit = shape == Shape::unit ? unit_of(field) : std::string_view();
  if (count_++ == 0) {
    shape_ = shape;
    first_ = field.substr(0, longest);
    unit_ = unit;
  }
  alike_ = shape == shape_ && unit == unit_ && shape != Shape::other;
}

std::string TextShapes::remark() const {
  if (count_ == 0 || !alike_) return {};
  switch (shape_) {
    case Shape::clock:
      return fmt::format("Times of day such as {}? No kind reads them: write hours as a number.",
                         first_);
    case Shape::month:
      return fmt::format("Months such as {}? With a day, {}-01, they are read as dates.", first_,
                         first_);
    case Shape::limit:
      return fmt::format(
          "Limits of a measurement such as {}? Write the limit as a number, or list the text under "
          "missing.",
          first_);
    case Shape::negative:
      return fmt::format(
          "Negative numbers such as {}? Only a minus sign in front is read: write "
          "-1.5.",
          first_);
    case Shape::unit:
      return fmt::format(
          "Numbers with \"{}\"? They are read with symbols = [\"{}\"] under [format].", unit_,
          unit_);
    case Shape::formula:
      return fmt::format(
          "Formulas of a spreadsheet such as {}? Write their values: without = and quotes.",
          first_);
    case Shape::apostrophe:
      return fmt::format(
          "Numbers such as {}, marked as texts by a spreadsheet? They are read with symbols = "
          "[\"'\"] under [format].",
          first_);
    default:
      return {};
  }
}

}  // namespace tacet::data
