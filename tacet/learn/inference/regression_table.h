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

/// The published results of a regression: coefficients in original units, their covariance,
/// intervals and tests. All are functions of released numbers and cost nothing.
namespace tacet::learn {

/// A coefficient, or a combination of several, with the law of its error.
struct TableLine {
  std::string name;
  bool identified = false;  ///< false: noise hides it, and the numbers mean nothing
  double estimate = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;
  double t = 0;
  double p = 1;  ///< of the two-sided test that the coefficient is 0
  double low = 0;
  double high = 0;
  double widened = 0;  ///< how much wider the privacy noise makes the interval, as a share
};

/// Coefficients in original units and their covariance.
struct RegressionTable {
  std::vector<std::string> names{};
  std::vector<std::string> references{};  ///< names of levels whose coefficient is 0 by definition
  Eigen::VectorXd coefficients{};
  Eigen::MatrixXd sampling{};
  Eigen::MatrixXd noise{};
  std::vector<bool> identified{};  ///< of each coefficient
  std::vector<double> degrees_of_freedom{};
  std::int64_t rows = 0;       ///< the declared number, never a counted one
  double reach = 0;            ///< c
  double residual_cut = 0;     ///< for numbers and counts, in the target's units
  double residual_stddev = 0;  ///< for numbers, in the target's units
  /// The weights of rows: min(1, reach * columns / x' S x), where x is a row in original units with
  /// the constant. S is released, so everybody knows which rows get less weight.
  Eigen::MatrixXd row_shape{};
  /// number of directions in which noise hides the spread of the rows, and so S
  std::int64_t blurred = 0;
  bool converged = true;       ///< false: nothing is identified, at any budget
  bool near_limit = false;     ///< for classes: the fit may not have converged
  bool with_goodness = false;  ///< for numbers: R^2 has its usual meaning

  [[nodiscard]] Eigen::MatrixXd covariance() const { return sampling + noise; }
};

/// Original units: offsets and scales of numbers and of the target are linear maps.
[[nodiscard]] RegressionTable regression_table(const RegressionDesign& design,
                                               const RegressionEstimate& estimate);

/// The numbers of a table in a model file, and the inverse. A line that is not identified has no
/// numbers there.
[[nodiscard]] model::RegressionNumbers table_numbers(const RegressionTable& table,
                                                     std::string terms);
[[nodiscard]] RegressionTable table_of(const model::LinearModel& model);

/// All coefficients with intervals of this level. UsageError for a level outside of (0, 1).
[[nodiscard]] std::vector<TableLine> table_lines(const RegressionTable& table, double level = .95);

/// A combination in words, such as `ward=2 - ward=3` or `2 * age + 3`. Coefficients have their
/// names, and references count as 0. Its degrees of freedom are the smallest of its members', and
/// it is identified if all of them are. UsageError, which says what is wrong.
[[nodiscard]] TableLine contrast_line(const RegressionTable& table, std::string_view contrast,
                                      double level = .95);

/// The same combination as weights, one for each coefficient.
[[nodiscard]] Eigen::VectorXd contrast_weights(const RegressionTable& table,
                                               std::string_view contrast);

/// Holm's correction of p-values for many tests (Holm 1979), in the same order.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// Holm's correction for the lines of a table: for the slopes that are identified, together.
/// Nothing for the others, and for the intercept, for which 0 is not a hypothesis.
[[nodiscard]] std::vector<std::optional<double>> holm_of_slopes(std::span<const TableLine> lines);

/// R^2 of a regression of numbers, in [0, 1]: W / (W + n), where n is the declared number of rows.
/// W is the Wald statistic of the slopes, without what noise and sampling add to it on average.
/// UsageError for other targets, and if a slope is not identified.
[[nodiscard]] double explained_share(const RegressionTable& table);
/// As explained_share(); nothing where that would throw.
[[nodiscard]] std::optional<double> known_explained_share(const RegressionTable& table);

}  // namespace tacet::learn
