#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/numeric/hat_numbers.h"

/// What a step over packed rows (hat_numbers.h) reads and what it gives.
///
/// A sum of multiples of hat functions needs no feature: it follows from sums by position, which
/// are integers and exact. So it has the same value in any order and on every machine.
namespace tacet::numeric {

/// One number for each line, for each knot (place) and for each other integer.
template <typename Number>
struct HatParts {
  std::vector<Number> lines;
  std::vector<Number> hats;
  std::vector<Number> rest;

  explicit HatParts(const HatNumbers& numbers)
      : lines(numbers.size()), hats(numbers.places), rest(numbers.rest) {}
};

/// Weights of a model for packed rows, as tables over intervals, in single precision.
class HatTable {
 public:
  HatTable(const HatNumbers& numbers, const HatParts<double>& weights);

  static constexpr std::size_t width = 32;
  [[nodiscard]] const float* of_numbers() const { return numbers_.data(); }
  [[nodiscard]] const float* of_rest() const { return rest_.data(); }

 private:
  // for each number of the row: values at its knots, and the rises per step behind them
  std::vector<float> numbers_;
  std::vector<float> rest_;
};

/// Sums of packed rows times integer factors.
class HatSums {
 public:
  explicit HatSums(const HatNumbers& numbers);

  /// up to this many intervals are counted by knots, more by intervals (cells)
  static constexpr std::size_t few_intervals = 8;

  /// Returns the sums and empties the object.
  [[nodiscard]] HatParts<std::int64_t> take();

 private:
  friend class HatBlock;
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t digits = 2;
  static constexpr int digit_bits = 15;
  static constexpr std::size_t cells = HatNumber::max_intervals + 1;
  static constexpr int low_bits = 36;

  struct alignas(64) Lanes {
    std::int32_t lane[lanes];
  };

  void flush_lanes();
  void flush_digit(const Lanes* of, std::int64_t weight);
  void flush_cells();
  void take_hats(std::size_t number, std::span<std::int64_t> hats);
  [[nodiscard]] Lanes* digit_lanes(std::size_t digit) {
    return lanes_.data() + digit * lanes_.size() / digits;
  }

  const HatNumbers* numbers_;
  bool counts_cells_;  // sums by interval, used if numbers have many intervals
  // For each digit: two sums for each line and each other integer, then one for each knot of each
  // number.
  std::vector<Lanes> lanes_;
  std::int64_t lane_filled_ = 0;
  std::vector<std::int64_t> cells_;  // sum of factors << low_bits + sum of factors steps
  std::int64_t cells_filled_ = 0;
  std::int64_t factors_ = 0;                  // sum of the factors
  std::vector<std::int64_t> product_totals_;  // for lines and for other integers
  // for each number and interval: sum of factors times the part of the interval
  std::vector<std::int64_t> part_totals_;
  // for each number and interval: sums of factors, and of factors times steps
  std::vector<std::int64_t> cell_totals_;
};

}  // namespace tacet::numeric
