#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/numeric/hat_numbers.h"

namespace tacet::data {

struct EncodedRow;

/// A number whose encoded columns are a line followed by hat functions around knots (a spline
/// basis). These public facts allow rows to store it as a position of 16 bits
/// (numeric/hat_numbers.h). For a number at the share v between its bounds, the line is slope (v -
/// zero).
struct HatColumns {
  std::uint32_t line = 0;
  std::uint32_t knots = 0;
  double slope = 0;
  double zero = 0;

  /// Whether rows can store the number as a position; otherwise all of its columns are stored.
  [[nodiscard]] bool packs() const;

  friend bool operator==(const HatColumns&, const HatColumns&) = default;
};

/// How rows with these columns are packed: which number or integer of a packed row stands for which
/// columns.
///
/// A packed row is a scale s and integers phi in units of 1/2048. The integers of lines and hat
/// functions follow from the positions. The features are s phi / 2048. They differ from those of an
/// unpacked row, because a position is rounded to a step. |s phi| is within the bound of rows,
/// which pack() checks. Code that clips a row's gradient uses the norm of phi.
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
  /// A bound of the norm of every phi, in units of features.
  [[nodiscard]] double norm_bound() const;

  /// Packs a row, given its features before scaling and rounding, and returns |phi|^2. If these are
  /// unknown, or are not those of a line and hat functions, returns nothing and sets all words to
  /// 0.
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
  std::vector<std::uint32_t> number_of_;  // by column; numbers_.size() for the rest
  std::vector<std::uint32_t> at_;         // by column: the place in the rest, or the knot
};

}  // namespace tacet::data
