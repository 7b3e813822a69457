#include "tacet/privacy/decimal.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::privacy {
namespace {

// the longest decimal expansion of a double, its first digit included
constexpr int all_digits = 767;

/// A number as 0.ddd 10^power, without zeros at either end.
struct Digits {
  int power = 0;
  std::string digits;

  auto operator<=>(const Digits&) const = default;
};

/// The digits of a number that is spelt as "d.ddde[+-]dd".
template <typename... Precision>
Digits digits_of(double value, Precision... precision) {
  std::array<char, all_digits + 10> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific, precision...);
  const std::string text(buffer.data(), written.ptr);
  const auto mark = text.find('e');
  Digits read{.digits = text.substr(0, mark)};
  std::erase(read.digits, '.');
  read.digits.erase(read.digits.find_last_not_of('0') + 1);
  const auto* const first = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), read.power);
  return read;
}

/// Whether a number is above the decimal as which it prints.
bool is_above_its_decimal(double value) {
  if (!(value >= 0)) throw base::InternalError("only numbers of at least 0 are spent");
  if (value == 0 || std::isinf(value)) return false;
  return digits_of(value, all_digits - 1) > digits_of(value);
}

/// Adds `step` units in the last place of the decimal with that many digits: the digits as one
/// whole number, and its power of ten.
std::string moved(double value, int digits, long long step) {
  const auto full = fmt::format("{:.{}e}", value, digits - 1);
  const auto mark = full.find('e');
  auto whole = full.substr(0, mark);
  std::erase(whole, '.');
  const long power = std::strtol(full.c_str() + mark + 1, nullptr, 10) - (digits - 1);
  const auto next = fmt::format("{}e{}", std::strtoll(whole.c_str(), nullptr, 10) + step, power);
  return fmt::format("{:.{}g}", std::strtod(next.c_str(), nullptr), digits);
}

}  // namespace

double decimal_down(double value) {
  return is_above_its_decimal(value) ? std::nextafter(value, 0.0) : value;
}

// One step up is enough: the decimal of the next double is nearer to it than to `value`, and so
// above `value`.
double decimal_up(double value) {
  return is_above_its_decimal(value) ? std::nextafter(value, HUGE_VAL) : value;
}

double decimal_sum(double a, double b) {
  const double sum = numeric::add_up(a, b);
  if (!std::isfinite(sum)) return sum;
  // every double has 15 sure digits; these are the ones after the point
  constexpr int sure_digits = 14;
  std::array<char, all_digits + 10> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), sum,
                                     std::chars_format::scientific, sure_digits);
  double shorter = sum;
  std::from_chars(buffer.data(), written.ptr, shorter);
  // If the sum is further from its decimal than two roundings, it has more digits than that.
  constexpr double roundings = numeric::ulps(2);
  return std::fabs(shorter - sum) <= roundings * sum ? shorter : sum;
}

std::string rounded_up(double value, int digits) {
  auto text = fmt::format("{:.{}g}", value, digits);
  if (!std::isfinite(value) || std::strtod(text.c_str(), nullptr) >= value) return text;
  return moved(value, digits, 1);
}

std::string rounded_down(double value, int digits) {
  auto text = fmt::format("{:.{}g}", value, digits);
  if (!std::isfinite(value) || std::strtod(text.c_str(), nullptr) <= value) return text;
  return moved(value, digits, -1);
}

}  // namespace tacet::privacy
