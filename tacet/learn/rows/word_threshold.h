#pragma once

namespace tacet::learn {

/// What a threshold of noisy counts of words follows from, all of it public. A unit with m words
/// counts 1 / sqrt(m) in each.
struct ThresholdFacts {
  double noise = 1;               ///< its standard deviation, in units of one contribution
  double units = 1;               ///< expected in a step
  double max_words_per_unit = 2;  ///< that a unit touches
  double words = 1;               ///< of the vocabulary
};

/// The threshold at which words that cross it by noise alone are at most one in 2,000 of those that
/// are expected to cross it, were words distributed by Zipf's law. (Words just above a lower one
/// would be there by their texts, but their sums would be mostly noise.)
[[nodiscard]] double usual_threshold(const ThresholdFacts& facts);

}  // namespace tacet::learn
