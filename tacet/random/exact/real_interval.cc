#include "tacet/random/exact/real_interval.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/exact_normal.h"

namespace tacet::random::internal {
namespace {

using Integer = boost::multiprecision::cpp_int;

RealInterval widened(const Real& low, const Real& high) {
  static const Real unit = ldexp(Real(1), -600);
  return {low - abs(low) * unit, high + abs(high) * unit};
}

template <class Operation>
RealInterval of_corners(const RealInterval& a, const RealInterval& b, const Operation& operation) {
  const Real corners[] = {operation(a.low, b.low), operation(a.low, b.high),
                          operation(a.high, b.low), operation(a.high, b.high)};
  return widened(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

}  // namespace

RealInterval interval(double exact_value) { return {Real(exact_value), Real(exact_value)}; }

RealInterval operator+(const RealInterval& a, const RealInterval& b) {
  return widened(a.low + b.low, a.high + b.high);
}

RealInterval operator-(const RealInterval& a, const RealInterval& b) {
  return widened(a.low - b.high, a.high - b.low);
}

RealInterval operator*(const RealInterval& a, const RealInterval& b) {
  return of_corners(a, b, [](const Real& x, const Real& y) { return Real(x * y); });
}

RealInterval operator/(const RealInterval& a, const RealInterval& b) {
  return of_corners(a, b, [](const Real& x, const Real& y) { return Real(x / y); });
}

RealInterval sqrt(const RealInterval& a) {
  return widened(boost::multiprecision::sqrt(a.low), boost::multiprecision::sqrt(a.high));
}

RealInterval log(const RealInterval& a) {
  return widened(boost::multiprecision::log(a.low), boost::multiprecision::log(a.high));
}

double certain_log(double x) {
  // x = 2^e m, sqrt(1/2) <= m < sqrt(2); ln m = 2 artanh f, f = (m - 1)/(m + 1), |f| < 0.172: the
  // series to f^21 leaves 2^-60. m - 1 is exact, the other steps round once each.
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    --e;
  }
  const double f = (m - 1) / (m + 1);
  const double square = f * f;
  double sum = 0;
  for (int i = 21; i >= 3; i -= 2) sum = (sum + 1.0 / i) * square;
  const double log_m = 2 * f * (1 + sum);
  constexpr double log2_high = 0x1.62e42fefa3800p-1;
  constexpr double log2_low = 0x1.ef35793c76730p-45;
  return e * log2_high + (log_m + e * log2_low);
}

void TwoStageUniform::complete(Stream& stream) {
  if (complete_) return;
  for (std::uint64_t& word : rest_) word = stream.next();
  complete_ = true;
}

RealInterval TwoStageUniform::all_bits() const {
  if (!complete_) throw base::InternalError("a uniform number was read before it was complete");
  Integer bits = word_;
  for (const std::uint64_t word : rest_) bits = (bits << 64) + word;
  return {ldexp(Real(bits), -512), ldexp(Real(bits + 1), -512)};
}

Approximate exponential_of_word(std::uint64_t word) {
  // U lies in [word, word + 1] 2^-64. Above 1/2 the distance from 1 is the exact quantity:
  // -ln(1 - v) = 2 artanh(v / (2 - v)).
  if (word >> 63 != 0) {
    const double v = (static_cast<double>(~word) + 0.5) * 0x1p-64;
    const double f = v / (2 - v);
    const double square = f * f;
    double sum = 0;
    for (int i = 35; i >= 3; i -= 2) sum = (sum + 1.0 / i) * square;
    const double value = 2 * f * (1 + sum);
    return {value, value * numeric::ulps(16) + 0x1p-63};
  }
  const double u = (static_cast<double>(word) + 0.5) * 0x1p-64;
  const double value = -certain_log(u);
  // The cell's half-width over its lower end; the first cell has no lower end above 0.
  const double cell = word == 0 ? HUGE_VAL : 0x1p-64 / (static_cast<double>(word) * 0x1p-64);
  return {value, value * numeric::ulps(64) + cell};
}

RealInterval exponential_of(const TwoStageUniform& uniform) {
  const RealInterval u = uniform.all_bits();
  if (u.low <= 0 || u.high >= 1) {
    throw base::InternalError("512 equal random bits; the generator is broken");
  }
  return log({Real(1 / u.high) * (1 - ldexp(Real(1), -610)),
              Real(1 / u.low) * (1 + ldexp(Real(1), -610))});
}

RealInterval normal_of(const TwoStageUniform& uniform) {
  constexpr int p = 620;
  const RealInterval u = uniform.all_bits();
  const Real distance = (u.low + u.high) / 2 - Real(0.5);
  const bool negative = distance < 0;
  const Integer wanted(ldexp(Real(abs(distance)), p));
  const MoreBits none = [](int) { return std::uint64_t{0}; };
  Real z = std::fabs(approximate_rounded_normal(CentredUniform(uniform.word(), none), 1.0));
  // Newton's iteration, then a certified bound of the remaining distance: the density at z and a
  // little beyond is above exp(-z^2/2 - 1) / 3.
  const double root_two_pi = std::sqrt(6.283185307179586);
  for (int i = 0; i < 60; ++i) {
    const NormalBracket value = centred_normal(Integer(ldexp(z, p)), p);
    Real step = ldexp(Real(wanted - value.low), -p) * root_two_pi *
                std::exp(0.5 * static_cast<double>(z) * static_cast<double>(z));
    step = std::min(std::max(step, Real(-1) / 4), Real(1) / 4);
    z = std::max(Real(z + step), Real(0));
    if (abs(step) < ldexp(Real(1), -480)) break;
  }
  const NormalBracket value = centred_normal(Integer(ldexp(z, p)), p);
  const Integer miss =
      std::max(Integer(abs(value.low - wanted)), Integer(abs(value.high - wanted))) + 2;
  const Real cell = (u.high - u.low) + ldexp(Real(miss), -p);
  const Real reach = cell * 3 * exp(Real(z * z / 2 + 1)) + ldexp(Real(1), -600);
  if (reach > ldexp(Real(1), -6)) {
    throw base::InternalError("512 random bits did not decide one draw; the generator is broken");
  }
  return negative ? RealInterval{-z - reach, -z + reach} : RealInterval{z - reach, z + reach};
}

bool rounds_certainly(const RealInterval& x, std::int64_t& rounded) {
  const Real low = floor(Real(x.low + Real(0.5)));
  const Real high = floor(Real(x.high + Real(0.5)));
  if (low != high || abs(low) > ldexp(Real(1), 62)) return false;
  rounded = static_cast<std::int64_t>(Integer(low));
  return true;
}

}  // namespace tacet::random::internal
