#include "tacet/data/owner/text_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
constexpr std::string_view en_dash = "\xe2\x80\x93";
constexpr std::size_t longest = 60;

/// Digits with separators between them, and perhaps currency symbols.
bool is_amount(std::string_view text) {
  for (const auto& symbol : usual_symbols()) {
    if (text.starts_with(symbol)) text.remove_prefix(symbol.size());
    if (text.ends_with(symbol)) text.remove_suffix(symbol.size());
  }
  return std::ranges::any_of(text, is_digit) &&
         text.find_first_not_of("0123456789., '") == std::string_view::npos;
}

bool is_number(std::string_view text) { return parse_number(text).has_value(); }

/// Whether a text matches a form in which 9 stands for a digit and other characters for themselves.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char wanted) { return wanted == '9' ? is_digit(c) : c == wanted; });
}

bool is_clock(std::string_view text) {
  for (const std::string_view half : {" AM", " PM", " am", " pm"}) {
    if (text.ends_with(half)) text.remove_suffix(half.size());
  }
  return has_form(text, "9:99") || has_form(text, "99:99") || has_form(text, "99:99:99") ||
         has_form(text, "9:99:99");
}

/// <60, >=90, 90+, 90 or over, under 1.
bool is_limit(std::string_view text) {
  constexpr std::array<std::string_view, 13> before{
      "<=",   ">=",    "<",     ">",         "\xe2\x89\xa4", "\xe2\x89\xa5", "under",
      "over", "above", "below", "less than", "more than",    "up to"};
  constexpr std::array<std::string_view, 9> behind{"+",         "or over",  "and over",
                                                   "or more",   "and more", "or older",
                                                   "and older", "or less",  "and above"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_case);
  const std::string_view rest = lower;
  return std::ranges::any_of(before,
                             [&](std::string_view word) {
                               return rest.starts_with(word) &&
                                      is_number(without_blanks(rest.substr(word.size())));
                             }) ||
         std::ranges::any_of(behind, [&](std::string_view word) {
           return rest.ends_with(word) &&
                  is_number(without_blanks(rest.substr(0, rest.size() - word.size())));
         });
}

bool is_unusual_negative(std::string_view text) {
  for (const auto dash : {typographic_minus, en_dash}) {
    if (text.starts_with(dash)) return is_amount(without_blanks(text.substr(dash.size())));
  }
  const bool price = text.ends_with(",-") || text.ends_with(".-");  // ",-" means no cents
  if (text.ends_with('-') && !price) return is_amount(text.substr(0, text.size() - 1));
  if (text.starts_with("- ")) return is_amount(text.substr(2));
  for (const std::string_view word : {" CR", " DR", " Cr", " Dr"}) {  // credit, debit
    if (text.ends_with(word)) return is_amount(text.substr(0, text.size() - word.size()));
  }
  return text.size() > 2 && text.front() == '(' && text.back() == ')' &&
         is_amount(text.substr(1, text.size() - 2));
}

/// The unit before a number: "Rs." of "Rs. 72"; empty if it consists of letters only, as in codes.
std::string_view unit_before(std::string_view text) {
  const auto begin = std::min(text.find_first_of("0123456789"), text.size());
  const auto unit = text.substr(0, begin);
  const bool apart = unit.ends_with(' ') || unit.ends_with('.') ||
                     (!unit.empty() && static_cast<unsigned char>(unit.back()) >= 0x80);
  return apart && is_number(text.substr(begin)) ? without_blanks(unit) : std::string_view();
}

/// The unit after a number: "kg" of "72.5 kg"; empty if there is none, or if more digits follow.
std::string_view unit_of(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.,-+ ");
  if (end == 0) return unit_before(text);
  if (end == std::string_view::npos || !is_amount(text.substr(0, end))) return {};
  const auto unit = text.substr(end);
  // A half, a quarter, three quarters.
  for (const std::string_view part : {"\xc2\xbc", "\xc2\xbd", "\xc2\xbe"}) {
    if (unit.starts_with(part)) return {};
  }
  return std::ranges::any_of(unit, is_digit) ? std::string_view() : without_blanks(unit);
}

/// Two numbers, such as a blood pressure or coordinates.
bool is_pair(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  for (const std::string_view sign : {"/", ", ", " \xc2\xb1 "}) {
    const auto at = text.find(sign);
    if (at != std::string_view::npos && is_number(without_blanks(text.substr(0, at))) &&
        is_number(without_blanks(text.substr(at + sign.size())))) {
      return true;
    }
  }
  return false;
}

