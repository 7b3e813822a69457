#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/optimize/solver/glm_loss.h"

namespace tacet::optimize {

/// Records first, first + 1, ..., last - 1.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t count() const { return last - first; }
};

enum class Precision {
  coarse,  ///< about 2^-27 of each record's largest slope: for the way to the minimum
  fine     ///< about the rounding of the slope itself: for certificates
};

/// A sum of gradients and a proved bound of its Euclidean distance from the exact one.
struct CertifiedGradient {
  std::vector<double> sum;
  double error = 0;
};

/// The sums over records that solvers of linear predictors need.
///
/// Weights and slopes are split into one (coarse) or two (fine) integers on grids such that every
/// inner product and every sum is exact in doubles and 64-bit integers. So the results have the
/// same bits for any number of threads, on every machine, and for dense and sparse storage; and
/// what is left as error can be bounded: one rounding of each prediction, that of the slope's own
/// formula (2^-50 of slope bound + curvature bound (1 + |prediction|), which all losses meet), and
/// the last bit of the split. All of it is as private as the records.
class GlmSums {
 public:
  /// Keeps references to the data set and the pool.
  GlmSums(const data::Dataset& dataset, const GlmLoss& loss, RowRange rows,
          base::ThreadPool& threads);

  [[nodiscard]] std::int64_t rows() const { return rows_.count(); }
  [[nodiscard]] std::size_t columns() const;
  /// Lipschitz constant of the sum's gradient: rows * curvature bound * norm bound^2.
  [[nodiscard]] double smoothness() const;

  /// sum_i slope(<w, x_i>, y_i) x_i; fills `curvatures` with one number per record if it is given.
  [[nodiscard]] CertifiedGradient gradient(std::span<const double> weights, Precision precision,
                                           std::vector<double>* curvatures = nullptr) const;
  /// sum_i c_i <x_i, v> x_i, in coarse precision.
  [[nodiscard]] std::vector<double> curved(std::span<const double> v,
                                           std::span<const double> curvatures) const;
  /// The lower triangle of sum_i c_i x_i x_i^T; where more than `max_rows` curvatures differ from
  /// 0, an estimate from about as many of their records, spread evenly.
  [[nodiscard]] Eigen::MatrixXd hessian(
      std::span<const double> curvatures,
      std::int64_t max_rows = std::numeric_limits<std::int64_t>::max()) const;
  /// Its diagonal alone.
  [[nodiscard]] std::vector<double> hessian_diagonal(std::span<const double> curvatures) const;
  /// Non-zero features, and the multiplications that a dense Hessian takes; of many records,
  /// estimated from some.
  struct Work {
    double entries = 0;
    double products = 0;
  };
  [[nodiscard]] Work work() const;

 private:
  /// Turns the predictions of successive records, from the one of a number on, into their factors.
  using Factors = std::function<void(std::int64_t first, std::span<double> numbers)>;
  void pass(std::span<const double> weights, int limbs, double factor_bound, const Factors& factor,
            std::span<double> sums) const;
  template <typename Visit>
  void for_entries(std::int64_t row, const Visit& visit) const;

  const data::Dataset& dataset_;
  GlmLoss loss_;
  RowRange rows_;
  base::ThreadPool& threads_;
};

}  // namespace tacet::optimize
