#include "tacet/random/noise/discrete.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/noise/wrapping_sum.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::random {
namespace {

using internal::Bracket;
using internal::LazyUniform;
using Integer = boost::multiprecision::cpp_int;

constexpr double largest_scale = 0x1p40;
constexpr double largest_variance = 0x1p60;
// The staircase reaches 13 sigma. Only 2^-122 of the law lies beyond, under steps whose weight
// halves.
constexpr double staircase_reach = 13;

void check_ratio(Ratio ratio, double largest, const char* name) {
  if (ratio.numerator == 0 || ratio.denominator == 0 ||
      static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator) > largest) {
    throw base::UsageError("{} must be above 0 and at most {}, got {} / {}", name, largest,
                           ratio.numerator, ratio.denominator);
  }
}

using internal::Fraction;

}  // namespace

bool bernoulli_exp(Stream& stream, Wide numerator, Wide denominator) {
  if (denominator == 0) throw base::UsageError("the exponent of bernoulli_exp divides by 0");
  const double x = static_cast<double>(numerator) / static_cast<double>(denominator);
  LazyUniform uniform(stream);
  return uniform.below(
      x > 700 ? 0 : internal::certain_exp(x), internal::certain_exp_error + x * numeric::ulps(4),
      [&](int p) {
        return internal::exp_bracket({Integer(numerator), Integer(denominator)}, p);
      });
}

DiscreteLaplace::DiscreteLaplace(Ratio scale) : scale_(scale), approximate_scale_(0) {
  check_ratio(scale, largest_scale, "the scale of the discrete Laplace law");
  approximate_scale_ =
      static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
}

std::int64_t DiscreteLaplace::draw(Stream& stream) const {
  while (true) {
    // The integer part of a multiple of an exponential variable is geometric.
    const bool negative = stream.next_bit();
    LazyUniform uniform(stream);
    const std::int64_t magnitude = internal::round_exponential(
        uniform, approximate_scale_, {Integer(scale_.numerator), Integer(scale_.denominator)},
        false);
    if (magnitude != 0 || !negative) return negative ? -magnitude : magnitude;
  }
}

DiscreteGaussian::DiscreteGaussian(Ratio sigma_squared)
    : variance_(sigma_squared), exponent_factor_(0), width_(1), total_(0), guide_shift_(0) {
  check_ratio(sigma_squared, largest_variance, "sigma^2 of the discrete Gaussian law");
  const double variance =
      static_cast<double>(sigma_squared.numerator) / static_cast<double>(sigma_squared.denominator);
  exponent_factor_ = 0.5 / variance;
  const double sigma = std::sqrt(variance);
  width_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sigma / 8));
  const auto steps =
      static_cast<std::size_t>(staircase_reach * sigma / static_cast<double>(width_)) + 1;
  for (std::size_t j = 0; j < steps; ++j) {
    // Each step is at least as high as the law at its left end.
    const double y = static_cast<double>(j) * static_cast<double>(width_);
    const double height = internal::certain_exp(y * y * exponent_factor_) * numeric::amply_up;
    const auto weight = static_cast<std::uint64_t>(std::ldexp(height, unit_bits)) + 1;
    total_ += weight;
    places_.push_back({weight, total_});
  }
  total_ += 1;  // for the tail beyond the staircase
  guide_shift_ = std::max(0, static_cast<int>(std::bit_width(total_)) - guide_bits);
  for (std::uint64_t i = 0; i <= total_ >> guide_shift_; ++i) {
    const auto place = std::upper_bound(places_.begin(), places_.end(), i << guide_shift_,
                                        [](std::uint64_t u, const Place& p) { return u < p.end; });
    guide_.push_back(static_cast<std::uint8_t>(place - places_.begin()));
  }
}

