#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "tacet/random/choose/crossings.h"
#include "tacet/random/choose/exponential_choice.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism::internal {

/// The random decisions of a selection. Algorithms are written against this concept, so that tests
/// can walk through every outcome of the same code and add up the probabilities.
template <typename T>
concept Draws = requires(T draws, std::uint64_t n, std::int64_t k, random::WideRatio x,
                         random::Ratio scale) {
  { draws.below(n) } -> std::same_as<std::uint64_t>;       // uniform on 0..n-1
  { draws.exp_decision(x) } -> std::same_as<bool>;         // true with probability exp(-x)
  { draws.laplace(scale) } -> std::same_as<std::int64_t>;  // discrete Laplace
  // The number of draws of discrete Laplace noise below a threshold before the first one at or
  // above it, up to a limit.
  { draws.misses(scale, k, k) } -> std::same_as<std::int64_t>;
  // g >= 0 with probability proportional to exp(-g / scale): the excess of discrete Laplace noise
  // over some k >= 1, given that it is at least k.
  { draws.geometric(scale) } -> std::same_as<std::int64_t>;
};

/// Decisions by exact samplers.
class StreamDraws {
 public:
  explicit StreamDraws(random::BlockClaim claim) : stream_(std::move(claim)) {}

  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return random::uniform_below(stream_, n); }
  [[nodiscard]] bool exp_decision(random::WideRatio x) {
    return random::bernoulli_exp(stream_, x.numerator, x.denominator);
  }
  [[nodiscard]] std::int64_t laplace(random::Ratio scale) {
    return random::DiscreteLaplace(scale).draw(stream_);
  }
  [[nodiscard]] std::int64_t geometric(random::Ratio scale) {
    random::internal::LazyUniform uniform(stream_);
    return random::internal::round_exponential(
        uniform, static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator),
        {scale.numerator, scale.denominator}, false);
  }
  [[nodiscard]] std::int64_t misses(random::Ratio scale, std::int64_t threshold, std::int64_t max) {
    // The sampler's noise ends long before 2^61.
    constexpr std::int64_t farthest = std::int64_t{1} << 61;
    return random::Crossing::of_discrete_laplace(scale, std::clamp(threshold, -farthest, farthest))
        .misses(stream_, max);
  }
  [[nodiscard]] random::Stream& stream() { return stream_; }

 private:
  random::Stream stream_;
};

static_assert(Draws<StreamDraws>);

}  // namespace tacet::mechanism::internal
