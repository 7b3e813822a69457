#include "tacet/numeric/exact_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::numeric {
namespace {

using boost::multiprecision::cpp_int;

constexpr int mantissa_bits = 53;
constexpr int smallest_exponent = -1074;  // the smallest double is 2^-1074
constexpr int scale = -2 * smallest_exponent;
constexpr int decimals = 324;  // no double prints with a digit below 10^-324

constexpr int max_fives = decimals + 309;  // no double prints with a digit above 10^308

/// 5^power.
const cpp_int& five_to(int power) {
  static const std::vector<cpp_int> table = [] {
    std::vector<cpp_int> powers{1};
    for (int i = 0; i < max_fives; ++i) powers.emplace_back(powers.back() * 5);
    return powers;
  }();
  return table.at(static_cast<std::size_t>(power));
}

/// 5^decimals: times this and a power of two, every number of so many decimals is an integer.
const cpp_int& fives() { return five_to(decimals); }

using Words = std::vector<std::uint64_t>;
constexpr unsigned word_bits = 64;

cpp_int number_of(const Words& words) {
  cpp_int number;
  if (!words.empty()) import_bits(number, words.begin(), words.end(), word_bits, false);
  return number;
}

Words words_of(const cpp_int& number) {
  Words words;
  if (number != 0) export_bits(number, std::back_inserter(words), word_bits, false);
  return words;
}

void add_to(Words& sum, const cpp_int& part) { sum = words_of(number_of(sum) + part); }

struct Scaled {
  std::int64_t mantissa;
  int exponent;
};

Scaled scaled(double value) {
  if (!(value >= 0 && std::isfinite(value))) {
    throw base::InternalError("a privacy cost must be a number of at least 0");
  }
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, mantissa_bits)), exponent - mantissa_bits};
}

/// The decimal that a finite double prints as, in units of an ExactSum.
cpp_int decimal_units(double value) {
  if (!(value >= 0 && std::isfinite(value))) {
    throw base::InternalError("a privacy cost must be a number of at least 0");
  }
  // "d.ddde[+-]dd": the shortest digits that read back as the double.
  std::array<char, 40> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  const std::string text(buffer.data(), written.ptr);
  const auto mark = text.find('e');
  std::string digits = text.substr(0, mark);
  int exponent = 0;
  const auto* const first = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  if (const auto point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  std::int64_t mantissa = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), mantissa);
  while (mantissa != 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    ++exponent;
  }
  if (mantissa == 0) return 0;
  if (exponent < -decimals) throw base::InternalError("a decimal with too many places");
  return (cpp_int(mantissa) * five_to(decimals + exponent)) << (scale + exponent);
}

/// units * 2^-scale * 5^-decimals as a double, rounded up or down as asked.
double to_double(const cpp_int& units, bool upwards) {
  cpp_int binary;
  cpp_int rest;
  divide_qr(units, fives(), binary, rest);
  const bool inexact = rest != 0;
  if (binary == 0) return inexact && upwards ? std::numeric_limits<double>::denorm_min() : 0;
  const int top = static_cast<int>(msb(binary));
  const int low = std::max(top - (mantissa_bits - 1), scale + smallest_exponent);
  cpp_int kept = binary >> low;
  if (upwards && (inexact || (kept << low) != binary)) ++kept;
  const double value = std::ldexp(static_cast<double>(kept), low - scale);
  if (std::isinf(value) && !upwards) return std::numeric_limits<double>::max();
  return value;
}

}  // namespace

void ExactSum::add(double value) {
  if (value == infinity) {
    ++infinite_;
    return;
  }
  const auto [mantissa, exponent] = scaled(value);
  add_to(units_, (cpp_int(mantissa) * fives()) << (exponent + scale));
}

void ExactSum::add(const ExactSum& other) {
  infinite_ += other.infinite_;
  add_to(units_, number_of(other.units_));
}

void ExactSum::add_decimal(double value) {
  if (value == infinity) {
    ++infinite_;
    return;
  }
  add_to(units_, decimal_units(value));
}

void ExactSum::add_product(double left, double right) {
  const auto a = scaled(left);
  const auto b = scaled(right);
  const int shift = a.exponent + b.exponent + scale;
  const cpp_int product = cpp_int(a.mantissa) * b.mantissa;
  // Mantissas of small doubles end in zeros, so a negative shift loses nothing.
  add_to(units_, (shift >= 0 ? cpp_int(product << shift) : cpp_int(product >> -shift)) * fives());
}

void ExactSum::subtract(const ExactSum& part) {
  const auto whole = number_of(units_);
  const auto taken = number_of(part.units_);
  if (part.infinite_ > infinite_ || taken > whole) {
    throw base::InternalError("more is taken back than was added");
  }
  infinite_ -= part.infinite_;
  units_ = words_of(whole - taken);
}

double ExactSum::rounded_up() const {
  return infinite() ? infinity : to_double(number_of(units_), true);
}

double ExactSum::rounded_down() const {
  return infinite() ? infinity : to_double(number_of(units_), false);
}

std::optional<double> ExactSum::as_decimal() const {
  if (infinite()) return std::nullopt;
  const auto units = number_of(units_);
  for (const double value : {to_double(units, false), to_double(units, true)}) {
    if (std::isfinite(value) && decimal_units(value) == units) return value;
  }
  return std::nullopt;
}

ExactSum ExactSum::minus(const ExactSum& other) const {
  ExactSum left;
  if (other.infinite()) return left;
  left.infinite_ = infinite_;
  const auto units = number_of(units_);
  const auto taken = number_of(other.units_);
  if (units > taken) left.units_ = words_of(units - taken);
  return left;
}

bool operator<=(const ExactSum& left, const ExactSum& right) {
  if (left.infinite() || right.infinite()) return right.infinite();
  return number_of(left.units_) <= number_of(right.units_);
}

std::string ExactSum::text() const {
  return fmt::format("{}+{}", infinite_, number_of(units_).str(0, std::ios_base::hex));
}

ExactSum ExactSum::from_text(std::string_view text) {
  ExactSum sum;
  const auto plus = text.find('+');
  const auto digits = plus == std::string_view::npos ? std::string_view{} : text.substr(plus + 1);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto read = std::from_chars(text.data(), text.data() + text.size(), sum.infinite_);
  constexpr std::size_t longest = 4096;  // a double has 1024 bits above the point
  if (digits.empty() || read.ec != std::errc() || digits.size() > longest ||
      read.ptr != text.data() + plus || sum.infinite_ < 0 ||
      !std::all_of(digits.begin(), digits.end(), is_digit)) {
    throw base::DataError("an exact sum of costs is damaged");
  }
  sum.units_ = words_of(cpp_int("0x" + std::string(digits)));
  return sum;
}

}  // namespace tacet::numeric
