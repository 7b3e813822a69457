#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/loss/loss.h"

/// Sums in doubles for the fit without protection. Nothing here is certified in integers: no
/// release may rest on it.
namespace tacet::optimize::internal {

/// Means over the records at some weights.
struct MeanLoss {
  double value = 0;
  double tangent = 0;        ///< of slope times prediction
  Eigen::VectorXd gradient;  ///< of slope times row
  Eigen::MatrixXd hessian;   ///< where it was asked for: its lower triangle
};

class MeanLossSum {
 public:
  /// Keeps references. `positive` is the class that is told from the rest; none when labels are
  /// -1 and +1 or numbers.
  MeanLossSum(const data::Dataset& dataset, std::optional<std::int64_t> positive,
              model::ClassWeights weights, base::ThreadPool& threads);

  /// Columns that some record has: the others bear on nothing, and their weights are 0.
  [[nodiscard]] Eigen::Index columns() const { return columns_; }
  /// Weights of these columns among all of them.
  [[nodiscard]] std::vector<double> spread(const Eigen::VectorXd& weights) const;

  /// The same bits for any number of threads.
  [[nodiscard]] MeanLoss at(const model::Loss& loss, const Eigen::VectorXd& weights,
                            bool with_hessian) const;

  /// The same for ln(sum_c e^{u_c}) - u_y with labels 0 to outputs - 1. Weights and gradient are
  /// matrices with one row per output, stored column by column; the tangent is the sum of all
  /// slopes times their predictions.
  [[nodiscard]] MeanLoss softmax_at(const Eigen::VectorXd& weights, Eigen::Index outputs) const;

  [[nodiscard]] const data::Dataset& dataset() const { return dataset_; }
  /// Additions in a row, at most, that make one of the sums.
  [[nodiscard]] double longest_sum() const;

 private:
  void add(const model::Loss& loss, const Eigen::VectorXd& weights, std::int64_t row,
           MeanLoss& sum) const;
  void add_softmax(const Eigen::MatrixXd& weights, std::int64_t row, MeanLoss& sum,
                   Eigen::VectorXd& slopes) const;

  const data::Dataset& dataset_;
  std::optional<std::int64_t> positive_;
  model::ClassWeights weights_;
  base::ThreadPool& threads_;
  Eigen::Index columns_ = 0;
  std::vector<std::uint32_t> places_;  // of sparse columns among those that occur
};

}  // namespace tacet::optimize::internal
