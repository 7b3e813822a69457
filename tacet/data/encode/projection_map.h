#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/schema/projection.h"

namespace tacet::data {

/// The place of a column in one block of a countsketch.
struct SketchPlace {
  std::uint32_t place;  ///< within the block
  double sign;
};

/// The public hash that all families draw from: 64 bits of (seed, column, index), two rounds of the
/// finaliser of Steele, Lea, Flood (2014). It affects how well a projection works, but not the
/// privacy.
[[nodiscard]] std::uint64_t projection_hash(std::int64_t seed, std::uint64_t column,
                                            std::uint64_t index);

/// A public matrix Phi with `width` rows and very many columns, divided by the projection's room.
/// It is not stored, except for the list of rows that a Hadamard transform keeps.
class ProjectionMap {
 public:
  /// As check_projection.
  ProjectionMap(const Projection& projection, std::int64_t columns);

  /// Phi x for a sparse x with ascending columns. For all families but gaussian, the result is
  /// exact if the values are integers and there are 1 or 4 blocks.
  void apply(std::span<const std::uint32_t> columns, std::span<const double> values,
             std::span<double> image) const;
  /// Calls receive(place, part) for every entry of a countsketch's Phi in this column.
  template <typename Receiver>
  void sketch(std::uint32_t column, double value, const Receiver& receive) const {
    for (std::int64_t b = 0; b < projection_.blocks; ++b) {
      const auto at = sketch_place(column, b);
      receive(static_cast<std::uint32_t>(b * block_width_) + at.place, at.sign * value * root_);
    }
  }
  [[nodiscard]] SketchPlace sketch_place(std::uint32_t column, std::int64_t block) const;
  /// (Phi' w)_column: the coefficient of this column in a model of the projected columns.
  [[nodiscard]] double lift(std::uint32_t column, std::span<const double> weights) const;

  [[nodiscard]] const Projection& projection() const { return projection_; }
  /// The rows of the Hadamard matrix, for tests.
  [[nodiscard]] std::span<const std::uint32_t> hadamard_rows() const { return rows_; }

 private:
  void apply_srht(std::span<const std::uint32_t> columns, std::span<const double> values,
                  std::span<double> image) const;
  [[nodiscard]] double srht_sign(std::uint32_t column) const;
  /// Entries (2 pair, column) and (2 pair + 1, column) of the Gaussian matrix.
  struct Normals {
    double first;
    double second;
  };
  [[nodiscard]] Normals normals(std::uint32_t column, std::int64_t pair) const;

  Projection projection_;
  std::int64_t block_width_;
  double root_;                      // 1 / (sqrt(blocks) room)
  double scale_;                     // 1 / (sqrt(width) room)
  std::size_t padded_ = 0;           // the columns of srht, a power of two
  std::vector<std::uint32_t> rows_;  // of the Hadamard matrix
};

}  // namespace tacet::data
