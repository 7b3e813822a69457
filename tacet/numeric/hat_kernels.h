#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

/// Rows of numbers, each of which is a line and hat functions around knots (data/schema/
/// numeric_map.h), held as positions: which knot a number follows, and how far. All features of a
/// number follow from its position, as integers in units of 1/2048 before the row is scaled.
///
/// A sum of multiples of hat functions needs no feature: it follows from sums by position, which
/// are integers and exact. So it has the same value in any order and on every machine.
namespace tacet::numeric {

/// One number: public facts.
struct HatNumber {
  std::int32_t intervals;  ///< knots less one
  std::int32_t first;      ///< place of the first knot, among those of all numbers
  std::int32_t shift;      ///< the line is ((position << shift) factor >> 16) - offset
  std::uint16_t factor;    //
  std::int16_t offset;     //
  double rise;             ///< before it is rounded, it is rise position - origin
  double origin;

  static constexpr int step_bits = 8;
  static constexpr std::int32_t steps = 1 << step_bits;  ///< between two knots
  static constexpr std::int32_t height = 4;              ///< of a hat function, per step
  static constexpr std::int32_t most_intervals = 31;

  [[nodiscard]] std::int32_t line(std::int32_t position) const {
    const auto product = (static_cast<std::uint32_t>(position) << shift) * factor;
    return static_cast<std::int32_t>(product >> 16) - offset;
  }
};

/// What is public of all rows. A packed row is, in order: positions, other integers, a scale.
struct HatNumbers {
  std::vector<HatNumber> list;
  std::size_t places = 0;  ///< knots of all numbers
  std::size_t rest = 0;    ///< other integers

  static constexpr std::size_t spare_words = 8;  ///< that are read behind a row

  [[nodiscard]] std::size_t size() const { return list.size(); }
  [[nodiscard]] std::size_t scale_at() const { return size() + rest; }
  [[nodiscard]] std::size_t words() const { return scale_at() + sizeof(float) / 2; }
  [[nodiscard]] float scale(const std::int16_t* packed) const {
    float found;
    std::memcpy(&found, packed + scale_at(), sizeof found);
    return found;
  }
};

/// The weights of lines and hat functions, as a table over intervals: single precision.
class HatTable {
 public:
  /// One weight a number, and one a place.
  HatTable(const HatNumbers& numbers, std::span<const double> lines, std::span<const double> hats);

  static constexpr std::size_t width = 32;
  [[nodiscard]] const float* data() const { return numbers_.data(); }

 private:
  std::vector<float> numbers_;  // of each number: values at knots, rises a step behind them
};

/// Sums of multiples of lines and hat functions.
class HatSums {
 public:
  explicit HatSums(const HatNumbers& numbers);

  /// lines[j] and hats[place] += what was added; nothing is left then.
  void add_to(std::span<std::int64_t> lines, std::span<std::int64_t> hats);

 private:
  friend class HatBlock;
  static constexpr std::size_t lanes = 16;
  static constexpr std::size_t few_intervals = 8;
  static constexpr std::size_t digits = 2;
  static constexpr int digit_bits = 15;
  static constexpr std::size_t cells = HatNumber::most_intervals + 1;
  static constexpr int low_bits = 36;

  struct alignas(64) Lanes {
    std::int32_t lane[lanes];
  };

  void flush_lanes();
  void flush_cells();
  [[nodiscard]] std::int32_t* digit_lanes(std::size_t digit) {
    return lanes_[digit * numbers_->size() * accumulators()].lane;
  }
  [[nodiscard]] std::size_t accumulators() const { return 2 + (counts_cells_ ? 0 : few_intervals); }

  const HatNumbers* numbers_;
  bool counts_cells_;         // sums by interval: where numbers have many
  std::vector<Lanes> lanes_;  // of each digit and number: the line's two, then each knot's
  std::int64_t lane_filled_ = 0;
  std::vector<std::int64_t> cells_;  // sum of factors << low_bits + sum of factors steps
  std::int64_t cells_filled_ = 0;
  std::int64_t factors_ = 0;  // their sum
  std::vector<std::int64_t> line_totals_;
  std::vector<std::int64_t> part_totals_;  // by number and interval, factors times part of it
  std::vector<std::int64_t> cell_totals_;  // by number and interval: factors, factors steps
};

/// Rows that are read together.
class HatBlock {
 public:
  static constexpr std::size_t rows = 256;
  /// What a factor is at most.
  static constexpr std::int32_t largest_factor = (1 << 19) - 1;

  explicit HatBlock(const HatNumbers& numbers);

  /// As many rows as there is room for, or fewer. Behind each lie spare_words.
  void read(std::span<const std::int16_t* const> packed);
  /// sums[r] = the weights' product with lines and hat functions of row r, in single precision:
  /// number after number, so that it is the same on every machine.
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
  std::vector<Line> columns_;  // positions, number by number
};

}  // namespace tacet::numeric