bool DiscreteGaussian::accept(Stream& stream, std::int64_t y, std::uint64_t weight,
                              int shift) const {
  const double magnitude = static_cast<double>(y);
  const double x = magnitude * magnitude * exponent_factor_;
  const double probability = x > 700 ? 0
                                     : std::ldexp(internal::certain_exp(x), unit_bits + shift) /
                                           static_cast<double>(weight);
  LazyUniform uniform(stream);
  const auto exact = [&](int p) {
    const Integer square = Integer(y) * y;
    Bracket bound = internal::exp_bracket(
        {square * variance_.denominator, 2 * Integer(variance_.numerator)}, p);
    bound.low = (bound.low << (unit_bits + shift)) / weight;
    bound.high = (bound.high << (unit_bits + shift)) / weight + 1;
    return bound;
  };
  // The bracket of the quotient is 2^(unit_bits + shift) / weight times as wide, so ask for more
  // bits.
  const int more = unit_bits + shift;
  return uniform.below(probability, internal::certain_exp_error + x * numeric::ulps(8), [&](int p) {
    Bracket bound = exact(p + more);
    bound.low >>= more;
    bound.high = (bound.high >> more) + 1;
    return bound;
  });
}

std::int64_t DiscreteGaussian::draw(Stream& stream) const {
  while (true) {
    const std::uint64_t u = uniform_below(stream, total_);
    std::size_t j = guide_[u >> guide_shift_];
    while (j < places_.size() && u >= places_[j].end) ++j;
    std::uint64_t weight = 1;
    int shift = 0;
    if (j < places_.size()) {
      weight = places_[j].weight;
    } else {
      // Steps of the tail have weights of 1/2, 1/4, ... units.
      shift = 1;
      while (stream.next_bit()) {
        ++shift;
        ++j;
      }
    }
    const std::uint64_t offset = width_ == 1 ? 0 : uniform_below(stream, width_);
    const auto y = static_cast<std::int64_t>(j * width_ + offset);
    const bool negative = stream.next_bit();
    if (y == 0 && negative) continue;
    if (accept(stream, y, weight, shift)) return negative ? -y : y;
  }
}

void add_discrete_laplace(BlockClaim claim, Ratio scale, std::span<std::int64_t> values) {
  const DiscreteLaplace law(scale);
  Stream stream(std::move(claim));
  for (std::int64_t& value : values) value = internal::wrapping_sum(value, law.draw(stream));
}

void add_discrete_gaussian(BlockClaim claim, Ratio sigma_squared, std::span<std::int64_t> values) {
  const DiscreteGaussian law(sigma_squared);
  Stream stream(std::move(claim));
  for (std::int64_t& value : values) value = internal::wrapping_sum(value, law.draw(stream));
}

void internal::check_laplace_scale(double scale) {
  if (!(scale > 0 && scale <= largest_laplace_scale)) {
    throw base::UsageError(
        "the scale of the noise must be above 0 and at most 2^40 grid units, got {}; a coarser "
        "grid has room for more",
        scale);
  }
}

void internal::add_rounded_laplace(const KeystreamBlock& block, double scale,
                                   std::span<std::int64_t> values, std::uint64_t first) {
  check_laplace_scale(scale);
  const Fraction exact = internal::exact_fraction(scale);
  KeystreamBlockReader reader(block);
  std::array<std::uint64_t, 1024> words;
  const internal::ScopedWipe wipe{std::span(words)};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), words.size());
    reader.words(first, std::span(words).first(count));
    for (std::size_t j = 0; j < count; ++j) {
      const auto more = [&block, coordinate = first + j](int i) {
        std::array<std::uint64_t, 1> word{};
        block.extension(coordinate, static_cast<std::uint64_t>(i), word);
        return word[0];
      };
      // The first bit is the sign, the others are U.
      LazyUniform uniform(words[j] << 1, more, 63);
      const std::int64_t magnitude = internal::round_exponential(uniform, scale, exact, true);
      const auto noise = static_cast<std::uint64_t>((words[j] >> 63) == 0 ? -magnitude : magnitude);
      values[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[j]) + noise);
    }
    first += count;
    values = values.subspan(count);
  }
}

void add_rounded_laplace(BlockClaim claim, double scale, std::span<std::int64_t> values,
                         std::uint64_t first) {
  internal::check_laplace_scale(scale);
  const KeystreamBlock block(std::move(claim));
  internal::add_rounded_laplace(block, scale, values, first);
}

}  // namespace tacet::random
