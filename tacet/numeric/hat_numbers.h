#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// Packed rows for spline bases with hat functions (data/schema/numeric_map.h). Each number of a
/// record has a line and hat functions around its knots as features. A packed row holds its
/// position only: the interval between two knots, and the step in it. All features follow from the
/// position, as integers in units of 1/2048 before the row is scaled.
namespace tacet::numeric {

/// The public facts of one number.
struct HatNumber {
  std::int32_t intervals;  ///< number of knots less one
  std::int32_t first;      ///< index of its first knot among the knots of all numbers
  std::int32_t shift;      ///< the line is ((position << shift) factor >> 16) - offset
  std::uint16_t factor;    //
  std::int16_t offset;     //
  double rise;             ///< the unrounded line is rise * position - origin
  double origin;

  static constexpr int step_bits = 8;
  static constexpr std::int32_t steps = 1 << step_bits;  ///< from one knot to the next
  static constexpr std::int32_t height = 4;              ///< rise of a hat function per step
  static constexpr std::int32_t max_intervals = 31;

  [[nodiscard]] std::int32_t line(std::int32_t position) const {
    const auto product = (static_cast<std::uint32_t>(position) << shift) * factor;
    return static_cast<std::int32_t>(product >> 16) - offset;
  }
};

/// The public facts of all rows. A packed row has, in order: positions, other integers, a scale.
struct HatNumbers {
  std::vector<HatNumber> list;
  std::size_t places = 0;  ///< number of knots of all numbers
  std::size_t rest = 0;    ///< number of other integers

  static constexpr std::size_t spare_words = 8;  ///< words after a row that may be read

  [[nodiscard]] std::size_t size() const { return list.size(); }
  [[nodiscard]] std::size_t scale_at() const { return size() + rest; }
  [[nodiscard]] std::size_t words() const { return scale_at() + sizeof(float) / 2; }
  [[nodiscard]] float scale(const std::int16_t* packed) const {
    float found;
    std::memcpy(&found, packed + scale_at(), sizeof found);
    return found;
  }
};

}  // namespace tacet::numeric
