#include "tacet/data/encode/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace tacet::data {
namespace {

constexpr std::int64_t farthest_point =
    4'000'000'000'000'000'000;  // two of them are one std::int64_t

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

/// What follows a number's digits: nothing, or `e` and a whole number.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  const auto digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
  if (error == std::errc::result_out_of_range) value = farthest_point;
  value = std::min(value, farthest_point);
  return negative ? -value : value;
}

/// Digits alone, as most names of units are, spell themselves.
bool spells_itself(std::string_view text) {
  return !text.empty() && (text.front() != '0' || text.size() == 1) &&
         std::ranges::all_of(text, is_digit);
}

std::string spelling_of(const Decimal& number) {
  if (number.digits.empty()) return "0";
  constexpr std::int64_t most_written = 400;  // digits of a whole number without an exponent
  std::string text = number.negative ? "-" : "";
  const auto count = static_cast<std::int64_t>(number.digits.size());
  text += number.digits;
  if (number.point >= count && number.point <= std::max(most_written, count)) {
    return text.append(static_cast<std::size_t>(number.point - count), '0');
  }
  // 0.DIGITS 10^point is DIGITS 10^(point - count).
  fmt::format_to(std::back_inserter(text), "e{}", number.point - count);
  return text;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Decimal> read_decimal(std::string_view text) {
  text = without_blanks(text);
  Decimal number;
  number.negative = take_sign(text);
  const auto before = take_digits(text);
  const bool has_point = text.starts_with('.');
  if (has_point) text.remove_prefix(1);
  const auto after = has_point ? take_digits(text) : std::string_view();
  if (before.empty() && after.empty()) return std::nullopt;
  const auto exponent = exponent_of(text);
  if (!exponent) return std::nullopt;
  number.digits.reserve(before.size() + after.size());
  number.digits.append(before).append(after);
  const auto first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return Decimal{};
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  number.digits.erase(0, first);
  const auto place = static_cast<std::int64_t>(before.size()) - static_cast<std::int64_t>(first);
  number.point = std::clamp(*exponent + place, -farthest_point, farthest_point);
  return number;
}

std::string_view one_spelling(std::string_view text, std::string& room) {
  text = without_blanks(text);
  if (spells_itself(text)) return text;
  const auto number = read_decimal(text);
  // Beyond the farthest exponents numbers cannot be told apart: they are texts.
  if (!number || number->point == farthest_point || number->point == -farthest_point) return text;
  room = spelling_of(*number);
  return room;
}

}  // namespace tacet::data
