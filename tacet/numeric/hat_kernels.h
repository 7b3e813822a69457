#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/numeric/hat_numbers.h"

/// Sums of packed rows (hat_numbers.h) and products with them.
///
/// A sum of multiples of hat functions needs no feature: it follows from sums by position, which
/// are integers and exact. So it has the same value in any order and on every machine.
namespace tacet::numeric {

/// One number for each line, for each place and for each other integer.
template <typename Number>
struct HatParts {
  std::vector<Number> lines;
  std::vector<Number> hats;
  std::vector<Number> rest;

  explicit HatParts(const HatNumbers& numbers)
      : lines(numbers.size()), hats(numbers.places), rest(numbers.rest) {}
};

/// Weights of what rows hold, as tables over intervals: single precision.
class HatTable {
 public:
  HatTable(const HatNumbers& numbers, const HatParts<double>& weights);

  static constexpr std::size_t width = 32;
  [[nodiscard]] const float* of_numbers() const { return numbers_.data(); }
  [[nodiscard]] const float* of_rest() const { return rest_.data(); }

 private:
  std::vector<float> numbers_;  // of each number: values at knots, rises a step behind them
  std::vector<float> rest_;
};

/// Sums of multiples of what rows hold.
class HatSums {
 public:
  explicit HatSums(const HatNumbers& numbers);

  /// Up to so many are counted by knots, more by cells.
  static constexpr std::size_t few_intervals = 8;

  /// What was added; nothing is left then.
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
  bool counts_cells_;  // sums by interval: where numbers have many
  // Of each digit: two of each line and of each other integer, then each knot's of each number.
  std::vector<Lanes> lanes_;
  std::int64_t lane_filled_ = 0;
  std::vector<std::int64_t> cells_;  // sum of factors << low_bits + sum of factors steps
  std::int64_t cells_filled_ = 0;
  std::int64_t factors_ = 0;                  // their sum
  std::vector<std::int64_t> product_totals_;  // of lines and of other integers
  std::vector<std::int64_t> part_totals_;     // by number and interval, factors times part of it
  std::vector<std::int64_t> cell_totals_;     // by number and interval: factors, factors steps
};

/// Rows that are read together.
class HatBlock {
 public:
  static constexpr std::size_t rows = 256;
  /// What a factor is at most.
  static constexpr std::int32_t largest_factor = (1 << 19) - 1;

  explicit HatBlock(const HatNumbers& numbers);

  /// As many rows as there is room for, or fewer. Behind each lie spare_words. While margins are
  /// computed, memory is asked for the `next` ones, a list that has to last until then.
  void read(std::span<const std::int16_t* const> packed,
            std::span<const std::int16_t* const> next = {});
  /// sums[r] = the weights' product with row r, in single precision: number after number, so that
  /// it is the same on every machine.
  void margins(const HatTable& table, std::span<float, rows> sums) const;
  /// Adds the rows' features times factors, which are integers.
  void add_multiples(std::span<const double> factors, HatSums& sums);

 private:
  struct alignas(64) Line {
    std::uint16_t word[32];
  };

  const HatNumbers& numbers_;
  std::size_t count_ = 0;   // of rows
  std::size_t padded_ = 0;  // to whole lines
  std::vector<const std::int16_t*> pointers_;
  std::span<const std::int16_t* const> next_;
  std::vector<Line> columns_;  // positions and other integers, column by column
};

}  // namespace tacet::numeric
