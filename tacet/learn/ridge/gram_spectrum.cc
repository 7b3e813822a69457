#include "tacet/learn/ridge/gram_spectrum.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Approximate variance of labels in [-1, 1] around a linear model.
constexpr double usual_residual = 0.3;

VectorXd variances(const VectorXd& w, double prior, const ReleasedNoise& noise) {
  const auto columns = static_cast<double>(w.size());
  const double constant =
      noise.labels * noise.labels + noise.diagonal * noise.diagonal * columns * prior / 2;
  return (w.array().square() * prior + w.array() * usual_residual + constant).matrix();
}

double log_likelihood(const VectorXd& variance, const VectorXd& squares, double outputs) {
  return -(outputs * variance.array().log() + squares.array() / variance.array()).sum() / 2;
}

}  // namespace

GramSpectrum gram_spectrum(const std::vector<double>& released, const optimize::GramShape& shape) {
  MatrixXd gram(shape.columns, shape.columns);
  for (std::int64_t i = 0; i < shape.columns; ++i) {
    for (std::int64_t j = i; j < shape.columns; ++j) {
      gram(j, i) = gram(i, j) = released[shape.place(i, j)];
    }
  }
  MatrixXd products(shape.columns, shape.outputs);
  for (std::int64_t c = 0; c < shape.outputs; ++c) {
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      products(j, c) = released[shape.label_place(j, c)];
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(gram);
  if (solved.info() != Eigen::Success) {
    throw base::NumericError("the eigenvalues of the released Gram matrix were not found");
  }
  return {solved.eigenvalues(), solved.eigenvectors(),
          solved.eigenvectors().transpose() * products};
}

double spectral_noise_bound(double diagonal_stddev, std::int64_t columns, double failure) {
  return diagonal_stddev *
         (std::sqrt(2 * static_cast<double>(columns)) + std::sqrt(2 * std::log(2 / failure)));
}

double wang2018_penalty(double min_eigenvalue, double noise_bound) {
  return std::max(0.0, noise_bound - std::max(0.0, min_eigenvalue - noise_bound));
}

VectorXd penalised_gains(const GramSpectrum& spectrum, double penalty, double noise_bound) {
  VectorXd denominators = spectrum.eigenvalues.array() + penalty;
  // The noise may exceed its bound, and then the matrix is not positive.
  if (!(denominators.minCoeff() > 0)) denominators = denominators.cwiseMax(noise_bound / 10);
  return denominators.cwiseInverse();
}

VectorXd likeliest_gains(const GramSpectrum& spectrum, const ReleasedNoise& noise) {
  const VectorXd w = spectrum.eigenvalues.cwiseMax(0);
  const VectorXd squares = spectrum.products.rowwise().squaredNorm();
  const auto outputs = static_cast<double>(spectrum.products.cols());
  double best = -std::numeric_limits<double>::infinity();
  double prior = 1;
  // Coefficients of standard deviation 1/1000 to 1000, in steps of 9 percent.
  for (int step = -80; step <= 80; ++step) {
    const double candidate = std::exp2(step / 4.0);
    const double found = log_likelihood(variances(w, candidate, noise), squares, outputs);
    if (found > best) {
      best = found;
      prior = candidate;
    }
  }
  return (w.array() * prior / variances(w, prior, noise).array()).matrix();
}

RidgeCoefficients ridge_coefficients(const GramSpectrum& spectrum, const VectorXd& gains,
                                     const ReleasedNoise& noise) {
  const MatrixXd& directions = spectrum.directions;
  const VectorXd gain_squares =
      directions.array().square().matrix() * gains.array().square().matrix();
  const double matrix_half = noise.diagonal * noise.diagonal / 2;
  RidgeCoefficients found;
  for (Eigen::Index c = 0; c < spectrum.products.cols(); ++c) {
    const VectorXd own = gains.array() * spectrum.products.col(c).array();
    const VectorXd theta = directions * own;
    // b has its own noise and that of E theta, whose covariance is s^2 / 2 (|theta|^2 I + theta
    // theta').
    const VectorXd through = directions * (gains.array() * own.array()).matrix();
    const double each = noise.labels * noise.labels + matrix_half * theta.squaredNorm();
    for (Eigen::Index j = 0; j < theta.size(); ++j) {
      found.values.push_back(theta[j]);
      found.noise_stddevs.push_back(
          std::sqrt(each * gain_squares[j] + matrix_half * through[j] * through[j]));
    }
  }
  return found;
}

namespace wang2018 {

Published published(std::int64_t columns, double epsilon, double delta, double min_eigenvalue,
                    double failure) {
  const auto d = static_cast<double>(columns);
  const double third = epsilon / 3;
  const double logarithm = std::log(6 / delta);
  return {std::sqrt(logarithm) / third,
          std::max(0.0, std::sqrt(d * logarithm * std::log(2 * d * d / failure)) / third -
                            min_eigenvalue)};
}

}  // namespace wang2018
}  // namespace tacet::learn
