#include "tacet/random/choose/crossings.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/exact/real_interval.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::random {
namespace {

using internal::Bracket;
using internal::LazyUniform;
using Integer = boost::multiprecision::cpp_int;

constexpr std::int64_t largest_threshold = std::int64_t{1} << 61;
constexpr std::int64_t largest_score = std::int64_t{1} << 60;
// A probability below 2^-700 cannot show in 2^63 draws that read 512 bits each.
constexpr int max_rate_bits = 768;

void check_threshold(std::int64_t threshold) {
  if (threshold < -largest_threshold || threshold > largest_threshold) {
    throw base::UsageError("a threshold must lie within 2^61 units of 0, got {}", threshold);
  }
}

/// The bounds, cut to [0, 1] in their scale.
Bracket probability(const Integer& low, const Integer& high, int p) {
  const Integer one = Integer(1) << p;
  return {low < 0 ? Integer(0) : low, high > one ? one : high};
}

Bracket complement(const Bracket& of, int p) {
  const Integer one = Integer(1) << p;
  return probability(one - of.high, one - of.low, p);
}

/// -ln(1 - h) for h in (0, 1/2] as 2 artanh(h / (2 - h)), up to 2^-50 relative.
double rate_of_small(double h) {
  const double z = h / (2 - h);  // at most 1/3
  double sum = 0;
  for (int n = 41; n >= 1; n -= 2) sum = sum * z * z + 1.0 / n;
  return 2 * z * sum;
}

/// -ln of the probability of a miss, from its bounds.
double rate_of(const std::function<Bracket(int)>& miss) {
  for (int p = 96;; p *= 2) {
    const Bracket low = miss(p);
    const Bracket hit = complement(low, p);
    const Integer scale = Integer(1) << p;
    // The smaller of the two probabilities needs 60 good bits.
    const bool mostly_misses = 2 * hit.high <= scale;
    const Bracket& small = mostly_misses ? hit : low;
    const bool decided = small.low > ((small.high - small.low) << 60);
    if (!decided && p < max_rate_bits) continue;
    if (!decided) return mostly_misses ? 0 : std::numeric_limits<double>::infinity();
    const double smaller = internal::approximate({small.low, scale});
    if (mostly_misses) return rate_of_small(smaller);
    return smaller > 0x1p-990 ? -internal::certain_log(smaller)
                              : std::numeric_limits<double>::infinity();
  }
}

/// P(K < threshold) = Phi((threshold - 1/2) / sigma).
Bracket gaussian_miss(double sigma, std::int64_t threshold, int p) {
  const std::int64_t odd = 2 * threshold - 1;
  const auto magnitude = static_cast<std::uint64_t>(odd < 0 ? -odd : odd);
  const auto centred = internal::centred_normal_at(magnitude, sigma, p);
  const Integer half = Integer(1) << (p - 1);
  return odd < 0 ? probability(half - centred.high, half - centred.low, p)
                 : probability(half + centred.low, half + centred.high, p);
}

/// With q = exp(-1/scale) and m >= 1, P(K >= m) = P(K <= -m) = q^m / (1 + q).
Bracket laplace_tail(Ratio scale, std::int64_t m, int p) {
  const int w = p + 8;
  const Integer denominator = scale.numerator;
  const Bracket base = internal::exp_bracket({Integer(scale.denominator), denominator}, w);
  const Bracket power =
      internal::exp_bracket({Integer(m) * Integer(scale.denominator), denominator}, w);
  const Integer one = Integer(1) << w;
  const Bracket tail{(power.low << w) / (one + base.high),
                     (power.high << w) / (one + base.low) + 1};
  return {tail.low >> 8, (tail.high >> 8) + 1};
}

/// -ln P(K < threshold) in doubles, which takes a fraction of the time of bounds. That matters
/// because a threshold that is drawn again after each positive answer needs a new rate. Relative
/// error below 2^-41: an exponent below 700 has an error of at most 700 times 2^-51, and the rest
/// adds a few roundings.
double laplace_rate(Ratio scale, std::int64_t threshold) {
  const double step = static_cast<double>(scale.denominator) / static_cast<double>(scale.numerator);
  const double unit = step > 700 ? 0 : internal::certain_exp(step);  // q = e^(-1/scale)
  if (threshold >= 1) {
    const double x = static_cast<double>(threshold) * step;
    if (x > 486) return 0;  // the rate is below 2^-700: no run can ever show such a crossing
    return -std::log1p(-internal::certain_exp(x) / (1 + unit));
  }
  return static_cast<double>(1 - threshold) * step + std::log1p(unit);
}

/// A memo: steps of a run ask for the same crossing, whose rate takes longer than all else in a
/// short step.
const Crossing& gaussian_crossing(double sigma, std::int64_t threshold) {
  struct Last {
    double sigma;
    std::int64_t threshold;
    Crossing crossing;
  };
  thread_local std::optional<Last> last;
  if (!last || last->sigma != sigma || last->threshold != threshold) {
    last.emplace(Last{sigma, threshold, Crossing::of_rounded_gaussian(sigma, threshold)});
  }
  return last->crossing;
}

void check_listed(std::int64_t population, std::span<const ScoredCandidate> listed) {
  if (population < 0) {
    throw base::UsageError("the number of candidates must not be negative, got {}", population);
  }
  internal::check_candidates(population, listed);
  for (const auto& candidate : listed) {
    if (candidate.score < -largest_score || candidate.score > largest_score) {
      throw base::UsageError("scores must lie within 2^60 units of 0");
    }
  }
}

}  // namespace

