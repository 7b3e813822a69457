#include "tacet/data/encode/decimal.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace tacet::data {
namespace {

constexpr std::int64_t farthest_point =
    4'000'000'000'000'000'000;  // two of them are one std::int64_t

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

/// A whole number in decimal digits, without zeros in front.
struct Whole {
  bool negative = false;
  std::string_view digits;
};

/// The exponent after a number's digits: 0 if nothing follows, else `e` and a whole number; nothing
/// for other texts.
std::optional<Whole> exponent_of(std::string_view text) {
  if (text.empty()) return Whole{};
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  auto digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return Whole{negative, digits};
}

std::int64_t clamped(const Whole& number) {
  std::int64_t value = 0;
  const auto* begin = number.digits.data();
  const auto error = std::from_chars(begin, begin + number.digits.size(), value).ec;
  if (error == std::errc::result_out_of_range) value = farthest_point;
  value = std::min(value, farthest_point);
  return number.negative ? -value : value;
}

/// The digits of `number` + `step`, for a number far larger than the step.
std::string sum_of(const Whole& number, std::int64_t step) {
  constexpr std::int64_t base = 10;
  std::string sum(number.digits);
  std::int64_t carry = number.negative ? -step : step;
  for (auto place = sum.rbegin(); place != sum.rend() && carry != 0; ++place) {
    const std::int64_t digit = *place - '0' + carry % base;
    carry = carry / base + (digit < 0 ? -1 : digit / base);
    *place = static_cast<char>('0' + (digit + base) % base);
  }
  if (carry > 0) sum.insert(0, std::to_string(carry));
  sum.erase(0, sum.find_first_not_of('0'));
  return (number.negative ? "-" : "") + sum;
}

constexpr std::int64_t max_written = 400;  // digits of a whole number without an exponent

/// Whether a text consists of digits without a leading zero, as most names of units do. Its
/// spelling is then the text itself.
bool spells_itself(std::string_view text) {
  return !text.empty() && text.size() <= std::size_t{max_written} &&
         (text.front() != '0' || text.size() == 1) && std::ranges::all_of(text, is_digit);
}

/// A number in parts: the digits before and after its point, and its exponent.
struct Cut {
  bool negative = false;
  std::string_view before;
  std::string_view after;
  Whole exponent;
};

std::optional<Cut> cut(std::string_view text) {
  text = without_blanks(text);
  Cut number;
  number.negative = take_sign(text);
  number.before = take_digits(text);
  const bool has_point = text.starts_with('.');
  if (has_point) text.remove_prefix(1);
  number.after = has_point ? take_digits(text) : std::string_view();
  if (number.before.empty() && number.after.empty()) return std::nullopt;
  const auto exponent = exponent_of(text);
  if (!exponent) return std::nullopt;
  number.exponent = *exponent;
  return number;
}

/// The digits from the first to the last one that is not 0, and the place of the point, without the
/// exponent.
struct Digits {
  std::string digits;
  std::int64_t place = 0;
};

Digits digits_of(const Cut& number) {
  std::string digits;
  digits.reserve(number.before.size() + number.after.size());
  digits.append(number.before).append(number.after);
  const auto first = digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  digits.erase(digits.find_last_not_of('0') + 1);
  digits.erase(0, first);
  return {std::move(digits),
          static_cast<std::int64_t>(number.before.size()) - static_cast<std::int64_t>(first)};
}

std::int64_t point_of(const Cut& number, std::int64_t place) {
  return std::clamp(clamped(number.exponent) + place, -farthest_point, farthest_point);
}

std::string spelling_of(const Cut& number) {
  const auto [digits, place] = digits_of(number);
  if (digits.empty()) return "0";
  std::string text = number.negative ? "-" : "";
  text += digits;
  const auto count = static_cast<std::int64_t>(digits.size());
  const auto exponent = clamped(number.exponent);
  const auto point = point_of(number, place);
  if (point >= count && point <= std::max(max_written, count)) {
    return text.append(static_cast<std::size_t>(point - count), '0');
  }
  // 0.DIGITS 10^point is DIGITS 10^(point - count).
  const bool far = exponent == farthest_point || exponent == -farthest_point;
  return text + "e" +
         (far ? sum_of(number.exponent, place - count) : std::to_string(exponent + place - count));
}

}  // namespace

std::optional<Decimal> read_decimal(std::string_view text) {
  const auto number = cut(text);
  if (!number) return std::nullopt;
  auto [digits, place] = digits_of(*number);
  if (digits.empty()) return Decimal{};
  return Decimal{number->negative, std::move(digits), point_of(*number, place)};
}

std::string_view one_spelling(std::string_view text, std::string& room) {
  text = without_blanks(text);
  if (spells_itself(text)) return text;
  const auto number = cut(text);
  if (!number) return text;
  room = spelling_of(*number);
  return room;
}

}  // namespace tacet::data
