#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "tacet/optimize/sums/joint_sum.h"

/// The estimate and its law from the last release of method inference: post-processing of released
/// numbers alone, which costs nothing.
namespace tacet::learn {

/// A regression's coefficients in encoded columns, and the law of their errors.
struct RegressionEstimate {
  Eigen::VectorXd coefficients{};
  Eigen::MatrixXd sampling{};   ///< covariance that the draw of the records gives
  Eigen::MatrixXd noise{};      ///< covariance that the privacy noise gives
  Eigen::MatrixXd whitening{};  ///< A: the coefficients are A' theta
  Eigen::MatrixXd weak{};       ///< projector of theta's space on directions that noise hides
  double dispersion_doubt = 0;  ///< relative standard deviation of the sampling covariance's scale
  double reach = 0;             ///< c
  double cut = 0;               ///< K, in units of the label
  double residual_stddev = 0;   ///< of numbers, as the start had it, in units of the label
  std::int64_t rows = 0;        ///< the declared number, never a counted one
  double predictor = 0;         ///< root mean square of the rows' linear predictor, |theta|
  double predictor_error = 0;   ///< its standard error
  bool converged = true;        ///< whether steps get as far as the estimate is
  bool near_limit = false;      ///< whether they might not: the truth may lie beyond
  bool narrow_cut = false;      ///< whether skewed errors could move the intercept
  /// Directions in which the start's noise hides how the rows spread.
  std::int64_t blurred = 0;

  /// Whether noise hides what a combination of the coefficients needs.
  [[nodiscard]] bool identifies(const Eigen::VectorXd& combination) const;
  [[nodiscard]] double sampling_variance(const Eigen::VectorXd& combination) const;
  [[nodiscard]] double noise_variance(const Eigen::VectorXd& combination) const;
  /// Degrees of freedom of its t statistic (Satterthwaite 1946), at least 4.
  [[nodiscard]] double degrees_of_freedom(const Eigen::VectorXd& combination) const;
};

/// What the last release was, and where.
struct LastRelease {
  Eigen::MatrixXd whitening{};
  Eigen::VectorXd theta{};  ///< where the score was taken, in whitened coordinates
  optimize::JointRelease parts{};
  optimize::JointNoise noise{};  ///< with the multiplier in it
  double model_variance = 1;     ///< of a residual by the model, over its curvature
};

/// One Newton step from the last release, on the directions whose curvature is above its noise; the
/// sandwich of its moment, drawn towards the model as far as noise hides the difference; and the
/// noise of score and curvature propagated to first order.
[[nodiscard]] RegressionEstimate joint_law(const LastRelease& last);

/// Eigenvalues ascending and eigenvectors of a released symmetric matrix. NumericError where they
/// are not found.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// Expected largest eigenvalue of symmetric noise with this standard deviation on its diagonal
/// (docs/proofs/gram.md, section 2).
[[nodiscard]] double noise_edge(double stddev, Eigen::Index columns);

}  // namespace tacet::learn
