#include "tacet/data/encode/value_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "tacet/data/encode/decimal.h"

namespace tacet::data {
namespace {

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char one, char other) { return (one | 0x20) == other; });
}

/// A fast hash, used only for this table: eight bytes at a time, multiplied and folded.
std::uint64_t table_hash(std::string_view text) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * factor;
    return hash ^ (hash >> 32);
  };
  std::uint64_t hash = text.size();
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    hash = mix(hash, word);
    text.remove_prefix(sizeof(word));
  }
  std::uint64_t tail = 0;
  for (const char c : text) tail = tail << 8 | static_cast<unsigned char>(c);
  return mix(mix(hash, tail), 0);
}

constexpr double integers_share_doubles = 0x1p53;
constexpr double largest_double = std::numeric_limits<double>::max();

/// For a text of a number outside of the doubles' range: the largest or smallest double, or 0.
std::optional<double> beyond_doubles(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number) return std::nullopt;
  if (number->point <= 0) return 0.0;
  return number->negative ? -largest_double : largest_double;
}

/// Whether the text of a number, without blanks, is within the range of the doubles.
bool is_near_a_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

std::string exact_digits(double integer) { return fmt::format("{:.0f}", integer); }

/// All digits of the number that the text spells; `number` is the double nearest to it. A text with
/// an exponent counts as that double, since programs write doubles in that way, unless it is beyond
/// all doubles.
std::string digits_of(std::string_view text, double number) {
  text = without_blanks(text);
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  if (has_exponent && is_near_a_double(text)) return exact_digits(number);
  std::string room;
  return std::string(one_spelling(text, room));
}

}  // namespace

// The digits and the power of ten are exact doubles, so one division rounds correctly (Clinger
// 1990). Returns NaN and not an optional, which would go through memory and stall the processor.
double plain_number(std::string_view text) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t max_characters = 16;
  static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > max_characters) return none;
  std::int64_t digits = 0;
  std::size_t point = text.size();
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto digit = static_cast<unsigned>(text[k] - '0');
    if (digit < 10) {
      digits = digits * 10 + digit;
    } else if (text[k] == '.' && point == text.size()) {
      point = k;
    } else {
      return none;
    }
  }
  const bool has_point = point != text.size();
  const std::size_t count = text.size() - (has_point ? 1 : 0);
  if (count < 1 || count > 15) return none;
  const double value = static_cast<double>(digits) / powers[has_point ? count - point : 0];
  return negative ? -value : value;
}

std::optional<double> parse_number(std::string_view text) {
  const double plain = plain_number(text);
  if (!std::isnan(plain)) return plain;
  text = without_blanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) return beyond_doubles(text);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

ValueIndex::ValueIndex(std::span<const std::string> values)
    : texts_(values.begin(), values.end()), slots_(std::bit_ceil(2 * values.size() + 1)) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto index = static_cast<std::uint32_t>(k);
    const std::uint64_t hash = table_hash(values[k]);
    std::size_t place = hash & (slots_.size() - 1);
    while (slots_[place].entry != 0) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = {.tag = static_cast<std::uint32_t>(hash >> 32), .entry = index + 1};
    // If several entries spell the same number, the first one stands for it.
    if (const auto number = parse_number(values[k])) numbers_.emplace(*number, index);
    for (const bool truth : {false, true}) {
      auto& found = booleans_[truth ? 1 : 0];
      if (!found && is_word(values[k], truth ? "true" : "false")) found = index;
    }
  }
  for (const bool truth : {false, true}) {
    auto& found = booleans_[truth ? 1 : 0];
    if (!found) found = find_number(truth ? 1.0 : 0.0);
  }
}

std::optional<std::uint32_t> ValueIndex::find_value(const Value& value) const {
  if (const auto* text = std::get_if<std::string_view>(&value)) return find(*text);
  if (const auto* truth = std::get_if<bool>(&value)) return booleans_[*truth ? 1 : 0];
  SpellingRoom room;
  const auto spelt = find(spelling(value, room));
  const auto* number = std::get_if<float>(&value);
  return spelt || number == nullptr ? spelt : find_number(*number);
}

std::optional<std::uint32_t> ValueIndex::find(std::string_view text) const {
  const auto same = find_text(text);
  if (same || numbers_.empty()) return same;
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  const auto found = numbers_.find(*number);
  if (found == numbers_.end()) return std::nullopt;
  if (std::fabs(*number) < integers_share_doubles) return found->second;
  const auto digits = digits_of(text, *number);
  if (digits == digits_of(texts_[found->second], *number)) return found->second;
  return find_text(digits);
}

std::optional<std::uint32_t> ValueIndex::find_text(std::string_view text) const {
  const std::uint64_t hash = table_hash(text);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t place = hash & (slots_.size() - 1);
  for (; slots_[place].entry != 0; place = (place + 1) & (slots_.size() - 1)) {
    const std::uint32_t index = slots_[place].entry - 1;
    if (slots_[place].tag == tag && texts_[index] == text) return index;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ValueIndex::find_number(double number) const {
  if (std::fabs(number) >= integers_share_doubles) return find(exact_digits(number));
  const auto found = numbers_.find(number);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tacet::data
