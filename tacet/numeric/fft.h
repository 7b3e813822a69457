#pragma once

#include <cstddef>
#include <vector>

namespace tacet::numeric {

/// Complex Fourier transforms of length 2^log2_size on split arrays, with a proved error bound. The
/// arithmetic is radix 2, so each output is a sum over the inputs of products with at most log2(N)
/// factors, each rounded three times (addition, complex product, twiddle).
class Fft {
 public:
  explicit Fft(int log2_size);

  [[nodiscard]] std::size_t size() const { return std::size_t{1} << log2_size_; }

  /// Y[f] = sum_j X[j] exp(-2 pi i f j / N), in place; the output is in bit-reversed order.
  void forward(double* real, double* imaginary) const;
  /// The inverse, with the factor 1/N: takes bit-reversed order and returns natural order.
  void inverse(double* real, double* imaginary) const;

  /// Position of frequency -f when `position` holds f, both in bit-reversed order.
  [[nodiscard]] static std::size_t mirror(std::size_t position);

  /// tau with |computed Y[f] - Y[f]| <= tau sum_j |X[j]|; the inverse errs by at most
  /// (tau / N) sum_f |Y[f]|. With the squared-error constant of a complex product, sqrt(5) u
  /// (Brent, Percival, Zimmermann 2007), a twiddle within u and an addition within u, each level
  /// contributes 4.24 u; 4.3 and the factor 1.01 cover the higher orders, one level the scaling.
  [[nodiscard]] static double error_bound(int log2_size);

  /// The factors exp(-2 pi i k / (2 half)), k < half, at index half + k: for the test of their
  /// accuracy.
  [[nodiscard]] const std::vector<double>& cosines() const { return cosines_; }
  [[nodiscard]] const std::vector<double>& minus_sines() const { return minus_sines_; }

 private:
  int log2_size_;
  std::vector<double> cosines_;
  std::vector<double> minus_sines_;
};

}  // namespace tacet::numeric
