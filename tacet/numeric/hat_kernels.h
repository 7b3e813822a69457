#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

/// Rows of integers most of which are made of numbers, each a line and hat functions around knots,
/// of which two neighbours differ from 0 (data/schema/numeric_map.h). Such a row holds for each
/// number which two they are and the second of them, and little more: the first one is what is left
/// of the row's height, and the line nearly follows.
///
/// The integers that come out are those that went in: a row that does not come out is refused.
namespace tacet::numeric {

/// What is public of the numbers of all rows, in order. Line j is nearly
/// rise[j] (knot height + right) - origin[j] height, where `right` is the hat function behind the
/// number.
struct HatNumbers {
  std::size_t count = 0;
  std::vector<float> rise;
  std::vector<float> origin;
  std::vector<std::int32_t> first;  ///< place of the first knot, among those of all numbers
  std::size_t rest = 0;             ///< how many integers a row has beside its numbers

  static constexpr int right_bits = 11;
  static constexpr int most_knots = 33;  ///< so that a knot before the last has 5 bits
  static constexpr std::size_t most_lanes = 16;
  /// Behind a packed row so many words are read, whatever they hold.
  static constexpr std::size_t spare_words = most_lanes;
  static constexpr float steepest = 5;  ///< rise: then the line's remainder has three bits

  [[nodiscard]] std::size_t size() const { return count; }
  /// What line j is at least, and at most 7 more.
  [[nodiscard]] std::int32_t least_line(std::size_t j, std::int32_t knot, std::int32_t right,
                                        float height) const {
    const float at = static_cast<float>(knot) * height + static_cast<float>(right);
    return std::bit_cast<std::int32_t>(rise[j] * at - origin[j] * height + shift) - below;
  }
  // Rounds what is smaller than 2^22 to the nearest integer, in the last bits: conversions take
  // care of numbers that are none, which takes several instructions.
  static constexpr float shift = 0x1.8p23F;
  static constexpr std::int32_t below = std::bit_cast<std::int32_t>(shift) + 1;
  // A packed row, in order: a code a number, half a byte a number, the rest, the height.
  [[nodiscard]] std::size_t note_words() const { return (size() + 3) / 4; }
  [[nodiscard]] std::size_t rest_at() const { return size() + note_words(); }
  [[nodiscard]] std::size_t height_at() const { return rest_at() + rest; }
  [[nodiscard]] std::size_t words() const { return height_at() + sizeof(float) / 2; }
  [[nodiscard]] float height(const std::int16_t* packed) const {
    float found;
    std::memcpy(&found, packed + height_at(), sizeof found);
    return found;
  }
};

/// A row as it is read: the lines and then the rest; for each number the place of the knot before
/// it, and the hat functions of this knot and of the next.
struct HatRow {
  std::int16_t* integers;  ///< size() + rest
  std::int32_t* places;    ///< size()
  std::int32_t* pairs;     ///< 2 size()
};

/// One number of a packed row.
struct HatNumber {
  std::int32_t line;
  std::int32_t knot;  ///< the one before the number
  std::int32_t left;  ///< the hat function there
  std::int32_t right;
};
[[nodiscard]] inline HatNumber unpack_number(const HatNumbers& numbers, const std::int16_t* packed,
                                             std::size_t j) {
  const std::size_t half = (numbers.size() + 1) / 2;
  const auto* notes = reinterpret_cast<const std::uint8_t*>(packed + numbers.size());
  const int note = j < half ? notes[j] & 15 : notes[j - half] >> 4;
  const auto code = static_cast<std::uint16_t>(packed[j]);
  const float height = numbers.height(packed);
  const std::int32_t knot = code >> HatNumbers::right_bits;
  const std::int32_t right = code & ((1 << HatNumbers::right_bits) - 1);
  return {.line = numbers.least_line(j, knot, right, height) + (note >> 1),
          .knot = knot,
          .left = static_cast<std::int32_t>(height) - right - (note & 1),
          .right = right};
}

/// Writes number j into a packed row whose height is there and whose notes are 0; false where it
/// would not come out again. The height is near what both hat functions of a number add up to
/// before they are rounded toward zero.
[[nodiscard]] bool pack_number(const HatNumbers& numbers, std::size_t j, const HatNumber& number,
                               std::int16_t* packed);

/// Sums of multiples of hat functions: of both functions of a pair in one integer, as long as they
/// have room in it.
class HatSums {
 public:
  explicit HatSums(std::size_t places) : both_(places), totals_(2 * places) {}

  /// Room for a row with such a height and factor.
  std::uint64_t* reserve(float height, double factor);
  /// sums[place] += what was added at the knot of this place.
  void add_to(std::span<std::int64_t> sums);

 private:
  void flush();

  std::vector<std::uint64_t> both_;  // left + 2^32 right, modulo 2^64
  std::vector<std::int64_t> totals_;
  double filled_ = 0;  // bound of either
};

/// Rows that are unpacked together.
class HatTile {
 public:
  HatTile(const HatNumbers& numbers, std::size_t rows);

  /// As many rows as there is room for, or fewer. Behind each lie spare_words.
  void unpack(std::span<const std::int16_t* const> packed);
  /// The integers of each row that was unpacked.
  [[nodiscard]] std::span<const std::int16_t* const> integers() const {
    return std::span(pointers_).first(count_);
  }
  /// sums[r] += left weights[place] + right weights[place + 1], over all numbers of the row: exact
  /// as in kernels.h.
  void add_dots(std::span<const double> weights, std::span<double> sums) const;
  /// Adds the rows' hat functions times factors: integers, whose products are at most 2^30.
  void add_multiples(std::span<const double> factors, HatSums& sums) const;

 private:
  HatNumbers numbers_;  // padded
  std::size_t stride_;  // of integers
  std::size_t count_ = 0;
  std::vector<std::int16_t> integers_;
  std::vector<std::int32_t> places_;
  std::vector<std::int32_t> pairs_;
  std::vector<float> heights_;
  std::vector<const std::int16_t*> pointers_;
};

}  // namespace tacet::numeric
