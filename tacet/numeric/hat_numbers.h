#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// Rows of numbers, each of which is a line and hat functions around knots (data/schema/
/// numeric_map.h), held as positions: which knot a number follows, and how far. All features of a
/// number follow from its position, as integers in units of 1/2048 before the row is scaled.
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
  static constexpr std::int32_t max_intervals = 31;

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

}  // namespace tacet::numeric
