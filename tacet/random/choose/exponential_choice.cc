#include "tacet/random/choose/exponential_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/random/exact/uniform.h"

namespace tacet::random {
namespace {

using internal::Bracket;
using internal::Fraction;
using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t max_items = std::size_t{1} << 28;
constexpr double log_2 = 0.69314718055994530942;
constexpr int total_bits = 62;
// Exponents up to 130 matter. Three roundings of such an exponent, with the error of certain_exp,
// stay below this.
constexpr double weight_error = 0x1p-42;
constexpr double farthest_exponent = 130;  // beyond, count 2^shift exp(-x) < 2^64 2^62 e^-130 < 1

double magnitude(std::int64_t level, std::int64_t reference) {
  // The difference of two 64-bit integers needs 65 bits.
  __extension__ using Signed = __int128;
  return static_cast<double>(Signed{level} - Signed{reference});
}

/// exp(x) for -130 <= x <= 45.
double exponential(double x) {
  return x <= 0 ? internal::certain_exp(-x) : 1 / internal::certain_exp(x);
}

/// Bounds of 2^p count 2^shift exp(-x) / divisor, for x of any sign.
Bracket scaled_bracket(std::uint64_t count, int shift, const Fraction& x, std::uint64_t divisor,
                       int p) {
  // So many bits that the count, the shift and an exponential up to e^45 leave an error of 2^-p.
  const int q = p + 256;
  const Bracket base = internal::exp_bracket({abs(x.numerator), x.denominator}, q);
  Bracket result;
  if (x.numerator >= 0) {
    result = {base.low * count, base.high * count};
  } else {
    const Integer one = Integer(1) << (2 * q);
    result = {(one / base.high) * count, (one / base.low + 1) * count};
  }
  const int down = q - p - shift;
  result.low = (result.low / divisor) >> down;
  result.high = ((result.high / divisor + 1) >> down) + 1;
  return result;
}

}  // namespace

ExponentialChoice::ExponentialChoice(std::span<const WeightedLevel> items, WideRatio rate)
    : items_(items),
      rate_(rate),
      approximate_rate_(static_cast<double>(rate.numerator) /
                        static_cast<double>(rate.denominator)) {
  if (rate.denominator == 0 || !(approximate_rate_ < 0x1p62)) {
    throw base::UsageError("the rate of an exponential choice must be below 2^62");
  }
  if (items.size() > max_items) {
    throw base::UsageError("a choice is possible among at most {} items, got {}", max_items,
                           items.size());
  }
  bool any = false;
  std::int64_t lowest = 0;
  for (const auto& item : items) {
    if (item.count == 0) continue;
    lowest = any ? std::min(lowest, item.level) : item.level;
    any = true;
  }
  if (!any) throw base::UsageError("a choice needs at least one item to choose");
  // The heaviest item, up to a factor of 2 and roundings, becomes the unit. Levels are measured
  // from the lowest one: the heaviest item is close to it, since counts differ by at most 2^64.
  double heaviest = -std::numeric_limits<double>::infinity();
  int heaviest_bits = 0;
  for (const auto& item : items) {
    if (item.count == 0) continue;
    const auto bits = static_cast<int>(std::bit_width(item.count));
    const double weight = log_2 * bits - approximate_rate_ * magnitude(item.level, lowest);
    if (weight <= heaviest) continue;
    heaviest = weight;
    heaviest_bits = bits;
    reference_level_ = item.level;
  }
  // Two bits for roundings of the logarithms above; each scaled weight is below 2^60 / items.
  shift_ = total_bits - 2 - heaviest_bits - static_cast<int>(std::bit_width(items.size()));
  for (const auto& item : items) total_ += envelope(item);
}

double ExponentialChoice::exponent(std::int64_t level) const {
  return approximate_rate_ * magnitude(level, reference_level_);
}

double ExponentialChoice::scaled_weight(const WeightedLevel& item) const {
  const double x = exponent(item.level);
  if (x > farthest_exponent) return 0;
  return std::ldexp(static_cast<double>(item.count) * exponential(-x), shift_);
}

std::uint64_t ExponentialChoice::envelope(const WeightedLevel& item) const {
  if (item.count == 0) return 0;
  return static_cast<std::uint64_t>(scaled_weight(item) * (1 + 2 * weight_error)) + 1;
}

bool ExponentialChoice::accept(Stream& stream, const WeightedLevel& item) const {
  const std::uint64_t proposed = envelope(item);
  internal::LazyUniform uniform(stream);
  return uniform.below(
      scaled_weight(item) / static_cast<double>(proposed), weight_error, [&](int p) {
        const Integer difference = Integer(item.level) - reference_level_;
        return scaled_bracket(item.count, shift_,
                              {difference * Integer(rate_.numerator), Integer(rate_.denominator)},
                              proposed, p);
      });
}

std::size_t ExponentialChoice::draw(Stream& stream) const {
  while (true) {
    std::uint64_t place = uniform_below(stream, total_);
    std::size_t i = 0;
    for (std::uint64_t weight = envelope(items_[0]); place >= weight;
         weight = envelope(items_[i])) {
      place -= weight;
      ++i;
    }
    if (accept(stream, items_[i])) return i;
  }
}

double ExponentialChoice::acceptance(std::size_t i) const {
  const auto& item = items_[i];
  if (item.count == 0) return 0;
  // 2^-1.45x < e^-x, so all bits of the result are good, however small it is.
  const int precision = 128 + static_cast<int>(1.45 * std::clamp(exponent(item.level), 0.0, 900.0));
  const Integer difference = Integer(item.level) - reference_level_;
  const Bracket bracket = scaled_bracket(
      item.count, shift_, {difference * Integer(rate_.numerator), Integer(rate_.denominator)},
      envelope(item), precision);
  return internal::approximate({bracket.low, Integer(1) << precision});
}

}  // namespace tacet::random
