#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <functional>

namespace tacet::random::internal {

/// Returns word i (0, 1, ...) of the bits that continue a draw after its first 64.
using MoreBits = std::function<std::uint64_t(int)>;

/// low <= (Phi(x) - 1/2) 2^p <= high for every x in [x_scaled, x_scaled + 1] 2^-p, 0 <= x <= 40.1,
/// p up to 2048.
struct NormalBracket {
  boost::multiprecision::cpp_int low;
  boost::multiprecision::cpp_int high;
};
[[nodiscard]] NormalBracket centred_normal(const boost::multiprecision::cpp_int& x_scaled, int p);

/// Bounds of (Phi(x) - 1/2) 2^p, at most 2 apart, for x = odd / (2 sigma) >= 0; p up to 800, since
/// 1,200 more bits are needed where x is next to 40.
[[nodiscard]] NormalBracket centred_normal_at(std::uint64_t odd, double sigma, int p);

/// floor(2^2048 / sqrt(2 pi)).
[[nodiscard]] const boost::multiprecision::cpp_int& scaled_normal_constant();

/// The uniform variable U = 0.b1 b2 b3 ... of one draw, known through its distance from 1/2: |U -
/// 1/2| lies in [low, low + 1] 2^-bits. Bits are fetched only when needed.
class CentredUniform {
 public:
  CentredUniform(std::uint64_t word, const MoreBits& more);
  [[nodiscard]] bool negative() const { return negative_; }  ///< U < 1/2
  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] const boost::multiprecision::cpp_int& low() const { return low_; }
  /// Reads 64 more bits. InternalError if 512 bits do not decide, which has a probability below
  /// 2^-440.
  void extend();

 private:
  const MoreBits& more_;
  bool negative_;
  int bits_ = 64;
  boost::multiprecision::cpp_int low_;
};

/// The place of Phi(x) - 1/2 relative to the cell of a CentredUniform.
enum class Side { below, above, overlapping };

/// Compares the cell with Phi(x) - 1/2 for x = odd / (2 sigma), odd > 0: `below` means that the
/// whole cell is below. Integer arithmetic with proved error bounds decides; when they do not
/// suffice the answer is `overlapping`.
[[nodiscard]] Side compare_with_normal(const CentredUniform& uniform, std::uint64_t odd,
                                       double sigma);

/// The k with (k - 1/2)/sigma <= (inverse normal of U) < (k + 1/2)/sigma, by comparisons that start
/// at `guess`. Reads as many bits of U as the answer needs.
[[nodiscard]] std::int64_t invert_rounded_normal(CentredUniform& uniform, double sigma,
                                                 double guess);

/// An approximation of sigma times the inverse normal of U, as a start.
[[nodiscard]] double approximate_rounded_normal(const CentredUniform& uniform, double sigma);

}  // namespace tacet::random::internal
