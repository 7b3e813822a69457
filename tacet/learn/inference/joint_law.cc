#include "tacet/learn/inference/joint_law.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// smallest curvature of a strong direction, over the noise's largest eigenvalue
constexpr double strong_over_noise = 2;
// largest share of a combination that may lie in weak directions
constexpr double weak_share = .02;
constexpr double prior_variance = .25;  // of the dispersion around 1
constexpr double min_dispersion = .3;
constexpr double min_freedom = 4;
constexpr double max_freedom = 1e6;

/// The directions that noise leaves standing.
struct StrongPart {
  SymmetricEigen eigen;
  VectorXd inverses;  ///< 1 over the eigenvalue; 0 in weak directions
  double edge;        ///< of the curvature's noise

  [[nodiscard]] MatrixXd inverse() const {
    return eigen.vectors * inverses.asDiagonal() * eigen.vectors.transpose();
  }
  [[nodiscard]] MatrixXd weak() const {
    const VectorXd out = (inverses.array() == 0).cast<double>();
    return eigen.vectors * out.asDiagonal() * eigen.vectors.transpose();
  }
};

StrongPart strong_part(const LastRelease& last) {
  StrongPart part{.eigen = symmetric_eigen(last.parts.curvature),
                  .inverses = {},
                  .edge = noise_edge(last.noise.curvature, last.theta.size())};
  const auto& values = part.eigen.values;
  const double min = strong_over_noise * part.edge;
  part.inverses = (values.array() > min).select(values.array().inverse(), 0).matrix();
  // If most directions are weak, noise probably made the others look strong.
  if (2 * (part.inverses.array() > 0).count() < values.size()) part.inverses.setZero();
  return part;
}

/// How much larger than the model says the scores' moment is, drawn to 1 by its noise.
struct Dispersion {
  double value;
  double stddev;  ///< standard deviation of its remaining uncertainty
};

Dispersion dispersion(const LastRelease& last, const StrongPart& strong, double model_trace) {
  const double min = 1e-9;
  const double seen = (strong.inverse() * last.parts.moment).trace() / std::max(model_trace, min);
  const double noise = last.noise.moment * strong.inverses.norm() / std::max(model_trace, min);
  const double weight = prior_variance / (prior_variance + noise * noise);
  return {.value = std::max(1 + (seen - 1) * weight, min_dispersion),
          .stddev = std::sqrt(prior_variance * (1 - weight))};
}

/// The moment, in coordinates in which the model's moment is the identity times the model's
/// variance.
MatrixXd sampling_covariance(const LastRelease& last, const StrongPart& strong,
                             const Dispersion& found) {
  const VectorXd roots = strong.inverses.cwiseSqrt();
  const MatrixXd basis = strong.eigen.vectors * roots.asDiagonal();
  const VectorXd curvature = strong.eigen.values.cwiseMax(0);
  const double level = found.value * last.model_variance;
  const MatrixXd model =
      strong.eigen.vectors * (level * curvature).asDiagonal() * strong.eigen.vectors.transpose();
  MatrixXd shape = basis.transpose() * (last.parts.moment - model) * basis;
  const VectorXd& inverses = strong.inverses;
  // Entries off the diagonal have half of its variance, but occur twice.
  const double sums = inverses.sum();
  const double expected =
      last.noise.moment * last.noise.moment * (sums * sums + inverses.squaredNorm()) / 2;
  shape *= std::max(0.0, 1 - expected / std::max(shape.squaredNorm(), 1e-12));
  shape.diagonal() +=
      (inverses.array() > 0).select(VectorXd::Constant(inverses.size(), level), 0).matrix();
  auto eigen = symmetric_eigen(shape);
  eigen.values = eigen.values.cwiseMax(min_dispersion * level);
  return basis * eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() *
         basis.transpose();
}

