#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/learn/inference/joint_law.h"
#include "tacet/learn/inference/regression_design.h"
#include "tacet/model/linear_model.h"

/// What of a regression is published: coefficients in original units, their covariance, intervals
/// and tests. Functions of released numbers, which cost nothing.
namespace tacet::learn {

/// A coefficient, or a combination of some, with the law of its error.
struct TableLine {
  std::string name;
  bool identified = false;  ///< otherwise noise hides it, and the numbers say nothing
  double estimate = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;
  double t = 0;
  double p = 1;  ///< of the two-sided test that it is 0
  double low = 0;
  double high = 0;
  double widened = 0;  ///< by which share the privacy noise makes the interval wider
};

/// Coefficients in original units and their covariance.
struct RegressionTable {
  std::vector<std::string> names{};
  std::vector<std::string> references{};  ///< names whose coefficient is 0 by definition
  Eigen::VectorXd coefficients{};
  Eigen::MatrixXd sampling{};
  Eigen::MatrixXd noise{};
  std::vector<bool> identified{};  ///< of each coefficient
  std::vector<double> degrees_of_freedom{};
  std::int64_t rows = 0;       ///< the declared number, never a counted one
  double reach = 0;            ///< c
  double residual_cut = 0;     ///< of numbers and counts, in the target's units
  double residual_stddev = 0;  ///< of numbers, in the target's units
  /// The rows' weights: min(1, reach * columns / x' S x), x a row in original units with the
  /// constant. S is released, so that which rows weigh less is known to everybody.
  Eigen::MatrixXd row_shape{};
  std::int64_t blurred = 0;  ///< directions in which noise hides how the rows spread, and S with it
  bool converged = true;     ///< else nothing is identified, at any budget
  bool near_limit = false;   ///< of classes: the fit may not have got to its end
  bool with_goodness = false;  ///< numbers: R^2 means what it usually does

  [[nodiscard]] Eigen::MatrixXd covariance() const { return sampling + noise; }
};

/// Original units: offsets and scales of numbers and of the target are linear maps.
[[nodiscard]] RegressionTable regression_table(const RegressionDesign& design,
                                               const RegressionEstimate& estimate);

/// What a model file has of it, and the way back. What is not identified has no number there.
[[nodiscard]] model::RegressionNumbers table_numbers(const RegressionTable& table,
                                                     std::string terms);
[[nodiscard]] RegressionTable table_of(const model::LinearModel& model);

/// All coefficients with intervals of this level. UsageError for a level outside of (0, 1).
[[nodiscard]] std::vector<TableLine> table_lines(const RegressionTable& table, double level = .95);

/// A combination by its words, as `ward=2 - ward=3` or `2 * age + 3`: coefficients by their names,
/// references as 0. It has the fewest degrees of freedom of its members, and is identified where
/// they all are. UsageError that says what is wrong.
[[nodiscard]] TableLine contrast_line(const RegressionTable& table, std::string_view contrast,
                                      double level = .95);

/// The same combination as numbers, one for each coefficient.
[[nodiscard]] Eigen::VectorXd contrast_weights(const RegressionTable& table,
                                               std::string_view contrast);

/// Holm's correction of p-values for many tests (Holm 1979), in the same order.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// The same for the lines of a table: of the slopes that are identified together; nothing for the
/// others and for the intercept, whose 0 is no hypothesis.
[[nodiscard]] std::vector<std::optional<double>> holm_of_slopes(std::span<const TableLine> lines);

/// R^2 of a regression of numbers: W / (W + n), n the declared number of rows, W the slopes' Wald
/// statistic without what noise and sampling add to it on average; within [0, 1]. UsageError for
/// other targets, and where a slope is not identified.
[[nodiscard]] double explained_share(const RegressionTable& table);
/// The same; nothing where it would be refused.
[[nodiscard]] std::optional<double> known_explained_share(const RegressionTable& table);

}  // namespace tacet::learn
