#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// What a regression with intervals (method inference) leaves in its model file in place of
/// coefficients of encoded columns: a table in original units and the covariance of its errors. All
/// of it follows from released numbers.
namespace tacet::model {

struct RegressionNumbers {
  std::string terms{};                    ///< the formula's right side, as it was resolved
  std::vector<std::string> names{};       ///< of the coefficients; the intercept first
  std::vector<std::string> references{};  ///< levels whose coefficient is 0 by definition
  /// In the target's and the columns' own units; NaN where the noise hides it, and nothing is said.
  std::vector<double> coefficients{};
  /// Covariances of the errors, lower triangle row by row: by the draw of the records, and by the
  /// privacy noise. NaN where one of the two coefficients is not identified.
  std::vector<double> sampling{};
  std::vector<double> noise{};
  std::vector<double> degrees_of_freedom{};  ///< of each t statistic
  double reach = 0;                          ///< c: rows with |z|^2 above c columns weigh less
  /// S of the rows' weights min(1, reach * columns / x' S x), lower triangle row by row; x is a row
  /// in original units, with a 1 for the intercept.
  std::vector<double> row_shape{};
  std::int64_t blurred_directions = 0;  ///< of S, in which noise hides how the rows spread
  bool converged = true;                ///< else nothing is identified: steps do not get that far
  bool near_limit = false;     ///< of classes: steps may not have got there, and intervals not hold
  double residual_cut = 0;     ///< of numbers and counts, in the target's units; 0 for classes
  double residual_stddev = 0;  ///< of numbers, in the target's units, as released; else 0
  std::int64_t rows = 0;       ///< the declared number of records or units, never a counted one

  [[nodiscard]] bool identified(std::size_t k) const;
  /// Place of the covariance of coefficients i and j in a triangle.
  [[nodiscard]] static std::size_t place(std::size_t i, std::size_t j) {
    return i < j ? place(j, i) : i * (i + 1) / 2 + j;
  }

  /// Throws DataError that names the first field that makes no sense.
  void validate() const;
};

/// JSON with null for NaN, and the inverse: DataError that names the field. `expected` is where the
/// object stands, `model.table`.
[[nodiscard]] nlohmann::ordered_json regression_numbers_json(const RegressionNumbers& numbers);
[[nodiscard]] RegressionNumbers read_regression_numbers(const nlohmann::json& object,
                                                        const std::string& path);

}  // namespace tacet::model
