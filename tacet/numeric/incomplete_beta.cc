#include "tacet/numeric/incomplete_beta.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::numeric {
namespace {

namespace mp = boost::multiprecision;
using Real =
    mp::number<mp::cpp_bin_float<256, mp::digit_base_2, void, std::int32_t, -(1 << 29), 1 << 29>,
               mp::et_off>;

/// The largest relative error that cutting off a sum of positive terms may leave.
const Real& truncation() {
  static const Real value = mp::ldexp(Real(1), -140);
  return value;
}

/// Rounded outwards by more than the conversion and the 2^-68 of the proof.
Bracketed outwards(const Real& value) {
  const auto near = static_cast<double>(value);
  return {std::max(0.0, std::nextafter(near, -1.0)), std::nextafter(near, 2.0)};
}

/// The sum of 1 + r_0 + r_0 r_1 + ..., where ratio(n) = r_n. All ratios from n on must be at
/// most max(r_n, limit) as soon as that is below 1: the rest is then below a geometric sum.
template <typename Ratio>
Real sum_of_ratios(const Real& limit, const Ratio& ratio) {
  Real sum = 1;
  Real term = 1;
  for (std::int64_t n = 0;; ++n) {
    const Real r = ratio(n);
    const Real max = r > limit ? r : limit;
    if (max < 1 && term * max <= truncation() * sum * (1 - max)) return sum;
    term *= r;
    sum += term;
  }
}

/// y^(exponent / 2), by squaring; at most 2 exponent + 44 roundings.
Real half_power(const Real& y, std::int64_t exponent) {
  Real power = exponent % 2 == 0 ? Real(1) : Real(mp::sqrt(y));
  Real square = y;
  for (std::int64_t left = exponent / 2; left > 0; left >>= 1) {
    if ((left & 1) != 0) power *= square;
    square *= square;
  }
  return power;
}

/// C_2 = 1/pi, C_3 = 1/2, C_{d+2} = C_d d / (d - 1). Two factors at a time are exact integers.
Real constant_of(std::int64_t dimension) {
  const Real pi(
      "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899");
  Real result = dimension % 2 == 0 ? 1 / pi : Real(0.5);
  std::int64_t d = dimension % 2 == 0 ? 2 : 3;
  for (; d + 2 < dimension; d += 4) {
    result *= Real(d * (d + 2));
    result /= Real((d - 1) * (d + 1));
  }
  for (; d < dimension; d += 2) result = result * Real(d) / Real(d - 1);
  return result;
}

Real exact_sum(const double (&parts)[4]) {
  return Real(parts[0]) + Real(parts[1]) + Real(parts[2]) + Real(parts[3]);
}

void check_place(double g) {
  if (!(g >= 0 && g < 1)) {
    throw base::UsageError("a cap of the sphere starts at 0 <= g < 1, got {}", g);
  }
}

}  // namespace

SphereCoordinate::SphereCoordinate(std::int64_t dimension) : dimension_(dimension) {
  if (dimension < 2 || dimension > max_sphere_dimension) {
    throw base::UsageError("a sphere coordinate has 2 to {} dimensions, got {}",
                           max_sphere_dimension, dimension);
  }
  Real rest = constant_of(dimension);
  for (double& part : constant_) {
    part = static_cast<double>(rest);
    rest -= part;
  }
}

Bracketed SphereCoordinate::tail(double g) const {
  check_place(g);
  const auto d = static_cast<double>(dimension_);
  const Real square = Real(g) * Real(g);
  const Real rest = 1 - square;
  const Real c = exact_sum(constant_);
  if (g * g <= 0.5 && d * g * g <= 64) {
    // 1/2 - P = C_d g (1 - g^2)^((d-1)/2) 2F1(1, d/2; 3/2; g^2). The tail is above 2^-72 here.
    const Real series = sum_of_ratios(square, [&](std::int64_t n) {
      return square * Real(dimension_ + 2 * n) / Real(3 + 2 * n);
    });
    return outwards(Real(0.5) - c * g * half_power(rest, dimension_ - 1) * series);
  }
  // P = C_d g (1 - g^2)^((d-1)/2) / (d - 1) 2F1(d/2, 1; (d+1)/2; 1 - g^2): ratios below 1 - g^2.
  const Real series = sum_of_ratios(rest, [&](std::int64_t n) {
    return rest * Real(dimension_ + 2 * n) / Real(dimension_ + 1 + 2 * n);
  });
  return outwards(c * g * half_power(rest, dimension_ - 1) * series / Real(dimension_ - 1));
}

double SphereCoordinate::upper_mean(double g) const {
  check_place(g);
  const Real rest = 1 - Real(g) * Real(g);
  return static_cast<double>(exact_sum(constant_) * half_power(rest, dimension_ - 1) /
                             Real(dimension_ - 1));
}

Bracketed SphereCoordinate::density_constant() const { return outwards(exact_sum(constant_)); }

}  // namespace tacet::numeric
