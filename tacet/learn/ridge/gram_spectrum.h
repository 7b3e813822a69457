#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/optimize/sums/gram_sum.h"

/// Ridge regression from a Gram matrix and products with labels that were released with noise of a
/// known law: everything here is a function of released numbers, and costs nothing.
namespace tacet::learn {

/// The released numbers in the eigenbasis of the released matrix.
struct GramSpectrum {
  Eigen::VectorXd eigenvalues;  ///< ascending; with noise some may be negative
  Eigen::MatrixXd directions;   ///< V, a column an eigenvector
  Eigen::MatrixXd products;     ///< V' b, one column per output
};
[[nodiscard]] GramSpectrum gram_spectrum(const std::vector<double>& released,
                                         const optimize::GramShape& shape);

/// Standard deviation of the released numbers' noise, in real units.
struct ReleasedNoise {
  double diagonal;  ///< of the matrix's diagonal; the rest has 1 / sqrt(2) of it
  double labels;    ///< of the products with labels
};

/// e with P(|E|_2 > e) <= failure for symmetric noise of that standard deviation on the diagonal
/// (docs/proofs/gram.md, section 2).
[[nodiscard]] double spectral_noise_bound(double diagonal_stddev, std::int64_t columns,
                                          double failure);

/// lambda of Wang (2018), AdaSSP, without its query of the smallest eigenvalue, which the released
/// matrix shows: max(0, e - max(0, w_min - e)). With it the penalised matrix is at least e, even if
/// the noise made w_min too large by e.
[[nodiscard]] double wang2018_penalty(double min_eigenvalue, double noise_bound);

/// The factor on each eigendirection of b: the coefficients are V diag(gain) V' b.
[[nodiscard]] Eigen::VectorXd penalised_gains(const GramSpectrum& spectrum, double penalty,
                                              double noise_bound);

/// The gains of a prior N(0, t^2 I) of the coefficients, with t^2 by marginal likelihood: given the
/// eigenvalues, product i has about the variance S_i = w_i^2 t^2 + s_b^2 + s^2 d t^2 / 2 + r w_i,
/// where w_i is the positive part, s and s_b are the noise's standard deviations, and r is the
/// variance of the labels around the model. The t^2 of largest likelihood is found on a fixed grid;
/// the coefficients are their mean given the products, V diag(w_i t^2 / S_i) V' b.
[[nodiscard]] Eigen::VectorXd likeliest_gains(const GramSpectrum& spectrum,
                                              const ReleasedNoise& noise);

struct RidgeCoefficients {
  std::vector<double> values;         ///< output by output
  std::vector<double> noise_stddevs;  ///< of each, to first order in the noise
};
[[nodiscard]] RidgeCoefficients ridge_coefficients(const GramSpectrum& spectrum,
                                                   const Eigen::VectorXd& gains,
                                                   const ReleasedNoise& noise);

/// The algorithm as printed by Wang (2018, algorithm 2) for rows of norm 1: its noise in three
/// parts, each claimed to be (epsilon / 3, delta / 3)-DP, and its lambda. It is for comparison
/// only; nothing is released with it.
namespace wang2018 {
struct Published {
  /// standard deviation of the noise of each part, in units of its sensitivity under add_remove
  double noise;
  double penalty;  ///< lambda, if the released smallest eigenvalue is `min_eigenvalue`
};
[[nodiscard]] Published published(std::int64_t columns, double epsilon, double delta,
                                  double min_eigenvalue = 0, double failure = 0.05);
}  // namespace wang2018

}  // namespace tacet::learn