Crossing::Crossing(std::function<Bracket(int)> miss)
    : miss_(std::move(miss)), rate_(rate_of(miss_)) {}

Crossing Crossing::of_rounded_gaussian(double sigma, std::int64_t threshold) {
  internal::check_gaussian_sigma(sigma);
  check_threshold(threshold);
  return Crossing([=](int p) { return gaussian_miss(sigma, threshold, p); });
}

Crossing Crossing::of_discrete_laplace(Ratio scale, std::int64_t threshold) {
  static_cast<void>(DiscreteLaplace(scale));  // checks the scale
  check_threshold(threshold);
  return Crossing(
      [=](int p) {
        return threshold >= 1 ? complement(laplace_tail(scale, threshold, p), p)
                              : laplace_tail(scale, 1 - threshold, p);
      },
      laplace_rate(scale, threshold));
}

std::int64_t Crossing::misses(LazyUniform& uniform, std::int64_t max) const {
  return internal::largest_power(uniform, rate_, max, miss_);
}

std::int64_t Crossing::misses(Stream& stream, std::int64_t max) const {
  LazyUniform uniform(stream);
  return misses(uniform, max);
}

std::vector<std::int64_t> gaussian_crossings(BlockClaim claim, std::int64_t population,
                                             std::span<const ScoredCandidate> listed, double sigma,
                                             std::int64_t threshold) {
  check_listed(population, listed);
  if (threshold < -largest_score || threshold > largest_score) {
    throw base::UsageError("a threshold must lie within 2^60 units of 0, got {}", threshold);
  }
  const Crossing& crossing = gaussian_crossing(sigma, threshold);
  const KeystreamBlock block(std::move(claim));
  std::vector<std::int64_t> noisy;
  noisy.reserve(listed.size());
  for (const auto& candidate : listed) noisy.push_back(candidate.score);
  internal::add_rounded_gaussian(block, sigma, noisy);

  KeystreamBlockReader reader(block);
  std::uint64_t word = listed.size();
  const auto next_gap = [&](std::int64_t max) {
    std::array<std::uint64_t, 1> first{};
    reader.words(word, first);
    LazyUniform uniform(first[0], [&block, word](int i) {
      std::array<std::uint64_t, 1> more{};
      block.extension(word, static_cast<std::uint64_t>(i), more);
      return more[0];
    });
    ++word;
    return crossing.misses(uniform, max);
  };
  // The unlisted candidates keep their order. The listed ones before a rank move it on.
  std::vector<std::int64_t> chosen;
  const std::int64_t rest = population - static_cast<std::int64_t>(listed.size());
  std::size_t place = 0;
  const auto take_listed_below = [&](std::int64_t rank) {
    for (; place < listed.size() && listed[place].index - static_cast<std::int64_t>(place) <= rank;
         ++place) {
      if (noisy[place] >= threshold) chosen.push_back(listed[place].index);
    }
  };
  for (std::int64_t rank = next_gap(rest); rank < rest;) {
    take_listed_below(rank);
    chosen.push_back(rank + static_cast<std::int64_t>(place));
    ++rank;
    rank += next_gap(rest - rank);
  }
  take_listed_below(rest);
  return chosen;
}

}  // namespace tacet::random
