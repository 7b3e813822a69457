#include "tacet/data/owner/text_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/utf8.h"

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
  const bool price = text.ends_with(",-") || text.ends_with(".-");  // no cents
  if (text.ends_with('-') && !price) return is_amount(text.substr(0, text.size() - 1));
  if (text.starts_with("- ")) return is_amount(text.substr(2));
  return text.size() > 2 && text.front() == '(' && text.back() == ')' &&
         is_amount(text.substr(1, text.size() - 2));
}

/// What stands before a number: "Rs." of "Rs. 72"; empty where it is letters alone, as in codes.
std::string_view unit_before(std::string_view text) {
  const auto begin = std::min(text.find_first_of("0123456789"), text.size());
  const auto unit = text.substr(0, begin);
  const bool apart = unit.ends_with(' ') || unit.ends_with('.') ||
                     (!unit.empty() && static_cast<unsigned char>(unit.back()) >= 0x80);
  return apart && is_number(text.substr(begin)) ? without_blanks(unit) : std::string_view();
}

/// What stands beside a number: "kg" of "72.5 kg"; empty where there is none, or more digits.
std::string_view unit_of(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.,-+ ");
  if (end == 0) return unit_before(text);
  if (end == std::string_view::npos || !is_number(without_blanks(text.substr(0, end)))) return {};
  const auto unit = text.substr(end);
  // A half, a quarter, three quarters.
  for (const std::string_view part : {"\xc2\xbc", "\xc2\xbd", "\xc2\xbe"}) {
    if (unit.starts_with(part)) return {};
  }
  return std::ranges::any_of(unit, is_digit) ? std::string_view() : without_blanks(unit);
}

/// Two numbers, as a blood pressure has.
bool is_pair(std::string_view text) {
  const auto line = text.find('/');
  return line != std::string_view::npos && is_number(without_blanks(text.substr(0, line))) &&
         is_number(without_blanks(text.substr(line + 1)));
}

bool is_month(std::string_view text) {
  constexpr std::array<std::string_view, 10> forms{"9999-99",  "99/9999", "99.9999", "9999/99",
                                                   "9999-Q9",  "9999Q9",  "aaa-99",  "aaa-9999",
                                                   "aaa 9999", "99-aaa"};
  const auto has = [text](std::string_view form) {
    return std::ranges::equal(text, form, [](char c, char wanted) {
      if (wanted == 'a') return lower_case(c) >= 'a' && lower_case(c) <= 'z';
      return wanted == '9' ? is_digit(c) : c == wanted;
    });
  };
  return std::ranges::any_of(forms, has);
}

/// The ten digits of the script that a text has one of, other than 0 to 9; empty: it has none.
std::string digits_of_script(std::string_view text) {
  // Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada, Malayalam,
  // Thai, Lao, Tibetan, Burmese, Khmer, Mongolian, and those as wide as Chinese characters.
  constexpr std::array<std::uint32_t, 17> zeros{0x660, 0x6f0,  0x966,  0x9e6,  0xa66, 0xae6,
                                                0xbe6, 0xc66,  0xce6,  0xd66,  0xe50, 0xed0,
                                                0xf20, 0x1040, 0x17e0, 0x1810, 0xff10};
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return {};
  }
  for (const auto zero : zeros) {
    std::string all;
    bool has_one = false;
    for (std::uint32_t k = 0; k < 10; ++k) {
      const auto before = all.size();
      append_utf8(zero + k, all);
      has_one = has_one || text.find(all.substr(before)) != std::string_view::npos;
    }
    if (has_one) return all;
  }
  return {};
}

/// Digits with signs between them, and no letter.
bool is_numeral(std::string_view text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto rest = text.substr(k);
    // Signs of Latin-1 and blanks or dashes of all widths.
    const std::size_t sign = rest.starts_with("\xc2") ? 2 : rest.starts_with("\xe2\x80") ? 3 : 0;
    const bool letter = lower_case(text[k]) >= 'a' && lower_case(text[k]) <= 'z';
    if (letter || (sign == 0 && static_cast<unsigned char>(text[k]) >= 0x80)) return false;
    if (sign > 0) k += sign - 1;
  }
  return std::ranges::any_of(text, is_digit);
}

}  // namespace

TextShapes::Shape TextShapes::shape_of(std::string_view field) {
  if (is_clock(field)) return Shape::clock;
  if (is_month(field)) return Shape::month;
  if (is_limit(field)) return Shape::limit;
  if (is_unusual_negative(field)) return Shape::negative;
  if (field.starts_with("=\"") && field.ends_with('"')) return Shape::formula;
  if (field.starts_with('\'') && is_number(field.substr(1))) return Shape::apostrophe;
  if (is_pair(field)) return Shape::pair;
  if (!digits_of_script(field).empty()) return Shape::digits;
  if (!unit_of(field).empty()) return Shape::unit;
  return is_numeral(field) ? Shape::numeral : Shape::other;
}

void TextShapes::add(std::string_view field) {
  if (!alike_) return;
  field = without_blanks(field);
  const auto shape = field.size() > longest ? Shape::other : shape_of(field);
  const auto unit = shape == Shape::unit     ? std::string(unit_of(field))
                    : shape == Shape::digits ? digits_of_script(field)
                                             : std::string();
  if (count_++ == 0) {
    shape_ = shape;
    first_ = field.substr(0, longest);
    unit_ = unit;
  }
  alike_ = shape == shape_ && unit == unit_ && shape != Shape::other;
}

std::string TextShapes::remark(std::int64_t numbers) const {
  if (count_ == 0 || !alike_) return {};
  switch (shape_) {
    case Shape::clock:
      return fmt::format("Times of day such as {}? No kind reads them: write hours as a number.",
                         first_);
    case Shape::month:
      return fmt::format("Months such as {}? With a day, as in 2011-01-01, they are read as dates.",
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
      if (numbers > 0) {
        return fmt::format(
            "{} numbers, and {} with \"{}\" such as {}: another unit? Then write all in one. A "
            "mark? "
            "Then it is dropped with symbols = [\"{}\"] under [format].",
            numbers, count_, unit_, first_, unit_);
      }
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
    case Shape::pair:
      return fmt::format(
          "Two numbers in a value such as {}? Make two columns of them, or one number.", first_);
    case Shape::digits:
      return fmt::format(
          "Digits of another script such as {}? Only 0 to 9 are read: sed 'y/{}/0123456789/' FILE.",
          first_, unit_);
    case Shape::numeral:
      return fmt::format(
          "Digits and signs such as {}: numbers or dates in an unusual spelling? Then write them "
          "in "
          "a usual one. Groups or codes? Then the draft is right.",
          first_);
    default:
      return {};
  }
}

}  // namespace tacet::data
