#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "tacet/data/encode/curve_features.h"

namespace tacet::data {

/// Moments of standard normal numbers z and of the pairs of hat functions around k and -k, without
/// their height. They are sums over a grid that contains the knots; on it the moments of waves
/// agree with the normal law to the last bit.
class HatMoments {
 public:
  static constexpr std::size_t half_hats = CurveFunctions::half_hats;
  using Values = std::array<double, half_hats>;
  struct Products {
    std::array<Values, half_hats> even{};
    std::array<Values, half_hats> odd{};
  };

  HatMoments();

  Values mean{};   ///< of the even functions
  Values slope{};  ///< means of the odd functions times z

  /// Means of the even functions times cos(2 pi turns z), and of the odd functions times the sine.
  [[nodiscard]] std::pair<Values, Values> with_wave(double turns) const;
  /// Means of products of two functions of one number.
  [[nodiscard]] const Products& of_one() const { return of_one_; }
  /// Means of products of functions of two numbers with this correlation: the first terms of
  /// Mehler's series (1866). The omitted terms are positive semidefinite matrices.
  [[nodiscard]] Products of_two(double correlation) const;

 private:
  static constexpr double step_ = 1.0 / 24;  // an eighth of the distance between knots
  static constexpr int points_ = 8 * 24;
  static constexpr std::size_t terms_ = 16;  // of even order, and as many of odd order
  using Series = std::array<std::array<double, terms_>, half_hats>;

  Products of_one_{};
  Series even_series_{};  // coefficients of normalised Hermite polynomials of even order
  Series odd_series_{};
  std::array<double, points_> weights_{};
  // first grid point at which each hat function is not 0
  std::array<std::size_t, half_hats> begin_{};
  std::array<std::size_t, half_hats> end_{};
  std::array<std::array<double, points_>, half_hats> even_{};
  std::array<std::array<double, points_>, half_hats> odd_{};
};

}  // namespace tacet::data
