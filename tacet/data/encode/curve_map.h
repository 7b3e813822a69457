#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/encode/curve_features.h"
#include "tacet/data/schema/curves.h"
#include "tacet/numeric/paired_sums.h"

namespace tacet::data {

/// From records to their principal curves by the numbers in the model file: for each direction,
/// `weights` holds those of its functions (even ones for the first `even` directions, odd ones for
/// the others; all where there are categories), `lines` its linear part, which is taken off: a
/// constant, a coefficient per number, and one per category.
///
/// Sums over functions are of integers within 32 bits, whatever the order: the same bits on every
/// machine, for any number of records at once. May be used by several threads.
class CurveMap {
 public:
  static constexpr std::size_t points_at_once = 4 * numeric::paired_vectors;

  CurveMap(const Curves& curves, const CurveShape& shape);

  [[nodiscard]] std::size_t directions() const { return directions_; }
  [[nodiscard]] const CurveFunctions& functions() const { return functions_; }
  /// Of sums of functions times their weights.
  [[nodiscard]] float unit() const { return unit_; }

  /// The curves of at most points_at_once records: `out` holds directions() numbers for each.
  void apply(std::span<const CurvePoint> points, std::span<float> out) const;

 private:
  /// Directions that are made of the same functions.
  struct Group {
    bool odd_alone;     ///< of odd functions; of even ones or of all otherwise
    std::size_t pairs;  ///< of functions
    std::size_t first_direction;
    std::size_t directions;
    std::vector<std::uint32_t> words{};  // numeric/paired_sums.h; zeros behind the last

    [[nodiscard]] std::size_t columns() const {
      constexpr std::size_t side_by_side = numeric::paired_columns;
      return (directions + side_by_side - 1) / side_by_side * side_by_side;
    }
  };

  void add_group(const Curves& curves, Group group);
  void take_off_lines(std::span<const CurvePoint> points, std::span<float> out) const;

  CurveFunctions functions_;
  std::size_t directions_;
  float unit_;
  std::vector<Group> groups_;
  std::vector<float> line_;  // part by part, direction by direction
};

}  // namespace tacet::data
