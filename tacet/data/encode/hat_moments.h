#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "tacet/data/encode/curve_features.h"

namespace tacet::data {

/// Moments of standard normal numbers z and of the pairs of hat functions around k and -k, without
/// the factor of their height: sums over a grid that the knots lie on, whose moments of waves are
/// those of the normal law to the last bit.
class HatMoments {
 public:
  static constexpr std::size_t half_hats = CurveFunctions::half_hats;
  using Values = std::array<double, half_hats>;
  struct Products {
    std::array<Values, half_hats> even{};
    std::array<Values, half_hats> odd{};
  };

  HatMoments();

  Values mean{};   ///< of the even ones
  Values slope{};  ///< mean of the odd ones times z

  /// Means of even ones times cos(2 pi turns z), and of odd ones times the sine.
  [[nodiscard]] std::pair<Values, Values> with_wave(double turns) const;
  /// Of two functions of one number.
  [[nodiscard]] const Products& of_one() const { return of_one_; }
  /// Of a function of each of two numbers with this correlation: so many terms of Mehler's series
  /// in it. Terms that are left out have positive semidefinite matrices.
  [[nodiscard]] Products of_two(double correlation) const;

 private:
  static constexpr double step_ = 1.0 / 24;  // an eighth of the way between knots
  static constexpr int points_ = 8 * 24;
  static constexpr std::size_t terms_ = 16;  // of even ones, and of odd ones
  using Series = std::array<std::array<double, terms_>, half_hats>;

  Products of_one_{};
  Series even_series_{};  // coefficients of normalised Hermite polynomials of even order
  Series odd_series_{};
  std::array<double, points_> weights_{};
  std::array<std::size_t, half_hats> begin_{};  // of the points where hat functions are not 0
  std::array<std::size_t, half_hats> end_{};
  std::array<std::array<double, points_>, half_hats> even_{};
  std::array<std::array<double, points_>, half_hats> odd_{};
};

}  // namespace tacet::data
