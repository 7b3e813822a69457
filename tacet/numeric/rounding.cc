#include "tacet/numeric/rounding.h"

#include <cmath>
#include <limits>

namespace tacet::numeric {
namespace {

/// Below this the error of a product or quotient need not be a double, so results count as inexact.
constexpr double min_with_exact_error = 0x1p-900;

/// Below this a relative error of 2^-51 comes near the steps between the smallest doubles.
constexpr double tiny = 1e-300;

}  // namespace

double round_up(double value) {
  return value == 0 || std::isinf(value) ? value : std::nextafter(value, infinity);
}

double add_up(double a, double b) {
  const double sum = a + b;
  if (std::isinf(sum)) return sum;
  // Knuth's exact error of an addition: sum + error == a + b.
  const double shadow = sum - a;
  const double error = (a - (sum - shadow)) + (b - shadow);
  return error > 0 ? std::nextafter(sum, infinity) : sum;
}

double divide_up(double a, double b) {
  if (b == 0 && a > 0) return infinity;  // dividing by minus zero must give infinity, too
  const double quotient = a / b;
  if (a == 0 || !std::isfinite(quotient) || std::isinf(b)) return quotient;
  if (a < min_with_exact_error || quotient < min_with_exact_error) {
    return std::nextafter(quotient, infinity);
  }
  return std::fma(-quotient, b, a) > 0 ? std::nextafter(quotient, infinity) : quotient;
}

double divide_down(double a, double b) {
  const double quotient = a / b;
  if (quotient == 0 || !std::isfinite(quotient)) return quotient;
  if (a < min_with_exact_error || quotient < min_with_exact_error) {
    return std::nextafter(quotient, 0);
  }
  return std::fma(-quotient, b, a) < 0 ? std::nextafter(quotient, 0) : quotient;
}

double sqrt_up(double value) {
  const double root = std::sqrt(value);
  if (root == 0 || std::isinf(root)) return root;
  if (value < min_with_exact_error) return std::nextafter(root, infinity);
  return std::fma(root, root, -value) < 0 ? std::nextafter(root, infinity) : root;
}

double multiply_up(double a, double b) {
  const double product = a * b;
  if (a == 0 || b == 0) return 0;
  if (std::isinf(product)) return product;
  if (product < min_with_exact_error) return std::nextafter(product, infinity);
  return std::fma(a, b, -product) > 0 ? std::nextafter(product, infinity) : product;
}

double multiply_down(double a, double b) {
  const double product = a * b;
  if (product == 0 || std::isinf(a) || std::isinf(b)) return product;
  if (std::isinf(product)) return std::numeric_limits<double>::max();
  if (product < min_with_exact_error) return std::nextafter(product, 0);
  return std::fma(a, b, -product) < 0 ? std::nextafter(product, 0) : product;
}

double raise_tiny(double upper) {
  // One step for the last rounding, and one for a bound that lay between two doubles.
  return upper < tiny ? std::nextafter(std::nextafter(upper, infinity), infinity) : upper;
}

double lower_tiny(double lower) {
  return lower < tiny ? std::nextafter(std::nextafter(lower, 0), 0) : lower;
}

double exp_of_upper(double log_upper) {
  return log_upper == -infinity ? 0 : raise_tiny(std::exp(log_upper));
}

double exp_of_lower(double log_lower) { return lower_tiny(std::exp(log_lower)); }

double count_up(std::int64_t count) {
  const auto value = static_cast<double>(count);
  return count > (std::int64_t{1} << 53) ? std::nextafter(value, infinity) : value;
}

}  // namespace tacet::numeric
