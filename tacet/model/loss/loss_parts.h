#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "tacet/numeric/elementary.h"

/// The parts of a family of losses. A family is one struct in its own file, which has everything
/// about it: value, slope, curvature, the constants that sensitivities are computed from, and how
/// it is made smooth. `loss.h` lists the families; no other code names them, except for theorems
/// about a single loss.
///
/// u is a prediction, y a label. The methods of families are inline, since the loops over records
/// are templates over them.
namespace tacet::model {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The labels that a loss is made for. Its constants hold only for these, so callers must map every
/// label to them first.
enum class Labels {
  signs,    ///< -1 and +1
  numbers,  ///< [-1, 1]
  shares    ///< [0, 1]: probabilities, and counts over their largest
};

/// Scalar constants of phi(u) at any label the loss may see; for a predictor u = <w, x> with
/// |x| <= X the loss is Hoelder smooth in w with the same exponent a and the constant times
/// X^(1+a), and its gradients are at most X times the slope. Every row is proved in
/// docs/proofs/loss_table.md and met with equality by some pair of points, except where it says
/// `at most`.
struct LossSmoothness {
  double exponent;   ///< a in [0, 1]: |phi'(u) - phi'(v)| <= constant |u - v|^a
  double constant;   ///< for a = 0 the diameter of the subgradients at a point, not a slope
  double range;      ///< sup phi' - inf phi'; `unbounded` for powers
  double curvature;  ///< Lipschitz constant of phi'; `unbounded` for a < 1
};

/// A family's own number and its open range; an upper end of 2 belongs to it.
template <typename Family>
struct LossParameter {
  std::string_view name;
  double lower;
  double upper;
  double Family::*value;
};

/// What every family states. `slope` is the derivative of `value` in u; where the loss is not
/// smooth, a fixed element of the subdifferential. `curvature` is the second derivative, 0 at the
/// ends of pieces, from the slope at the same place. `slope_bound_within(b)` is sup |phi'| over
/// |u| <= b, which may be infinite, and all labels; never 0. Besides:
///   parameter    a LossParameter, where the family has a number of its own;
///   width        where it is a smoothed loss: the width;
///   smoothed(h)  where it is not smooth: the smooth family on a width h > 0;
///   wide_slope   where it is smooth: the slope in a wider type of numbers;
///   joint        true where the margins of several classes make one loss, not one each;
///   best(y)      for shares: the prediction at which the loss of label y is least, a link of y.
template <typename F>
concept LossFamily = requires(const F family, double u, double y) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::labels } -> std::convertible_to<Labels>;
  { family.value(u, y) } -> std::same_as<double>;
  { family.slope(u, y) } -> std::same_as<double>;
  { family.curvature(u, y, family.slope(u, y)) } -> std::same_as<double>;
  { family.smoothness() } -> std::same_as<LossSmoothness>;
  { family.slope_bound_within(u) } -> std::same_as<double>;
};

namespace internal {

/// Slopes jump by `jump` at a non-smooth point and are constant elsewhere, or nearly.
constexpr LossSmoothness jumping(double jump) { return {0, jump, jump, unbounded}; }
constexpr LossSmoothness smooth(double curvature, double range) {
  return {1, curvature, range, curvature};
}

template <typename Real>
Real within(const Real& low, const Real& value, const Real& high) {
  return value < low ? low : value > high ? high : value;
}

/// `size` with the sign of u - y.
template <typename Real>
Real signed_by(const Real& size, const Real& u, const Real& y) {
  return u < y ? Real(-size) : size;
}

template <typename Real>
Real residual(const Real& u, const Real& y) {
  return u < y ? Real(y - u) : Real(u - y);
}

// The slope of the Moreau envelope of max(left t, right t) of width h, left <= 0 <= right. Branches
// are faster than a clamp: widths are small, so that nearly all records take the same branch, and
// the processor predicts it.
inline double envelope_slope(double t, double left, double right, double h) {
  const double slope = t / h;
  if (slope >= right) return right;
  if (slope <= left) return left;
  return slope;
}
inline double envelope(double t, double left, double right, double h) {
  const double slope = envelope_slope(t, left, right, h);
  return slope * t - h * slope * slope / 2;
}

}  // namespace internal

/// Predictions u in, slopes of the loss at them out, labels beside: the bits of `loss.slope` one by
/// one. A family whose slope takes an exponential says how many are taken at once (`slope_each`);
/// of the others the compiler makes vectors.
template <typename LossType>
void slope_each(const LossType& loss, std::span<double> u, std::span<const double> y) {
  if constexpr (requires { loss.slope_each(u, y); }) {
    loss.slope_each(u, y);
  } else {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = loss.slope(u[i], y[i]);
  }
}

}  // namespace tacet::model