/// Removes a month's name, full or short, from the beginning of a text. False if there is none.
bool take_month(std::string_view& text) {
  constexpr std::array<std::string_view, 12> months{
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  constexpr std::size_t short_name = 3;
  for (const auto name : months) {
    for (const auto word : {name, name.substr(0, short_name)}) {
      if (text.size() < word.size()) continue;
      const auto front = text.substr(0, word.size());
      if (!std::ranges::equal(front, word, {}, lower_case)) continue;
      text.remove_prefix(word.size());
      return true;
    }
  }
  return false;
}

/// A week, a month or a quarter: 2011-01, 2011-W05, Jan 2011, Q1 2011.
bool is_period(std::string_view text) {
  constexpr std::array<std::string_view, 17> forms{
      "9999-99",  "99/9999",  "99.9999", "9999/99",    "9999.99", "9999M99",
      "9999-M99", "9999-W99", "9999W99", "9999-Q9",    "9999Q9",  "9999 Q9",
      "Q9 9999",  "Q9-9999",  "Q9/9999", "9999-W99-9", "9999-999"};
  if (std::ranges::any_of(forms, [&](std::string_view form) { return has_form(text, form); })) {
    return true;
  }
  if (has_form(text.substr(0, 3), "99-")) {
    text.remove_prefix(3);
    return take_month(text) && text.empty();
  }
  if (!take_month(text) || text.empty()) return false;
  if (text.front() == '.') text.remove_prefix(1);
  if (!text.empty() && (text.front() == ' ' || text.front() == '-')) text.remove_prefix(1);
  return has_form(text, "99") || has_form(text, "9999");
}

/// A duration: 59:30:00, 59h 30m, PT59H30M, 59 days 00:00:00, 88y 3m.
bool is_duration(std::string_view text) {
  constexpr std::array<std::string_view, 14> words{"y",  "yr",  "yrs", "mo",  "m", "min", "h",
                                                   "hr", "hrs", "s",   "sec", "d", "day", "days"};
  const bool iso = text.starts_with('P') && text.size() > 2;
  std::size_t numbers = 0;
  std::size_t signs = 0;
  for (std::size_t k = iso ? 1 : 0; k < text.size();) {
    const auto end = std::min(text.find_first_not_of("0123456789.", k), text.size());
    if (end > k) {
      ++numbers;
      k = end;
      continue;
    }
    if (text[k] == ':' || text[k] == ' ' || (iso && text[k] == 'T')) {
      if (text[k] == ':') ++signs;
      ++k;
      continue;
    }
    const auto stop = std::min(text.find_first_of("0123456789.: ", k), text.size());
    const auto word = text.substr(k, stop - k);
    const bool known = std::ranges::any_of(words, [&](std::string_view name) {
      return std::ranges::equal(word, name, {}, lower_case);
    });
    const bool letters = iso && word.find_first_not_of("YMWDTHS") == std::string_view::npos;
    if (numbers == 0 || (!known && !letters)) return false;
    ++signs;
    k = stop;
  }
  return iso ? numbers > 0 && signs > 0 : numbers > 1 && signs > 0;
}

/// The ten digits of the script to which a digit in the text belongs, other than 0 to 9; empty if
/// there is none.
std::string digits_of_script(std::string_view text) {
  // Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada, Malayalam,
  // Thai, Lao, Tibetan, Burmese, Khmer, Mongolian, and full-width digits.
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

/// Digits with separators between them, and no letter.
bool is_numeral(std::string_view text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto rest = text.substr(k);
    // Signs of Latin-1, and blanks or dashes of all widths.
    const std::size_t sign = rest.starts_with("\xc2") ? 2 : rest.starts_with("\xe2\x80") ? 3 : 0;
    const bool letter = lower_case(text[k]) >= 'a' && lower_case(text[k]) <= 'z';
    if (letter || (sign == 0 && static_cast<unsigned char>(text[k]) >= 0x80)) return false;
    if (sign > 0) k += sign - 1;
  }
  return std::ranges::any_of(text, is_digit);
}

}  // namespace

TextShapes::Shape TextShapes::shape_of(std::string_view field) {
  if (is_period(field)) return Shape::period;
  if (is_clock(field) || is_duration(field)) return Shape::time;
  if (is_limit(field)) return Shape::limit;
  if (is_pair(field)) return Shape::pair;
  if (is_unusual_negative(field)) return Shape::negative;
  if (field.starts_with("=\"") && field.ends_with('"')) return Shape::formula;
  if (field.starts_with('\'') && is_number(field.substr(1))) return Shape::apostrophe;
  if (!digits_of_script(field).empty()) return Shape::digits;
  if (!unit_of(field).empty()) return Shape::unit;
  return is_numeral(field) ? Shape::numeral : Shape::other;
}

void TextShapes::add(std::string_view field) {
  constexpr std::size_t max_units = 6;
  if (!alike_ || means_missing(field)) return;
  field = without_blanks(field);
  const auto shape = field.size() > longest ? Shape::other : shape_of(field);
  const auto unit = shape == Shape::unit     ? std::string(unit_of(field))
                    : shape == Shape::digits ? digits_of_script(field)
                                             : std::string();
  if (count_++ == 0) {
    shape_ = shape;
    first_ = field.substr(0, longest);
  }
  const bool is_new = std::ranges::find(units_, unit) == units_.end();
  if (is_new) units_.push_back(unit);
  alike_ = shape == shape_ && shape != Shape::other &&
           units_.size() <= (shape == Shape::unit ? max_units : 1);
}

std::string TextShapes::about_units(std::int64_t numbers) const {
  const auto all = fmt::format("\"{}\"", fmt::join(units_, "\", \""));
  if (units_.size() > 1) {
    const bool apart = first_.find(' ') != std::string::npos;
    if (numbers == 0 && !apart) return {};  // these are codes such as 12A and 7B
    return fmt::format(
        "Numbers with {} such as {}: flags? Then they are dropped with symbols = [{}] under "
        "[format]. Units? Then write all numbers in one.",
        all, first_, all);
  }
  if (numbers > 0) {
    return fmt::format(
        "{} numbers, and {} with {} such as {}: another unit? Then write all in one. A mark? Then "
        "it is dropped with symbols = [{}] under [format].",
        numbers, count_, all, first_, all);
  }
  return fmt::format("Numbers with {}? They are read with symbols = [{}] under [format].", all,
                     all);
}

std::string TextShapes::remark(std::int64_t numbers) const {
  if (count_ == 0 || !alike_) return {};
  switch (shape_) {
    case Shape::time:
      return fmt::format(
          "Times or durations such as {}? No kind reads them: write each as one number, of hours "
          "for example.",
          first_);
    case Shape::period:
      return fmt::format(
          "Weeks, months or quarters such as {}? With their first day, as in 2011-01-01, they are "
          "read as dates.",
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
      return about_units(numbers);
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
          first_, units_.front());
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
