#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/optimize/sums/design_row.h"
#include "tacet/optimize/sums/residual.h"

/// From a schema and terms to the columns of a regression, as R and statsmodels have them: numbers
/// without knots and standards, a category's indicator beside a reference level, products by name,
/// and complete cases. From public facts alone.
namespace tacet::learn {

/// The columns of a regression and what they are in original units.
struct RegressionDesign {
  std::string terms{};  ///< resolved: each term in full
  /// By which records are read: the columns of the terms, numbers as 2 v - 1 with a mark where they
  /// are missing. Records without a target, or with a class in neither list, are marked.
  data::Schema reading{};
  optimize::Design design{};         ///< of its rows; the constant is the first column
  std::vector<std::string> names{};  ///< `(intercept)`, `age`, `sex=f`, `age:sex=f`
  /// How many of the names each of the terms has, in their order; the intercept is the first name.
  std::vector<std::size_t> term_lines{};
  /// Levels that the others are compared with, whose coefficient is 0: `sex=m`.
  std::vector<std::string> references{};
  /// Row k: design column k as a combination of the columns in original units.
  Eigen::MatrixXd originals{};
  optimize::MeanModel mean = optimize::MeanModel::identity;
  // The target in original units is offset + scale * label.
  double label_scale = 1;
  double label_offset = 0;
  double largest_count = 1;  ///< of counts: the count that is the label 1

  [[nodiscard]] Eigen::Index columns() const {
    return static_cast<Eigen::Index>(design.columns.size());
  }
};

/// Without terms: all columns of the schema and its interactions. A record counts if none of these
/// columns and no target is missing, unreadable or unknown; the schema's own indicators and levels
/// for such values (`missing_indicator`, `other = "column"`) keep it. UsageError for a target or a
/// column that such a table has no coefficients for, an unknown name, or a product with a number
/// whose parts are no terms.
[[nodiscard]] RegressionDesign regression_design(const data::Schema& schema,
                                                 std::string_view terms = {});

}  // namespace tacet::learn
