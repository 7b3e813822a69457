#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/numeric/hat_kernels.h"

namespace tacet::data {

/// A number whose encoded columns are a line and, behind it, hat functions around knots: public
/// facts by which a row holds it in 20 bits (numeric/hat_kernels.h). Share v of the way between its
/// bounds has the line slope (v - zero).
struct HatColumns {
  std::uint32_t line = 0;
  std::uint32_t knots = 0;
  double slope = 0;
  double zero = 0;

  /// Whether rows can hold it so; all its columns are stored otherwise.
  [[nodiscard]] bool packs() const;

  friend bool operator==(const HatColumns&, const HatColumns&) = default;
};

/// How rows of so many columns are packed: which integer of a packed row stands for which column.
class HatRows {
 public:
  HatRows(std::span<const HatColumns> packed, std::int64_t columns);

  [[nodiscard]] const numeric::HatNumbers& numbers() const { return numbers_; }
  /// The columns of the lines and then of the rest, in the order of HatTile::integers().
  [[nodiscard]] const std::vector<std::uint32_t>& integer_columns() const { return integers_; }
  /// The columns of the hat functions, by place.
  [[nodiscard]] const std::vector<std::uint32_t>& place_columns() const { return places_; }

  /// Packs a row, given by what is not 0 of it, if anything is; false where it would not come out
  /// again. All words are 0 then, and for a row of zeros. `scale` turns features before they are
  /// rounded into units of the row; 0: unknown.
  [[nodiscard]] bool pack(std::span<const std::uint32_t> columns,
                          std::span<const std::int16_t> values, double scale,
                          std::int16_t* packed) const;
  /// The whole row.
  void expand(const std::int16_t* packed, std::span<std::int16_t> row) const;

 private:
  [[nodiscard]] bool pack_numbers(std::span<const std::uint32_t> columns,
                                  std::span<const std::int16_t> values, std::int16_t* packed) const;

  numeric::HatNumbers numbers_;
  std::vector<std::uint32_t> integers_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> number_of_;  // by column; numbers_.size(): of the rest
  std::vector<std::uint32_t> at_;         // by column: among the integers, or which knot
};

}  // namespace tacet::data
