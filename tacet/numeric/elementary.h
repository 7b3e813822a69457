#pragma once

namespace tacet::numeric {

/// exp, log and friends built from additions, multiplications and divisions alone, in one fixed
/// order. The C library's differ in the last bits from machine to machine; these give the same
/// bits wherever doubles are IEEE 754, which a training loop needs to be reproducible.

/// e^x. Relative error below 2^-51; 0 below -745.2, infinity above 709.8, NaN for NaN.
[[nodiscard]] double exp(double x);

/// ln(x) for x > 0. Absolute error below 2^-51 max(1, |ln x|); -infinity at 0, NaN below.
[[nodiscard]] double log(double x);

/// ln(1 + e^x), without overflow for large x or cancellation for small ones.
[[nodiscard]] double softplus(double x);

/// 1 / (1 + e^-x).
[[nodiscard]] double sigmoid(double x);

/// Sine and cosine of 2 pi `turns`, that is, of that many full turns. Absolute error below 2^-51
/// for every finite number; exact at multiples of a quarter turn.
struct SineCosine {
  double sine;
  double cosine;
};
[[nodiscard]] SineCosine sine_cosine(double turns);

}  // namespace tacet::numeric
