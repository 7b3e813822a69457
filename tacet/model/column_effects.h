#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/linear_model.h"

/// What a model says about each column, one line per column: the effect of one step in the units of
/// the file, or the curve of a number with hat functions. All of it is computed from released
/// coefficients and the schema.
namespace tacet::model {

/// The contribution of a number between its bounds, in the order of its knots.
struct EffectCurve {
  double min;
  double max;
  std::string direction;  ///< "rises", "falls", "rises to 40, then falls", "changes direction"
  std::string steepest;   ///< the two knots between which it changes most: "30 to 40"
};

struct ColumnEffect {
  std::string name;                   ///< the name of the feature, or of the column of a curve
  std::vector<std::size_t> features;  ///< its coefficients: one, or all coefficients of a curve
  bool intercept = false;
  /// "10", "a to b", "this category"; empty for a curve.
  std::string step = {};
  /// The change of the margin for that step, or for a regression the change of the target in its
  /// units. For a curve: its largest value less its smallest.
  double effect = 0;
  std::optional<double> noise = {};  ///< standard deviation of the privacy noise in it
  /// The largest ratio, in absolute value, of one of its coefficients to the standard deviation of
  /// the noise in it; 0 if no noise is known.
  double clearness = 0;
  std::optional<EffectCurve> curve = {};
};

/// The effects on each output, in the order of the features. The step of a number is the one in its
/// schema, otherwise half the distance of its bounds, or the whole distance for 0 to 1. Under row
/// scaling `clip1` a step moves a long record less than a short one. Effects are reported for a
/// record of middle length: the root of the mean of the shortest and the longest squared length.
[[nodiscard]] std::vector<std::vector<ColumnEffect>> column_effects(const data::Schema& schema,
                                                                    const LinearModel& model);

/// The clearness that the largest of `coefficients` many coefficients exceeds in 5 of 100 runs if
/// all of them are only normal noise (Bonferroni).
[[nodiscard]] double clearness_of_noise(std::size_t coefficients);

}  // namespace tacet::model
