#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/model/model_file.h"

/// What each column of a linear model adds to its margin, in units of the file.
namespace tacet::report {

/// A value of a column, with what it adds to each output.
struct PanelPoint {
  double at = 0;      ///< the number; for levels, the place in their list
  std::string label;  ///< the level, or the number as text
  std::vector<double> adds;
  /// Bounds of the standard deviation of privacy's noise in it; empty where none is stated.
  std::vector<double> noise;
  double squared_length = 0;  ///< what it adds to the squared length of the record's row
};

enum class EffectKind {
  curve,   ///< of a number
  levels,  ///< of a list of categories
  pair,    ///< of each two categories of two columns
  buckets  ///< of numbered features, of which only the strongest are shown
};

struct EffectPanel {
  std::string name;
  EffectKind kind = EffectKind::levels;
  std::vector<PanelPoint> points{};  ///< ascending; two at one number where it jumps
  /// The effect of a number that is missing, or of a category that is not listed; none or one.
  std::vector<PanelPoint> missing{};
  std::vector<std::string> rows{};  ///< of a pair: values of the first column
  std::vector<std::string> columns{};
  std::string row_name{};  ///< the columns themselves
  std::string column_name{};
  bool date = false;
  bool straight = true;  ///< a curve is straight between its points
  std::int64_t features = 0;
  /// Share of the variance of predictions, if columns do not add up (model/curve_effects.h).
  std::optional<double> share{};

  // Of each output.
  std::vector<double> range{};        ///< the largest less the smallest effect
  std::vector<double> range_noise{};  ///< bound of the noise in that difference; empty: not stated
  /// How many standard deviations the range of noise alone stays below in 95 of 100 runs.
  double noise_quantile = 0;

  /// The largest of the outputs' range over its noise; range alone where no noise is stated; the
  /// share of the variance where there is one.
  [[nodiscard]] double strength() const;
  /// For one output at least the range is more than noise alone would make of it; or the share of
  /// the variance is more than a hundredth.
  [[nodiscard]] bool told_from_noise() const;
};

/// Facts about a model with curves, whose columns do not add up: each panel shows one column alone.
struct CurveFacts {
  double at_means = 0;            ///< the prediction from which panels count
  double rest = 0;                ///< share of the variance that no panel shows
  std::optional<double> noise{};  ///< bound of its standard deviation in a prediction
};

struct Effects {
  std::vector<std::string> outputs;  ///< what each of them is
  std::string unit;                  ///< of the effects: "log odds", say
  std::vector<double> intercept;
  std::vector<double> intercept_noise;
  double intercept_squared_length = 0;
  /// Rows are divided by their length where it is above 1; what is added is that in a row of
  /// middle length, as in model/column_effects.h.
  bool by_length = false;
  double row_length = 1;  ///< of that row
  bool noise_stated = false;
  std::optional<CurveFacts> curves{};
  std::vector<EffectPanel> columns;
};

/// The effects of a model with one coefficient for each feature (no wide model, no curves, no
/// projected rows).
[[nodiscard]] Effects effects_of(const model::ModelFile& file);

}  // namespace tacet::report
