#include "tacet/learn/inference/joint_hypothesis.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/learn/inference/regression_terms.h"

namespace tacet::learn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A covariance is inverted only if its smallest eigenvalue is more than this share of its largest.
// Below that, rounding decides the inverse.
constexpr double min_ratio = 1e-12;

/// Rows are combinations. Only coefficients that take part have numbers.
ContrastSet set_of(const RegressionTable& table, const MatrixXd& rows) {
  ContrastSet found{.estimates = {}, .covariance = {}, .test = {.name = {}}};
  found.test.combinations = rows.rows();
  double freedom = 1e6;
  VectorXd coefficients = table.coefficients;
  MatrixXd covariance = table.covariance();
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    const bool used = !rows.col(k).isZero(0);
    if (used && !table.identified[static_cast<std::size_t>(k)]) return found;
    if (used) {
      freedom = std::min(freedom, table.degrees_of_freedom[static_cast<std::size_t>(k)]);
    } else {
      coefficients[k] = 0;
      covariance.row(k).setZero();
      covariance.col(k).setZero();
    }
  }
  found.estimates = rows * coefficients;
  found.covariance = rows * covariance * rows.transpose();
  // In units of the coefficients' own errors, so that the units of the columns do not matter.
  const VectorXd errors = found.covariance.diagonal().cwiseSqrt();
  const MatrixXd correlation =
      errors.cwiseInverse().asDiagonal() * found.covariance * errors.cwiseInverse().asDiagonal();
  const auto eigen = symmetric_eigen(correlation);
  if (!(eigen.values[0] > min_ratio * eigen.values.reverse()[0])) {
    throw base::UsageError(
        "the contrasts are linearly dependent and have no joint test; leave out one that follows "
        "from the others");
  }
  const VectorXd standard = eigen.vectors.transpose() * found.estimates.cwiseQuotient(errors);
  const auto count = static_cast<double>(rows.rows());
  found.test.identified = true;
  found.test.degrees_of_freedom = freedom;
  found.test.statistic = standard.cwiseAbs2().cwiseQuotient(eigen.values).sum() / count;
  const boost::math::fisher_f law(count, freedom);
  found.test.p = boost::math::cdf(boost::math::complement(law, found.test.statistic));
  return found;
}

}  // namespace

bool has_joint_tests(const model::LinearModel& model) {
  return !std::holds_alternative<model::PoissonLoss>(model.loss);
}

std::vector<JointTest> term_tests(const RegressionTable& table, const RegressionDesign& design) {
  std::vector<JointTest> tests;
  const auto columns = static_cast<Eigen::Index>(table.names.size());
  Eigen::Index first = 1;  // after the intercept
  const auto terms = parse_terms(design.terms);
  for (std::size_t term = 0; term < terms.size(); ++term) {
    const auto lines = static_cast<Eigen::Index>(design.term_lines[term]);
    if (lines > 1) {
      MatrixXd rows = MatrixXd::Zero(lines, columns);
      rows.middleCols(first, lines).setIdentity();
      tests.push_back(set_of(table, rows).test);
      tests.back().name = terms_text({terms[term]});
    }
    first += lines;
  }
  return tests;
}

ContrastSet contrast_set(const RegressionTable& table, std::span<const std::string> contrasts) {
  MatrixXd rows(static_cast<Eigen::Index>(contrasts.size()), table.coefficients.size());
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    rows.row(k) = contrast_weights(table, contrasts[static_cast<std::size_t>(k)]).transpose();
  }
  return set_of(table, rows);
}

}  // namespace tacet::learn
