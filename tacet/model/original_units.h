#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// Coefficients read in the units of the file instead of those of the encoded row.
///
/// A row's features are multiplied by one factor before they meet the coefficients: a constant
/// under row scaling `const`, the inverse of the row's own length under `clip1`. So one more unit
/// of a column does not move every record's margin by the same amount; but for records of one
/// length it does, and the schema alone says which lengths there are. Records with a missing or
/// unlisted category are left aside: they are shorter.
namespace tacet::model {

/// The factors that complete records can have, from the schema alone.
struct ScaleRange {
  double longest_row;   ///< the smaller factor
  double shortest_row;  ///< the larger one; equal where all rows have one length
};

[[nodiscard]] ScaleRange scale_range(const data::Schema& schema);

/// The length of a row of middle length: the root of the mean of the shortest and the longest
/// squared length. Effects that are told as one number are those in such a row.
[[nodiscard]] double middle_length(const ScaleRange& range);

/// How far one step of a feature moves the margin (log odds, say) or, for a regression, the
/// predicted value in the target's units, for records of the two extreme lengths.
struct UnitEffect {
  std::string name;
  std::string step;  ///< "1", "1 in log(1 + x)", "this category", "male to female", "constant"
  double longest_row;
  double shortest_row;
};

/// One entry a feature of the given output, in the order of the coefficients. A number with hat
/// functions has one a knot, the points of a curve: what the number there adds, its line and its
/// hat function together. `schema` is the model's own. None where it has curves: each coefficient
/// is then about several columns (model/curve_effects.h). UsageError as expect_margins() for a
/// table of coefficients.
[[nodiscard]] std::vector<UnitEffect> original_units(const data::Schema& schema,
                                                     const LinearModel& model, std::int64_t output);

/// The margin of an output, or the predicted value of a regression, as a straight line of the
/// file's numbers, for records within the bounds.
struct StraightLine {
  std::vector<double> factors;  ///< a column's slope is its coefficient times this
  double constant;              ///< at 0 of all numbers
};

/// Nothing where no straight line is it: a column that is no number, a curve, bins, a period, a
/// logarithm, dates, an interaction, a projection, or rows that row scaling shortens. One factor a
/// column that is not ignored. `schema` is the model's own.
[[nodiscard]] std::optional<StraightLine> straight_line(const data::Schema& schema,
                                                        const LinearModel& model,
                                                        std::int64_t output);

}  // namespace tacet::model
