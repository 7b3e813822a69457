#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tacet/random/noise/discrete.h"
#include "tacet/random/source/source.h"

namespace tacet::random {

/// `count` equal alternatives, each with the weight exp(-rate level). A count of 0 is never chosen.
struct WeightedLevel {
  std::uint64_t count;
  std::int64_t level;
};

/// A fraction with denominator > 0.
struct WideRatio {
  Wide numerator;
  Wide denominator;
};

/// Draws an item with probability proportional to count exp(-rate level), exactly, whatever the
/// range of the weights: no weight underflows.
///
/// An item is proposed with an integer weight just above its own (at least 1, so that no item is
/// left out). It is accepted with the exact quotient of both weights as probability. That is nearly
/// always 1, so the number of tries reveals almost nothing about the items.
class ExponentialChoice {
 public:
  /// A UsageError without an item of positive count, above 2^28 items, or unless rate < 2^62. The
  /// items must outlive this object.
  ExponentialChoice(std::span<const WeightedLevel> items, WideRatio rate);

  /// Draws the index of an item.
  [[nodiscard]] std::size_t draw(Stream& stream) const;

  /// For tests of the law: how often item `i` is proposed, out of proposals().
  [[nodiscard]] std::uint64_t proposal(std::size_t i) const { return envelope(items_[i]); }
  [[nodiscard]] std::uint64_t proposals() const { return total_; }
  /// For tests of the law: the probability of acceptance, to a relative 2^-50, down to e^-900.
  [[nodiscard]] double acceptance(std::size_t i) const;

 private:
  /// rate (level - reference level), up to a few roundings.
  [[nodiscard]] double exponent(std::int64_t level) const;
  [[nodiscard]] double scaled_weight(const WeightedLevel& item) const;
  [[nodiscard]] std::uint64_t envelope(const WeightedLevel& item) const;
  [[nodiscard]] bool accept(Stream& stream, const WeightedLevel& item) const;

  std::span<const WeightedLevel> items_;
  WideRatio rate_;
  double approximate_rate_;
  std::int64_t reference_level_ = 0;
  int shift_ = 0;  // weights are scaled by 2^shift_ exp(rate reference_level_)
  std::uint64_t total_ = 0;
};

}  // namespace tacet::random
