#pragma once

/// Laplace's continued fraction erfcx(x) sqrt(pi) = 1 / (x + K), as erfcx_slope and
/// erfcx_slope_each evaluate it.
namespace tacet::numeric::internal {

inline constexpr double inverse_sqrt_pi = 0.56418958354775628695;
inline constexpr double fraction_from = 2;    // below this, the closed form is used
inline constexpr double fraction_to = 1e150;  // above this, the slope is 0

constexpr bool has_fraction(double x) { return x > fraction_from && x <= fraction_to; }

/// Its error falls like exp(-2 x sqrt(2 n)): n terms leave less than e^-40.
inline constexpr double fraction_reach = 220;
inline constexpr int fraction_min_terms = 12;
constexpr int fraction_terms(double x) {
  return static_cast<int>(fraction_reach / (x * x)) + fraction_min_terms;
}

/// -erfcx'(x) from K.
constexpr double slope_by_fraction(double x, double rest) {
  return 2 * inverse_sqrt_pi * rest / (x + rest);
}

}  // namespace tacet::numeric::internal