/// The squared distance that theta may still have from the estimate in the weak directions, where
/// no step was taken: the score over a curvature of at least the noise's edge, and the noise of the
/// score.
double weak_distance(const LastRelease& last, const StrongPart& strong) {
  const VectorXd score = strong.eigen.vectors.transpose() * last.parts.score;
  double square = 0;
  for (Eigen::Index k = 0; k < score.size(); ++k) {
    if (strong.inverses[k] > 0) continue;
    square += std::pow(score[k] / std::max(strong.eigen.values[k], strong.edge), 2) +
              std::pow(last.noise.score / strong.edge, 2);
  }
  return square;
}

/// The covariance from the noise of score and curvature: Hi (s_g^2 I + s_H^2 / 2 (|d|^2 I + d d'))
/// Hi, where d is the step that the score asks for, including weak directions. In weak directions
/// the remaining distance is added: a combination may contain a little of them (`weak_share`), and
/// the distance may be large.
MatrixXd noise_covariance(const LastRelease& last, const StrongPart& strong) {
  const auto& eigen = strong.eigen;
  const VectorXd damped = eigen.values.cwiseMax(strong_over_noise * strong.edge).cwiseInverse();
  const VectorXd step =
      eigen.vectors * damped.asDiagonal() * eigen.vectors.transpose() * last.parts.score;
  const double half = last.noise.curvature * last.noise.curvature / 2;
  const double each = last.noise.score * last.noise.score + half * step.squaredNorm();
  const MatrixXd inverse = strong.inverse();
  const VectorXd moved = inverse * step;
  return each * inverse * inverse + half * moved * moved.transpose() +
         weak_distance(last, strong) * strong.weak();
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(matrix);
  if (solved.info() != Eigen::Success) {
    throw base::NumericError("the eigenvalues of a released matrix were not found");
  }
  return {solved.eigenvalues(), solved.eigenvectors()};
}

double noise_edge(double stddev, Eigen::Index columns) {
  return stddev * std::sqrt(2 * static_cast<double>(columns));
}

bool RegressionEstimate::identifies(const VectorXd& combination) const {
  const VectorXd needed = whitening * combination;
  return (weak * needed).squaredNorm() <= weak_share * needed.squaredNorm();
}

double RegressionEstimate::sampling_variance(const VectorXd& combination) const {
  return combination.dot(sampling * combination);
}

double RegressionEstimate::noise_variance(const VectorXd& combination) const {
  return combination.dot(noise * combination);
}

double RegressionEstimate::degrees_of_freedom(const VectorXd& combination) const {
  const double part = sampling_variance(combination);
  const double whole = part + noise_variance(combination);
  const double doubt = dispersion_doubt * part;
  if (!(doubt > 0)) return max_freedom;
  return std::clamp(2 * whole * whole / (doubt * doubt), min_freedom, max_freedom);
}

RegressionEstimate joint_law(const LastRelease& last) {
  const auto strong = strong_part(last);
  const double model_trace =
      last.model_variance * (strong.inverses.array() * strong.eigen.values.array()).sum();
  const auto found = dispersion(last, strong, model_trace);
  const MatrixXd& whitening = last.whitening;
  const VectorXd theta = last.theta + strong.inverse() * last.parts.score;
  RegressionEstimate estimate;
  estimate.coefficients = whitening.transpose() * theta;
  const MatrixXd sampling = sampling_covariance(last, strong, found);
  const MatrixXd noise = noise_covariance(last, strong);
  estimate.sampling = whitening.transpose() * sampling * whitening;
  estimate.noise = whitening.transpose() * noise * whitening;
  estimate.whitening = whitening;
  estimate.predictor = theta.norm();
  const VectorXd along = theta / std::max(estimate.predictor, 1e-9);
  estimate.predictor_error = std::sqrt(along.dot((sampling + noise) * along));
  estimate.weak = strong.weak();
  estimate.dispersion_doubt = found.stddev / found.value;
  return estimate;
}

}  // namespace tacet::learn
