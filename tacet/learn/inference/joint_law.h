#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "tacet/optimize/sums/joint_sum.h"

/// The estimate of method inference and its law, from the last release. It is post-processing of
/// released numbers and costs nothing.
namespace tacet::learn {

/// A regression's coefficients in encoded columns, and the law of their errors.
struct RegressionEstimate {
  Eigen::VectorXd coefficients{};
  Eigen::MatrixXd sampling{};   ///< covariance due to sampling
  Eigen::MatrixXd noise{};      ///< covariance due to privacy noise
  Eigen::MatrixXd whitening{};  ///< A: the coefficients are A' theta
  Eigen::MatrixXd weak{};       ///< projector of theta's space on directions that the noise hides
  /// relative standard deviation of the scale of the sampling covariance
  double dispersion_doubt = 0;
  double reach = 0;            ///< c
  double cut = 0;              ///< K, in units of the label
  double residual_stddev = 0;  ///< for numbers: as estimated by the start, in units of the label
  std::int64_t rows = 0;       ///< the declared number, never a counted one
  double predictor = 0;        ///< root mean square of the rows' linear predictor, |theta|
  double predictor_error = 0;  ///< its standard error
  bool converged = true;       ///< whether the steps can reach such an estimate
  bool near_limit = false;     ///< whether they may not: the truth may lie beyond the limit
  bool narrow_cut = false;     ///< whether skewed errors could bias the intercept
  /// Directions in which the start's noise hides how the rows spread.
  std::int64_t blurred = 0;

  /// Whether a combination of the coefficients is identified: noise hides none of the directions
  /// that it needs.
  [[nodiscard]] bool identifies(const Eigen::VectorXd& combination) const;
  [[nodiscard]] double sampling_variance(const Eigen::VectorXd& combination) const;
  [[nodiscard]] double noise_variance(const Eigen::VectorXd& combination) const;
  /// Degrees of freedom of its t statistic (Satterthwaite 1946), at least 4.
  [[nodiscard]] double degrees_of_freedom(const Eigen::VectorXd& combination) const;
};

/// The numbers of the last release, and the point at which it was made.
struct LastRelease {
  Eigen::MatrixXd whitening{};
  Eigen::VectorXd theta{};  ///< the point at which the score was taken, in whitened coordinates
  optimize::JointRelease parts{};
  optimize::JointNoise noise{};  ///< with the multiplier in it
  double model_variance = 1;     ///< of a residual under the model, over its curvature
};

/// One Newton step from the last release, along the directions whose curvature is above its noise.
/// The covariance is the sandwich of the released moment, drawn towards the model as far as noise
/// hides the difference. The noise of score and curvature is propagated to first order.
[[nodiscard]] RegressionEstimate joint_law(const LastRelease& last);

/// Ascending eigenvalues and the eigenvectors of a released symmetric matrix. NumericError if the
/// solver does not converge.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// Expected largest eigenvalue of symmetric noise with this standard deviation on its diagonal
/// (docs/proofs/gram.md, section 2).
[[nodiscard]] double noise_edge(double stddev, Eigen::Index columns);

}  // namespace tacet::learn
