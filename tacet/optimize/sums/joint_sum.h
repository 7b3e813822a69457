#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/sums/design_row.h"
#include "tacet/optimize/sums/joint_bound.h"
#include "tacet/optimize/sums/residual.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/bounded_sum.h"

/// What a private regression reads of the records, as one bounded sum of integers: with z = A x the
/// whitened row, r the residual, h the curvature and the weight w = min(1, R^2 / |z|^2),
///
///     g = sum w r z        H = sum w h z z'        M = sum w^2 r^2 z z'        s = sum w r^2
///
/// A row is weighted and never shortened, so that its predictor stays what it is. In units of their
/// bounds R K, R^2 h_max, R^2 K^2 and K^2 one record moves the four by at most the shares of
/// joint_bound.h, and all together by at most 1: certified for each record in integers
/// (docs/proofs/inference.md). The matrices have noise as in gram_sum.h: beside the diagonal
/// 1 / sqrt(2) of that on it.
namespace tacet::optimize {

/// What is summed. All of it is public: chosen beforehand or from released values.
struct JointTask {
  Design design{};
  /// A in units of `whitening_unit`: integers, a row a coordinate of z, a column a column of x, the
  /// design's integers times 2048. |A_kj| summed over j stays below 2^42.
  Eigen::MatrixXd whitening{};
  double whitening_unit = 1;
  double squared_reach = 1;  ///< R^2
  /// Coefficients of the design's columns, in units of `predictor_unit`: integers, below 2^42
  /// together.
  Eigen::VectorXd predictor{};
  double predictor_unit = 1;
  Response response{};
  JointShares shares{};

  [[nodiscard]] std::int64_t columns() const { return whitening.cols(); }
  /// How many numbers are released.
  [[nodiscard]] std::int64_t values() const;
  /// How many blocks of noise they have.
  [[nodiscard]] std::int64_t blocks() const;
};

/// Rounds a real matrix or vector to integers of 30 bits and the unit that they are in.
struct PublicIntegers {
  Eigen::MatrixXd integers;
  double unit;
};
[[nodiscard]] PublicIntegers public_integers(const Eigen::MatrixXd& values);

/// The sums over all records, with the same bits for any number of threads
/// and for dense and sparse storage. UsageError for shares or a task that make no sense.
[[nodiscard]] privacy::WeightedSum joint_sum(const data::Dataset& dataset, const JointTask& task,
                                             privacy::Adjacency adjacency,
                                             base::ThreadPool& threads);

/// The released numbers in real units.
struct JointRelease {
  Eigen::VectorXd score;
  Eigen::MatrixXd curvature;  ///< empty where its share is 0, as the next
  Eigen::MatrixXd moment;
  double squares = 0;
};
[[nodiscard]] JointRelease joint_release(const std::vector<double>& released,
                                         const JointTask& task);

/// Standard deviation of their noise, in real units, for a noise multiplier of 1: on the diagonal
/// of matrices. 0 where nothing is released.
struct JointNoise {
  double score = 0;
  double curvature = 0;
  double moment = 0;
  double squares = 0;
};
[[nodiscard]] JointNoise joint_noise(const JointTask& task, privacy::Adjacency adjacency);

/// The largest noise multiplier that the sampler's grid holds.
[[nodiscard]] double largest_joint_multiplier(const JointShares& shares,
                                              privacy::Adjacency adjacency, std::int64_t columns);

}  // namespace tacet::optimize
