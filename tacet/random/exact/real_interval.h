#pragma once

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>

#include "tacet/random/source/source.h"

namespace tacet::random::internal {

/// 640 bits, 40 more than the widening of RealInterval assumes.
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    640, boost::multiprecision::digit_base_2, void, std::int32_t, -60000, 60000>>;

/// The interval [low, high]. Every operation widens its result by a relative 2^-600, which is far
/// more than the rounding errors of the library's arithmetic, roots and logarithms.
struct RealInterval {
  Real low = 0;
  Real high = 0;
};

[[nodiscard]] RealInterval interval(double exact_value);
[[nodiscard]] RealInterval operator+(const RealInterval& a, const RealInterval& b);
[[nodiscard]] RealInterval operator-(const RealInterval& a, const RealInterval& b);
[[nodiscard]] RealInterval operator*(const RealInterval& a, const RealInterval& b);
/// b must not contain 0.
[[nodiscard]] RealInterval operator/(const RealInterval& a, const RealInterval& b);
/// a >= 0; a lower end of 0 stays 0.
[[nodiscard]] RealInterval sqrt(const RealInterval& a);
/// a > 0.
[[nodiscard]] RealInterval log(const RealInterval& a);

/// A double with a bound of its distance from the exact number.
struct Approximate {
  double value = 0;
  double error = 0;
};

/// ln x for a double x > 0, by operations whose rounding IEEE 754 fixes; relative error below
/// 2^-47 where |ln x| > 1/4, and below 2^-49 absolute elsewhere.
[[nodiscard]] double certain_log(double x);

/// A uniform number in (0, 1), known in two ways: its first word in doubles, or 512 bits. The later
/// words are drawn from the stream when they are first needed.
class TwoStageUniform {
 public:
  explicit TwoStageUniform(Stream& stream) : word_(stream.next()) {}
  TwoStageUniform(std::uint64_t word, const std::array<std::uint64_t, 7>& rest)
      : word_(word), rest_(rest), complete_(true) {}

  [[nodiscard]] std::uint64_t word() const { return word_; }
  void complete(Stream& stream);
  /// Call complete() first.
  [[nodiscard]] RealInterval all_bits() const;

 private:
  std::uint64_t word_;
  std::array<std::uint64_t, 7> rest_{};
  bool complete_ = false;
};

/// The inverse normal at the middle of the word's cell of U, and how far that of any point of the
/// cell can be from it. The distance is infinite beyond 6 sigma.
[[nodiscard]] Approximate approximate_normal(std::uint64_t word);

/// The exponential variable -ln U.
[[nodiscard]] Approximate exponential_of_word(std::uint64_t word);
[[nodiscard]] RealInterval exponential_of(const TwoStageUniform& uniform);
/// The standard normal variable at U.
[[nodiscard]] RealInterval normal_of(const TwoStageUniform& uniform);

/// floor(x + 1/2), if both bounds agree on it.
[[nodiscard]] bool rounds_certainly(const RealInterval& x, std::int64_t& rounded);

}  // namespace tacet::random::internal
