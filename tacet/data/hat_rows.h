#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/numeric/hat_numbers.h"

namespace tacet::data {

struct EncodedRow;

/// A number whose encoded columns are a line and, behind it, hat functions around knots: public
/// facts by which a row holds it as a position of 16 bits (numeric/hat_numbers.h). Share v of the
/// way between its bounds has the line slope (v - zero).
struct HatColumns {
  std::uint32_t line = 0;
  std::uint32_t knots = 0;
  double slope = 0;
  double zero = 0;

  /// Whether rows can hold it so; all its columns are stored otherwise.
  [[nodiscard]] bool packs() const;

  friend bool operator==(const HatColumns&, const HatColumns&) = default;
};

/// How rows of so many columns are packed: which number or integer of a packed row stands for which
/// columns.
///
/// A packed row is a scale s and integers phi in units of 1/2048, of which those of lines and hat
/// functions follow from positions: its features are s phi / 2048, and those of an unscaled row,
/// within half a step of a position. |s phi| is within the bound of rows, which is checked where a
/// row is packed. What clips a row's gradient counts with the norm of phi.
class HatRows {
 public:
  HatRows(std::span<const HatColumns> packed, std::int64_t columns);

  [[nodiscard]] const numeric::HatNumbers& numbers() const { return numbers_; }
  /// The columns of the lines.
  [[nodiscard]] const std::vector<std::uint32_t>& line_columns() const { return lines_; }
  /// The columns of the hat functions, by place.
  [[nodiscard]] const std::vector<std::uint32_t>& place_columns() const { return places_; }
  /// The columns of the rest, in the order of packed rows.
  [[nodiscard]] const std::vector<std::uint32_t>& rest_columns() const { return rest_; }
  /// Of the norm of any phi, in units of features.
  [[nodiscard]] double norm_bound() const;

  /// Packs a row by its features before they were scaled and rounded, and returns |phi|^2; nothing
  /// where they are not known or not of numbers as packing has them: all words are 0 then.
  [[nodiscard]] std::optional<std::int64_t> pack(const EncodedRow& row,
                                                 std::int64_t squared_norm_bound,
                                                 std::int16_t* packed) const;
  /// The whole row s phi, each integer rounded toward zero.
  void expand(const std::int16_t* packed, std::span<std::int16_t> row) const;
  /// The whole row phi.
  void integers(const std::int16_t* packed, std::span<std::int32_t> row) const;

 private:
  [[nodiscard]] bool place_numbers(const EncodedRow& row, std::int16_t* packed) const;
  [[nodiscard]] bool place_rest(const EncodedRow& row, std::int16_t* packed) const;

  numeric::HatNumbers numbers_;
  std::vector<std::uint32_t> lines_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> rest_;
  std::vector<std::uint32_t> number_of_;  // by column; numbers_.size(): of the rest
  std::vector<std::uint32_t> at_;         // by column: among the rest, or which knot
};

}  // namespace tacet::data
