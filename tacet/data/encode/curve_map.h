#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/encode/curve_features.h"
#include "tacet/data/schema/curves.h"
#include "tacet/numeric/paired_sums.h"

namespace tacet::data {

/// Maps records to their principal curves by the numbers in the model file. For each direction,
/// `weights` has the weights of its functions: the even ones for the first `even` directions and
/// the odd ones for the others, or all functions if there are categories. `lines` has its linear
/// part, which is subtracted: a constant, a coefficient per number, and one per category.
///
/// Sums over functions are sums of integers within 32 bits. So the bits are the same in any order,
/// on every machine, and for any number of records at once. Several threads may use it.
class CurveMap {
 public:
  static constexpr std::size_t points_at_once = 4 * numeric::paired_vectors;

  CurveMap(const Curves& curves, const CurveShape& shape);

  [[nodiscard]] std::size_t directions() const { return directions_; }
  [[nodiscard]] const CurveFunctions& functions() const { return functions_; }
  /// The unit of sums of functions times their weights.
  [[nodiscard]] float unit() const { return unit_; }

  /// The curves of at most points_at_once records. `out` has room for directions() numbers per
  /// record.
  void apply(std::span<const CurvePoint> points, std::span<float> out) const;

 private:
  /// Directions that use the same functions.
  struct Group {
    bool odd_alone;     ///< odd functions only; otherwise even ones, or all
    std::size_t pairs;  ///< of functions
    std::size_t first_direction;
    std::size_t directions;
    std::vector<std::uint32_t> words{};  // as numeric/paired_sums.h has them, padded with zeros

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
  std::vector<float> line_;  // parts of the linear fit, each with one number per direction
};

}  // namespace tacet::data
