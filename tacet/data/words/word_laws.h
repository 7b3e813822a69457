#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/words/random_draws.h"
#include "tacet/data/words/vocabulary.h"

namespace tacet::data {

/// The law of the negatives. It is public.
class NegativeLaw {
 public:
  /// All words with equal probability.
  [[nodiscard]] static NegativeLaw uniform(const Vocabulary& vocabulary);
  /// Proportional to count^(3/4) (Mikolov et al. 2013). UsageError without public counts, or unless
  /// two words have one above 0.
  [[nodiscard]] static NegativeLaw by_counts(const Vocabulary& vocabulary);

  [[nodiscard]] std::int32_t draw(RandomDraws& draws) const;
  /// Probability of a word, for tests and explanations.
  [[nodiscard]] double probability(std::int32_t word) const;

 private:
  struct Slot {
    std::uint32_t threshold;  // below it: the slot's own word
    std::int32_t other;
  };

  std::int32_t size_ = 0;
  std::vector<Slot> slots_;  // alias table (Walker 1977); empty: uniform
};

/// The probability with which each token of a word stays before windows are formed, in units of
/// 2^-64: min(1, sqrt(t / f) + t / f) for a word of share f of all public counts (as word2vec's
/// program does it). UsageError without public counts, or unless 0 < t < infinity.
[[nodiscard]] std::vector<std::uint64_t> keep_thresholds(const Vocabulary& vocabulary, double t);

}  // namespace tacet::data
