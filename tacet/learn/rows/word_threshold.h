#pragma once

namespace tacet::learn {

/// The public facts from which a threshold for noisy counts of words follows. A unit with m words
/// adds 1 / sqrt(m) to each of them.
struct ThresholdFacts {
  double noise = 1;               ///< standard deviation of the noise, in units of one contribution
  double units = 1;               ///< expected in a step
  double max_words_per_unit = 2;  ///< that a unit touches
  double words = 1;               ///< of the vocabulary
};

/// The threshold with which the words that cross it by noise alone are at most one in 2,000 of the
/// words that are expected to cross it, if words follow Zipf's law. (Words just above a lower
/// threshold would occur in the texts, but their sums would be mostly noise.)
[[nodiscard]] double usual_threshold(const ThresholdFacts& facts);

}  // namespace tacet::learn
