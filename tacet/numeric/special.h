#pragma once

namespace tacet::numeric {

/// Constants of the normal distribution.
inline constexpr double sqrt_half = 0.70710678118654752440;
inline constexpr double sqrt_half_pi = 1.2533141373155002512;
inline constexpr double inverse_sqrt_2pi = 0.39894228040143267794;
inline constexpr double log_sqrt_2pi = 0.91893853320467274178;
inline constexpr double mean_absolute_normal = 0.79788456080286535588;  ///< sqrt(2 / pi)

/// exp(x^2) erfc(x), without overflow for large x and with a relative error of a few units in the
/// last place (W. J. Cody's rational approximations, 1969). x below -26.6 overflows to infinity.
[[nodiscard]] double erfcx(double x);

/// 2/sqrt(pi) - 2 x erfcx(x) = -erfcx'(x), positive, without the cancellation of that formula for
/// large x.
[[nodiscard]] double erfcx_slope(double x);

/// Distribution function of the standard normal; relative accuracy in both tails.
[[nodiscard]] double normal_cdf(double x);

/// log(normal_cdf(x)), also if the value itself underflows.
[[nodiscard]] double log_normal_cdf(double x);

/// Phi(b) - Phi(a) for a <= b with relative accuracy, also for narrow intervals far out (a
/// difference of two distribution functions loses the narrow ones). Infinite ends are allowed.
[[nodiscard]] double normal_interval(double a, double b);

/// The x with normal_cdf(x) = p, for 0 < p < 1; the ends give infinities.
[[nodiscard]] double normal_quantile(double p);

/// The x with log_normal_cdf(x) = log_p, for log_p < log(1/2); reaches far below 1e-308.
[[nodiscard]] double normal_quantile_from_log(double log_p);

/// log(1 - exp(x)) for x <= 0.
[[nodiscard]] double log1mexp(double x);

/// log(1 + exp(x)).
[[nodiscard]] double log1p_exp(double x);

/// log(exp(a) + exp(b)); minus infinity stands for 0.
[[nodiscard]] double log_add_exp(double a, double b);

}  // namespace tacet::numeric
