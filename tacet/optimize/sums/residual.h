#pragma once

#include <cstdint>

/// Residual and curvature of one record under a mean model, in units of their bounds: what a joint
/// release (joint_sum.h) takes of its label. The same bits on every machine.
namespace tacet::optimize {

enum class MeanModel {
  none,      ///< the label itself, and a curvature of 1: the start
  identity,  ///< the number's difference to the predictor, cut to [-K, K]; curvature 1 within
  logistic,  ///< y - p, y in {0, 1}; curvature p (1 - p) = |r| (1 - |r|)
  poisson    ///< min(y, K) - E min(Y, K), Y of Poisson's law; curvature m P(Y < K)
};

/// What a label is compared with.
struct Response {
  MeanModel mean = MeanModel::none;
  double cut = 1;              ///< K: of numbers in units of their label, of counts a whole number
  double largest = 1;          ///< of counts: the count that is the label 1
  double curvature_bound = 1;  ///< of counts: rows whose curvature is larger weigh less
};

/// In units of 2^-20 of the bounds: the residual's K (1 for two classes and for none), the
/// curvature's 1, 1/4 or curvature_bound. A count's row of a larger curvature weighs less, and with
/// it its residual.
struct Residual {
  std::int64_t value = 0;      ///< within 2^20 of 0
  std::int64_t curvature = 0;  ///< 0..2^20
};

/// A label that is no number leaves nothing: all 0.
[[nodiscard]] Residual residual_of(const Response& response, double label, double predictor);

/// The largest K: below it no term of Poisson's law is too small for a number.
inline constexpr std::int64_t max_count_cut = 700;

/// Mean of min(Y, K) and K's share below, for Y of Poisson's law with mean m: the middle and the
/// curvature divided by m. K at most max_count_cut, m at most K.
struct CutPoisson {
  double mean;
  double below;  ///< P(Y < K)
};
[[nodiscard]] CutPoisson cut_poisson(double m, std::int64_t cut);

}  // namespace tacet::optimize
