#include "tacet/data/encode/number_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/data/ascii.h"
#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/date_format.h"

namespace tacet::data {
namespace {

/// The text without blanks around it, including non-breaking ones: French puts one before a
/// currency sign.
std::string_view without_any_blanks(std::string_view text) {
  constexpr std::array<std::string_view, 2> unbroken{"\xc2\xa0", "\xe2\x80\xaf"};
  std::size_t before = 0;
  do {
    before = text.size();
    text = without_blanks(text);
    for (const auto blank : unbroken) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size());
      if (text.ends_with(blank)) text.remove_suffix(blank.size());
    }
  } while (text.size() < before);
  return text;
}

/// Drops a currency symbol, and blanks around it, from one end. False if there is none.
bool drop_symbol(const std::vector<std::string>& symbols, bool front, std::string_view& text) {
  for (const auto& symbol : symbols) {
    if (!(front ? text.starts_with(symbol) : text.ends_with(symbol))) continue;
    if (front) {
      text.remove_prefix(symbol.size());
    } else {
      text.remove_suffix(symbol.size());
    }
    text = without_any_blanks(text);
    return true;
  }
  return false;
}

/// The digits of a whole number without thousands separators; nothing if a separator is in the
/// wrong place.
std::optional<std::string> without_thousands(std::string_view whole, std::string_view sign) {
  std::string digits;
  bool first = true;
  while (true) {
    const auto place = whole.find(sign);
    const auto group = whole.substr(0, place);
    const bool last = place == std::string_view::npos;
    if (!std::ranges::all_of(group, is_digit)) return std::nullopt;
    const auto size = group.size();
    const bool fits = first  ? last || (size >= 1 && size <= 3)
                      : last ? size == 3
                             : size == 2 || size == 3;
    if (!fits) return std::nullopt;
    digits += group;
    if (last) return digits;
    first = false;
    whole.remove_prefix(place + sign.size());
  }
}

struct ReadNumber {
  const NumberReader& reader;
  using Found = std::optional<double>;

  Found operator()(Missing) const { return std::nullopt; }
  Found operator()(List) const { return std::nullopt; }
  Found operator()(Day day) const { return number(reader.date(), static_cast<double>(day.number)); }
  Found operator()(bool value) const { return number(!reader.date(), value ? 1.0 : 0.0); }
  Found operator()(std::int64_t value) const {
    return number(!reader.date(), static_cast<double>(value));
  }
  Found operator()(double value) const {
    return number(!reader.date() && std::isfinite(value), value);
  }
  Found operator()(float value) const { return (*this)(static_cast<double>(value)); }
  Found operator()(std::string_view text) const { return reader(text); }

  [[nodiscard]] static Found number(bool is_one, double value) {
    return is_one ? Found(value) : std::nullopt;
  }
};

}  // namespace

NumberReader::NumberReader(bool date, const Spelling& spelling)
    : date_(date),
      decimal_(spelling.decimal.value_or('.')),
      thousands_(spelling.thousands.value_or("")),
      symbols_(spelling.symbols.value_or(std::vector<std::string>())),
      date_format_(spelling.date_format.value_or("")) {
  plain_ = !date_ && decimal_ == '.' && thousands_.empty() && symbols_.empty();
  // "US$" before "$".
  std::ranges::stable_sort(symbols_, std::ranges::greater{}, &std::string::size);
}

std::optional<double> NumberReader::operator()(std::string_view text) const {
  if (plain_) return parse_number(text);
  if (!date_) return spelled(text);
  const auto day = parse_date(text, date_format_);
  return day ? std::optional(static_cast<double>(*day)) : std::nullopt;
}

std::optional<double> NumberReader::spelled(std::string_view text) const {
  text = without_any_blanks(text);
  std::string number;
  const auto take_sign = [&] {
    const bool sign = number.empty() && (text.starts_with('-') || text.starts_with('+'));
    if (!sign) return;
    number += text.front();
    text = without_blanks(text.substr(1));
  };
  take_sign();
  const bool before = drop_symbol(symbols_, true, text);
  take_sign();
  if (!before) static_cast<void>(drop_symbol(symbols_, false, text));
  const auto exponent = std::min(text.find_first_of("eE"), text.size());
  const auto point = std::min(text.substr(0, exponent).find(decimal_), exponent);
  const auto whole = text.substr(0, point);
  if (thousands_.empty() || whole.find(thousands_) == std::string_view::npos) {
    number += whole;
  } else {
    const auto digits = without_thousands(whole, thousands_);
    if (!digits) return std::nullopt;
    number += *digits;
  }
  const auto rest = text.substr(point);
  // If the point is not the decimal sign, it may not occur in a number.
  if (decimal_ != '.' &&
      (number.find('.') != std::string::npos || rest.find('.') != std::string_view::npos)) {
    return std::nullopt;
  }
  if (point < exponent) {
    number += '.';
    number += rest.substr(1);
  } else {
    number += rest;
  }
  const bool starts = !number.empty() && (is_digit(number.front()) || number.front() == '.' ||
                                          number.front() == '-' || number.front() == '+');
  return starts ? parse_number(number) : std::nullopt;
}

NumberReader number_reader(const NumericColumn& rule, const Spelling& file, const Spelling& own) {
  return {rule.date, merged(file, own)};
}

std::optional<double> number_of(const Value& value, const NumberReader& reader) {
  return std::visit(ReadNumber{reader}, value);
}

}  // namespace tacet::data
