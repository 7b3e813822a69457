#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/privacy/guarantee.h"

/// For tests: bounds as textbooks and older papers have them. The accountants prove less than any.
namespace tacet::accounting::textbook {

/// epsilon of a mechanism with Renyi bound `value` at order alpha: value + ln(1/delta) / (alpha -
/// 1) (Mironov 2017).
inline double rdp_epsilon(double alpha, double value, double delta) {
  if (delta == 0) return std::numeric_limits<double>::infinity();
  return value - std::log(delta) / (alpha - 1);
}

/// rho + 2 sqrt(rho ln(1/delta)) (Bun, Steinke 2016).
inline double zcdp_epsilon(double rho, double delta) {
  if (rho == 0) return 0;
  return rho + 2 * std::sqrt(-rho * std::log(delta));
}

/// sensitivity sqrt(2 ln(1.25/delta)) / epsilon, for 0 < epsilon < 1 and 0 < delta only.
inline double gaussian_sigma(double sensitivity, double epsilon, double delta) {
  if (!(epsilon > 0 && epsilon < 1) || delta == 0)
    throw base::GuaranteeError("outside the theorem");
  return sensitivity * std::sqrt(2 * std::log(1.25 / delta)) / epsilon;
}

/// Advanced composition (Dwork, Rothblum, Vadhan 2010): epsilon sqrt(2 count ln(1/slack)) + count
/// epsilon (e^epsilon - 1), at count delta + slack.
inline privacy::Guarantee advanced_composition(const privacy::Guarantee& each, std::int64_t count,
                                               double slack) {
  const auto n = static_cast<double>(count);
  const double e = each.epsilon;
  const double total = e * std::sqrt(-2 * n * std::log(slack)) + n * e * std::expm1(e);
  return {total, std::min(1.0, n * each.delta + slack), each.adjacency};
}

/// Shuffled reports in closed form (Feldman, McMillan, Talwar 2021), local_epsilon where its
/// condition fails.
inline double shuffled_epsilon_2021(std::int64_t reports, double local_epsilon, double delta) {
  const auto n = static_cast<double>(reports);
  if (!(local_epsilon <= std::log(n / (16 * std::log(2 / delta))))) return local_epsilon;
  const double e = std::exp(local_epsilon);
  return std::log1p((e - 1) / (e + 1) * (8 * std::sqrt(e * std::log(4 / delta) / n) + 8 * e / n));
}

/// The same by the theorem of 2022.
inline double shuffled_epsilon_2022(std::int64_t reports, double local_epsilon, double delta) {
  const auto n = static_cast<double>(reports);
  if (!(local_epsilon <= std::log(n / (8 * std::log(2 / delta)) - 1))) return local_epsilon;
  const double e = std::exp(local_epsilon);
  return std::log1p((e - 1) * (4 * std::sqrt(2 * std::log(4 / delta) / ((e + 1) * n)) + 4 / n));
}

}  // namespace tacet::accounting::textbook
