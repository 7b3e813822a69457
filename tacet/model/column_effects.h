#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// What a model says of each column, a line each: the effect of one step in the units of the file,
/// or the curve of a number with hat functions. All of it is computed from coefficients that were
/// released, and from the schema.
namespace tacet::model {

/// What a number adds between its bounds, in the order of its knots.
struct EffectCurve {
  double min;
  double max;
  std::string direction;  ///< "rises", "falls", "rises to 40, then falls", "changes direction"
  std::string steepest;   ///< the two knots between which it changes most: "30 to 40"
};

struct ColumnEffect {
  std::string name;                   ///< of the feature, or of the column of a curve
  std::vector<std::size_t> features;  ///< its coefficients: one, or all of a curve
  bool intercept = false;
  /// "10", "a to b", "this category"; empty for a curve.
  std::string step = {};
  /// By how much that step changes the margin or, for a regression, the target in its units. Of a
  /// curve: the largest less the smallest of its values.
  double effect = 0;
  std::optional<double> noise = {};  ///< standard deviation of privacy's noise in it
  /// The largest of its coefficients beside the standard deviation of its noise, in absolute value;
  /// 0 where no noise is known.
  double clearness = 0;
  std::optional<EffectCurve> curve = {};
};

/// The effects on each output, in the order of the features. The step of a number is the one that
/// its schema names, otherwise half the distance of its bounds, and all of it for 0 to 1. Under row
/// scaling `clip1` a step moves a long record less than a short one. Effects are those of a record
/// of middle length: the root of the mean of the shortest and the longest squared length.
[[nodiscard]] std::vector<std::vector<ColumnEffect>> column_effects(const data::Schema& schema,
                                                                    const LinearModel& model);

/// The clearness that the largest of `coefficients` many exceeds in 5 of 100 runs where all are
/// nothing but normal noise (Bonferroni).
[[nodiscard]] double clearness_of_noise(std::size_t coefficients);

}  // namespace tacet::model
