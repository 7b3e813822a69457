#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/encode/curve_features.h"
#include "tacet/data/schema/curves.h"

namespace tacet::data {

/// From records to their principal curves by the numbers in the model file. Its `map` holds, for
/// each direction, the weights of its functions (even ones for the first `even` directions, odd
/// ones for the others; all where there are categories), then its linear part, which is taken off:
/// a constant, a coefficient per number, and one per category.
///
/// Sums of 4-byte floats in a fixed order: the same bits on every machine, for any number of
/// records at once. May be used by several threads.
class CurveMap {
 public:
  static constexpr std::size_t points_at_once = 4;

  CurveMap(const Curves& curves, const CurveShape& shape);

  [[nodiscard]] std::size_t directions() const { return directions_; }

  /// The curves of at most points_at_once records: `out` holds directions() numbers for each.
  void apply(std::span<const CurvePoint> points, std::span<float> out) const;

 private:
  static constexpr std::size_t panel = 8;  // directions side by side

  /// Directions that are made of the same functions.
  struct Group {
    std::size_t first_function;
    std::size_t functions;
    std::size_t first_direction;
    std::size_t directions;
    std::vector<float> weights;  // panel by panel, function by function; zeros behind the last
  };

  void add_group(const Curves& curves, Group group);
  void take_off_line(const CurvePoint& point, std::span<float> out) const;

  CurveFunctions functions_;
  std::size_t directions_;
  std::vector<Group> groups_;
  std::vector<float> line_;  // part by part, direction by direction
};

}  // namespace tacet::data
