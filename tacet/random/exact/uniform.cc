#include "tacet/random/exact/uniform.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::random {

std::uint64_t uniform_below(Stream& stream, std::uint64_t n) {
  if (n == 0) throw base::UsageError("uniform_below needs a positive number of outcomes, got 0");
  // Lemire 2019: the high half of word * n is uniform once the words whose low half falls below
  // 2^64 mod n are rejected.
  __extension__ using Product = unsigned __int128;
  Product product = Product{stream.next()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t rejected = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < rejected) product = Product{stream.next()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool bernoulli_real(Stream& stream, double probability) {
  return bernoulli_real([&stream] { return stream.next(); }, probability);
}

bool bernoulli_real(const std::function<std::uint64_t()>& next, double probability) {
  if (!(probability >= 0 && probability <= 1)) {
    throw base::UsageError("a probability must lie in [0, 1], got {}", probability);
  }
  // Compares digit by digit to the base 2^64. Each step is exact: the scaling, the floor and the
  // remainder.
  while (probability > 0 && probability < 1) {
    const double scaled = std::ldexp(probability, 64);
    const double digit = std::floor(scaled);
    const std::uint64_t word = next();
    if (word != static_cast<std::uint64_t>(digit)) return word < static_cast<std::uint64_t>(digit);
    probability = scaled - digit;
  }
  return probability == 1;
}

}  // namespace tacet::random

namespace tacet::random::internal {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr int max_uniform_bits = 512;
// exp(-2000) is below 2^-2800, which is finer than any comparison.
constexpr int exp_end = 2000;

double shifted_double(const Integer& value, int exponent) {
  if (value == 0) return 0;
  const int dropped = std::max(0, static_cast<int>(msb(value)) - 60);
  return std::ldexp(static_cast<double>(Integer(value >> dropped)), dropped + exponent);
}

/// Bounds of exp(-x) 2^p for an x in [x_scaled, x_scaled + 1] 2^-p, x < 4000. With y = x / 2^s
/// below 1/2 and working units of 2^-w, the alternating series of exp(-y) errs by less than one
/// unit a term; squaring s times doubles the relative error each time and adds one unit.
Bracket exp_of_scaled(const Integer& x_scaled, int p) {
  const double x = shifted_double(x_scaled, -p);
  const int s = std::max(0, static_cast<int>(std::ceil(std::log2(x + 1e-9))) + 1);
  const int growth = 3 * s + 24;
  const int w = p + growth;
  const Integer y = x_scaled << (growth - s);
  Integer term = Integer(1) << w;
  Integer even = term;
  Integer odd = 0;
  for (unsigned n = 1; term != 0; ++n) {
    term = ((term * y) >> w) / n;
    (n % 2 == 0 ? even : odd) += term;
  }
  // Each of fewer than w + 2 terms has an error of at most 2 units, and the rest of the series a
  // smaller one.
  Integer low = even - odd - 2 * (w + 3);
  Integer high = even - odd + 2 * (w + 3);
  for (int i = 0; i < s; ++i) {
    low = (low * low) >> w;
    high = ((high * high) >> w) + 1;
  }
  // x may be one unit larger.
  low = (low >> growth) - 1;
  return {low < 0 ? Integer(0) : low, (high >> growth) + 1};
}

}  // namespace

Fraction exact_fraction(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  Fraction result{static_cast<std::int64_t>(std::ldexp(fraction, 53)), 1};
  if (exponent >= 53) {
    result.numerator <<= exponent - 53;
  } else {
    result.denominator <<= 53 - exponent;
  }
  return result;
}

double approximate(const Fraction& value) {
  if (value.numerator == 0) return 0;
  const Integer magnitude = abs(value.numerator);
  const int up =
      std::max(0, 64 + static_cast<int>(msb(value.denominator)) - static_cast<int>(msb(magnitude)));
  const double result = shifted_double((magnitude << up) / value.denominator, -up);
  return value.numerator < 0 ? -result : result;
}

Bracket exp_bracket(const Fraction& x, int p) {
  if (x.numerator > exp_end * x.denominator) return {0, 1};
  return exp_of_scaled((x.numerator << p) / x.denominator, p);
}

double certain_exp(double x) {
  // exp(-x) = 2^-n exp(-r), |r| <= 0.35. n ln 2 is exact in the high part, whose last 11 bits are
  // zero; the Taylor polynomial of degree 13 leaves 0.35^14/14! < 2^-57. Rounding errors: r within
  // 2^-54 + n 2^-86, 26 operations on values below 1.5 weighted by falling powers of r.
  constexpr double log2_high = 0x1.62e42fefa3800p-1;
  constexpr double log2_low = 0x1.ef35793c76730p-45;
  const double n = std::nearbyint(x * 0x1.71547652b82fep+0);
  const double r = -((x - n * log2_high) - n * log2_low);
  double sum = 1.0 / 6227020800.0;
  constexpr double factors[] = {1.0 / 479001600,
                                1.0 / 39916800,
                                1.0 / 3628800,
                                1.0 / 362880,
                                1.0 / 40320,
                                1.0 / 5040,
                                1.0 / 720,
                                1.0 / 120,
                                1.0 / 24,
                                1.0 / 6,
                                1.0 / 2,
                                1.0,
                                1.0};
  for (const double factor : factors) sum = sum * r + factor;
  return std::ldexp(sum, -static_cast<int>(n));
}

bool LazyUniform::below_exactly(const std::function<Bracket(int)>& exact) {
  if (count_ == 0) {
    bits_ = word_ >> (64 - word_bits_);
    count_ = word_bits_;
  }
  while (true) {
    const int p = count_ + 16;
    const Bracket value = exact(p);
    if (((bits_ + 1) << 16) <= value.low) return true;
    if ((bits_ << 16) >= value.high) return false;
    if (count_ >= max_uniform_bits) {
      throw base::InternalError("512 random bits did not decide one draw; the generator is broken");
    }
    bits_ = (bits_ << 64) + more_((count_ - word_bits_) / 64);
    count_ += 64;
  }
}

namespace {

/// U < exp(-(2k - odd)/(2 scale)), odd = 1 for a shift of 1/2.
bool below_threshold(LazyUniform& uniform, std::int64_t k, double scale, const Fraction& exact,
                     int odd) {
  const double x = (static_cast<double>(k) - 0.5 * odd) / scale;
  const double approximation = x > 700 ? 0 : certain_exp(x);
  return uniform.below(approximation, certain_exp_error + x * numeric::ulps(4), [&](int p) {
    return exp_bracket({(2 * Integer(k) - odd) * exact.denominator, 2 * exact.numerator}, p);
  });
}

/// The largest k for which a decreasing predicate holds, from a guess that is usually right.
template <class Predicate>
std::int64_t last_true(std::int64_t guess, const Predicate& holds) {
  std::int64_t stride = 1;
  std::int64_t low = guess;
  while (!holds(low)) {
    low -= stride;
    stride *= 2;
  }
  std::int64_t high = guess + 1;  // the predicate does not hold here, once that is known
  if (low < guess) {
    high = low + stride / 2;
  } else {
    for (stride = 1; holds(high); stride *= 2) {
      low = high;
      high += stride;
    }
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

/// Bounds of base^k 2^p. The roundings of the products move the result by less than k units in all,
/// and the width of the base's bounds by a few times that. The added bits keep both below 2^-p.
Bracket power_bracket(std::int64_t k, int p, const std::function<Bracket(int)>& base) {
  const int w = p + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k))) + 8;
  Bracket square = base(w);
  Bracket power{Integer(1) << w, Integer(1) << w};
  for (std::int64_t left = k; left > 0; left >>= 1) {
    if ((left & 1) != 0) {
      power.low = (power.low * square.low) >> w;
      power.high = ((power.high * square.high) >> w) + 1;
    }
    square.low = (square.low * square.low) >> w;
    square.high = ((square.high * square.high) >> w) + 1;
  }
  return {power.low >> (w - p), (power.high >> (w - p)) + 1};
}

/// -ln of the middle of U's first cell, as a start.
double guessed_exponential(std::uint64_t word) {
  const double u = (static_cast<double>(word) + 0.5) * 0x1p-64;
  const double rest = (static_cast<double>(~word) + 0.5) * 0x1p-64;
  return u < 0.5 ? -std::log(u) : -std::log1p(-rest);
}

}  // namespace

