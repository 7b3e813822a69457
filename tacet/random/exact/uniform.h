#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <cstdint>
#include <functional>

#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// Uniform on 0, ..., n - 1, exactly. UsageError for n = 0.
[[nodiscard]] std::uint64_t uniform_below(Stream& stream, std::uint64_t n);

/// True with exactly the probability `probability`, however small. UsageError unless it is in [0,
/// 1]. Of two complementary probabilities pass the smaller one, since 1 - p rounds.
[[nodiscard]] bool bernoulli_real(Stream& stream, double probability);
/// The same, with words from any source; reads at most 18 of them.
[[nodiscard]] bool bernoulli_real(const std::function<std::uint64_t()>& next, double probability);

}  // namespace tacet::random

namespace tacet::random::internal {

/// low <= value 2^p <= high.
struct Bracket {
  boost::multiprecision::cpp_int low;
  boost::multiprecision::cpp_int high;
};

/// A fraction with exact integers, denominator > 0.
struct Fraction {
  boost::multiprecision::cpp_int numerator;
  boost::multiprecision::cpp_int denominator;
};

/// The exact value of a finite double.
[[nodiscard]] Fraction exact_fraction(double value);
/// About the value, to 2^-52 relative; 0 and infinity beyond the range of doubles.
[[nodiscard]] double approximate(const Fraction& value);

/// Bounds of exp(-x) for an exact x >= 0; they are about 2^-p apart.
[[nodiscard]] Bracket exp_bracket(const Fraction& x, int p);

/// exp(-x) in doubles for 0 <= x <= 700 with a relative error below 2^-45, by operations whose
/// rounding IEEE 754 fixes: the same on every machine.
[[nodiscard]] double certain_exp(double x);
constexpr double certain_exp_error = numeric::ulps(128);

/// A uniform number U in [0, 1) whose bits are drawn when comparisons need them: first those of a
/// word, then the words that `more` returns.
class LazyUniform {
 public:
  /// The first `word_bits` (63 or 64) bits of `word` count; the others must be 0.
  LazyUniform(std::uint64_t word, MoreBits more, int word_bits = 64)
      : word_(word), more_(std::move(more)), word_bits_(word_bits) {}
  explicit LazyUniform(Stream& stream)
      : LazyUniform(stream.next(), [&stream](int) { return stream.next(); }) {}

  [[nodiscard]] std::uint64_t word() const { return word_; }

  /// Whether U < value. `approximation` is within a relative `error` of the value; `exact` gives
  /// bounds of value 2^p for any p and is called only if U is too close to the value.
  template <class Exact>
  [[nodiscard]] bool below(double approximation, double error, const Exact& exact) {
    // One word of U decides unless it is next to the value. The conversion to a double rounds by
    // 2^-53.
    const double low = static_cast<double>(word_) * 0x1p-64;
    const double slack = error + numeric::ulps(4);
    if (low * (1 + slack) + 0x1p-62 < approximation * (1 - slack)) return true;
    if (low * (1 - slack) > approximation * (1 + slack) && approximation >= 0) return false;
    return below_exactly(exact);
  }

 private:
  [[nodiscard]] bool below_exactly(const std::function<Bracket(int)>& exact);

  std::uint64_t word_;
  MoreBits more_;
  int word_bits_;
  // all bits drawn so far, once there are any after the word
  boost::multiprecision::cpp_int bits_ = 0;
  int count_ = 0;
};

/// floor(scale E + shift), where E = -ln U is exponential and shift is 0 or 1/2: the largest k with
/// U < exp(-(k - shift)/scale), or 0. `exact` is the scale without error.
[[nodiscard]] std::int64_t round_exponential(LazyUniform& uniform, double scale,
                                             const Fraction& exact, bool half);

/// The largest k in 0..max with U < base^k, for a base in [0, 1) or next to 1: geometric with a
/// probability of success of 1 - base. `rate` is -ln base to a relative error of rate_error. Beyond
/// 700 any such number will do, and below 2^-700 it is 0. `base(p)` returns bounds of base 2^p that
/// are a few units apart.
constexpr double rate_error = 0x1p-40;
[[nodiscard]] std::int64_t largest_power(LazyUniform& uniform, double rate, std::int64_t max,
                                         const std::function<Bracket(int)>& base);

}  // namespace tacet::random::internal
