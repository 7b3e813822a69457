#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/optimize/sums/design_row.h"
#include "tacet/optimize/sums/residual.h"

/// Turns a schema and terms into the columns of a regression, as R and statsmodels do: numbers
/// without knots and standardisation, indicators of categories relative to a reference level,
/// products by name, and complete cases. From public facts alone.
namespace tacet::learn {

/// The columns of a regression, and their meaning in original units.
struct RegressionDesign {
  std::string terms{};  ///< resolved: each term in full
  /// The schema for reading: it has the terms' columns, and numbers as 2 v - 1 with a mark if they
  /// are missing. Records without a target, or with a class in neither list, are marked.
  data::Schema reading{};
  optimize::Design design{};         ///< of its rows; the first column is the constant
  std::vector<std::string> names{};  ///< `(intercept)`, `age`, `sex=f`, `age:sex=f`
  /// How many of the names each of the terms has, in their order; the intercept is the first name.
  std::vector<std::size_t> term_lines{};
  /// Levels with which others are compared; their coefficient is 0: `sex=m`.
  std::vector<std::string> references{};
  /// Row k: design column k as a combination of the columns in original units.
  Eigen::MatrixXd originals{};
  optimize::MeanModel mean = optimize::MeanModel::identity;
  // The target in original units is offset + scale * label.
  double label_scale = 1;
  double label_offset = 0;
  double largest_count = 1;  ///< for counts: the count whose label is 1

  [[nodiscard]] Eigen::Index columns() const {
    return static_cast<Eigen::Index>(design.columns.size());
  }
};

/// Without terms it has all columns of the schema and its interactions. A record counts if neither
/// its target nor any of these columns is missing, unreadable or unknown, unless the schema has its
/// own indicator or level for such values (`missing_indicator`, `other = "column"`). UsageError for
/// a target or column that such a table cannot have, for an unknown name, and for a product with a
/// number whose parts are not terms.
[[nodiscard]] RegressionDesign regression_design(const data::Schema& schema,
                                                 std::string_view terms = {});

}  // namespace tacet::learn