std::int64_t round_exponential(LazyUniform& uniform, double scale, const Fraction& exact,
                               bool half) {
  const int odd = half ? 1 : 0;
  const double guess = scale * guessed_exponential(uniform.word()) + 0.5 * odd;
  return last_true(static_cast<std::int64_t>(guess), [&](std::int64_t k) {
    return k <= 0 || below_threshold(uniform, k, scale, exact, odd);
  });
}

std::int64_t largest_power(LazyUniform& uniform, double rate, std::int64_t max,
                           const std::function<Bracket(int)>& base) {
  const auto holds = [&](std::int64_t k) {
    if (k <= 0) return true;
    if (k > max) return false;
    const double x = static_cast<double>(k) * rate;
    const double approximation = x > 700 ? 0 : certain_exp(x);
    return uniform.below(approximation, certain_exp_error + x * (rate_error + numeric::ulps(64)),
                         [&](int p) { return power_bracket(k, p, base); });
  };
  // Most runs end before the first success.
  if (max <= 0 || holds(max)) return std::max<std::int64_t>(max, 0);
  const double guess = guessed_exponential(uniform.word()) / rate;
  // k = max is ruled out, so the search starts below it.
  const double last = static_cast<double>(max - 1);
  return last_true(guess < last ? static_cast<std::int64_t>(guess) : max - 1, holds);
}

}  // namespace tacet::random::internal
