#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacet/random/exact/race.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/noise/discrete.h"
#include "tacet/random/source/source.h"

/// Finds which of very many noisy scores reach a threshold, if all but a few scores are 0. It needs
/// no draw for each of the zeros. Both kinds follow exactly the same law: a different law for the
/// zeros (a continuous tail, a logarithm in doubles) would reveal which scores were not 0.
namespace tacet::random {

/// The event that integer noise reaches a threshold, with its probability to as many digits as a
/// decision needs.
class Crossing {
 public:
  /// K >= threshold for K of add_rounded_gaussian: K is 1 up to where sigma Z is threshold - 1/2,
  /// so the probability is 1 - Phi((threshold - 1/2) / sigma). A UsageError unless 0 < sigma <=
  /// 2^32 and |threshold| <= 2^61.
  [[nodiscard]] static Crossing of_rounded_gaussian(double sigma, std::int64_t threshold);
  /// K >= threshold for K of DiscreteLaplace. A UsageError unless 0 < scale <= 2^40 and
  /// |threshold| <= 2^61.
  [[nodiscard]] static Crossing of_discrete_laplace(Ratio scale, std::int64_t threshold);

  /// The number of independent draws that miss before the first one that reaches the threshold, at
  /// most `max`: exactly geometric. Which numbers can come out, and how often, does not depend on
  /// how small the probability is. The first word of `uniform` nearly always decides.
  [[nodiscard]] std::int64_t misses(internal::LazyUniform& uniform, std::int64_t max) const;
  [[nodiscard]] std::int64_t misses(Stream& stream, std::int64_t max) const;

  /// For tests of the law: bounds of P(K < threshold) 2^p.
  [[nodiscard]] internal::Bracket miss_bracket(int p) const { return miss_(p); }
  /// -ln P(K < threshold) to a relative error of 2^-40. 0 if that is below 2^-700; any value above
  /// 485 if it is above 485.
  [[nodiscard]] double rate() const { return rate_; }

 private:
  explicit Crossing(std::function<internal::Bracket(int)> miss);
  Crossing(std::function<internal::Bracket(int)> miss, double rate)
      : miss_(std::move(miss)), rate_(rate) {}

  std::function<internal::Bracket(int)> miss_;
  double rate_;
};

/// The candidates out of 0, ..., population - 1 whose score plus rounded Gaussian noise of scale
/// sigma, independent for each, is at least `threshold`; ascending. Candidates that are not listed
/// have score 0. The law is that of add_rounded_gaussian on the whole vector and a comparison with
/// the threshold, exactly; time and memory grow with listed.size() and the number of candidates
/// returned, not with the population. The running time depends on both.
///
/// The words of one keystream block decide: word i for the i-th listed candidate, and later words
/// for the gaps between the unlisted ones. `listed` ascends by index; scores, and the threshold,
/// lie within 2^60 of 0. A UsageError if not, if an index lies outside the population, or for a
/// sigma outside (0, 2^32].
[[nodiscard]] std::vector<std::int64_t> gaussian_crossings(BlockClaim claim,
                                                           std::int64_t population,
                                                           std::span<const ScoredCandidate> listed,
                                                           double sigma, std::int64_t threshold);

}  // namespace tacet::random
