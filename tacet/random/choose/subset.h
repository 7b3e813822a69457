#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/random/exact/uniform.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// A probability of inclusion that is a multiple of 2^-64. Accountants use value(), and not the
/// rate asked for.
class PoissonRate {
 public:
  /// The smallest multiple of 2^-64 that is at least `rate`. UsageError unless 0 <= rate <= 1.
  [[nodiscard]] static PoissonRate at_least(double rate);

  /// The rate, exactly.
  [[nodiscard]] double value() const;
  /// Every record is in.
  [[nodiscard]] bool always() const { return always_; }
  /// The rate in units of 2^-64, if not always().
  [[nodiscard]] std::uint64_t numerator() const { return numerator_; }

 private:
  PoissonRate(bool always, std::uint64_t numerator) : always_(always), numerator_(numerator) {}
  bool always_;
  std::uint64_t numerator_;
};

/// Records first, first + 1, ..., first + count - 1 that are in the sample, ascending. Each is in
/// with probability rate.value(), exactly and independently, and its own bits of the keystream
/// block decide, so a range that is cut into pieces gives the same records. At most 2^33 records a
/// keystream block; a UsageError if the range is negative or ends beyond.
///
/// Costs 6.2 words of the cipher per 64 records on average: a record's number U is compared with
/// the rate bit by bit until they differ; its first six bits lie in words that 64 records share,
/// and later bits in words that the open ones among 4096 records share. Below a rate of 2^-10 the
/// gaps between members are drawn, which are exactly geometric: one word per member and one for
/// each 2^18 records. The law is the same.
[[nodiscard]] std::vector<std::int64_t> poisson_sample(const KeystreamBlock& block,
                                                       PoissonRate rate, std::int64_t first,
                                                       std::int64_t count);
[[nodiscard]] std::vector<std::int64_t> poisson_sample(BlockClaim claim, PoissonRate rate,
                                                       std::int64_t count);

/// A uniformly distributed set of `size` of the numbers 0, ..., population - 1, ascending (R.
/// Floyd's algorithm; Bentley and Floyd 1987). Time and memory grow with `size` only. A UsageError
/// unless 0 <= size <= population.
[[nodiscard]] std::vector<std::int64_t> uniform_subset(BlockClaim claim, std::int64_t size,
                                                       std::int64_t population);

/// Puts the items into uniformly distributed order (Fisher and Yates).
template <class T>
void shuffle(BlockClaim claim, std::span<T> items) {
  Stream stream(std::move(claim));
  for (std::size_t left = items.size(); left > 1; --left) {
    using std::swap;
    swap(items[left - 1], items[uniform_below(stream, left)]);
  }
}

/// 0, ..., count - 1 in uniformly distributed order.
[[nodiscard]] std::vector<std::int64_t> random_permutation(BlockClaim claim, std::int64_t count);
/// The same permutation of 0, ..., order.size() - 1, written into `order`.
void random_permutation(BlockClaim claim, std::span<std::int64_t> order);

}  // namespace tacet::random
