#include "tacet/ledger/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

using boost::multiprecision::cpp_int;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int mantissa_bits = 53;
constexpr int smallest_exponent = -1074;  // the smallest double is 2^-1074
constexpr int scale = -2 * smallest_exponent;

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

/// units * 2^-scale as a double, away from exact only upwards or only downwards.
double to_double(const cpp_int& units, bool upwards) {
  if (units == 0) return 0;
  const int top = static_cast<int>(msb(units));
  const int low = std::max(top - (mantissa_bits - 1), scale + smallest_exponent);
  cpp_int kept = units >> low;
  if (upwards && (kept << low) != units) ++kept;
  const double value = std::ldexp(static_cast<double>(kept), low - scale);
  if (std::isinf(value) && !upwards) return std::numeric_limits<double>::max();
  return value;
}

}  // namespace

void ExactSum::add(double value) {
  if (value == infinity) {
    infinite_ = true;
    return;
  }
  const auto [mantissa, exponent] = scaled(value);
  units_ += cpp_int(mantissa) << (exponent + scale);
}

void ExactSum::add_product(double left, double right) {
  const auto a = scaled(left);
  const auto b = scaled(right);
  const int shift = a.exponent + b.exponent + scale;
  const cpp_int product = cpp_int(a.mantissa) * b.mantissa;
  // Mantissas of small doubles end in zeros, so a negative shift loses nothing.
  units_ += shift >= 0 ? cpp_int(product << shift) : cpp_int(product >> -shift);
}

double ExactSum::rounded_up() const { return infinite_ ? infinity : to_double(units_, true); }

double ExactSum::minus_rounded_down(const ExactSum& other) const {
  if (other.infinite_) return 0;
  if (infinite_) return infinity;
  if (units_ <= other.units_) return 0;
  return to_double(units_ - other.units_, false);
}

double divide_up(double a, double b) {
  const double quotient = a / b;
  // The remainder of a division is exact: a - quotient b (Boldo, Daumas 2003).
  return std::fma(-quotient, b, a) > 0 ? std::nextafter(quotient, infinity) : quotient;
}

double multiply_up(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (product < std::numeric_limits<double>::min()) return std::nextafter(product, infinity);
  return std::fma(a, b, -product) > 0 ? std::nextafter(product, infinity) : product;
}

double multiply_down(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  if (std::isinf(product)) return std::numeric_limits<double>::max();
  if (product < std::numeric_limits<double>::min()) return std::nextafter(product, 0.0);
  return std::fma(a, b, -product) < 0 ? std::nextafter(product, 0.0) : product;
}

}  // namespace tacet::ledger
