#pragma once

#include "tacet/model/loss/loss.h"

/// How smooth a loss is, and how it is made smooth: the constants that the sensitivity of
/// stochastic gradient descent is computed from.
///
/// Scalar constants of phi(u) at any label the loss may see; for a predictor u = <w, x> with
/// |x| <= X the loss is Hoelder smooth in w with the same exponent a and the constant times
/// X^(1+a), and its gradients are at most X times the slope. Every row is proved in
/// docs/proofs/loss_table.md and met with equality by some pair of points, except where it says
/// `at most`.
namespace tacet::model {

struct LossSmoothness {
  double exponent;   ///< a in [0, 1]: |phi'(u) - phi'(v)| <= constant |u - v|^a
  double constant;   ///< for a = 0 the diameter of the subgradients at a kink, not a slope
  double range;      ///< sup phi' - inf phi'; `unbounded` for powers
  double curvature;  ///< Lipschitz constant of phi'; `unbounded` for a < 1
};

[[nodiscard]] LossSmoothness smoothness(const Loss& loss);

/// sup |phi'| over predictions of size at most `bound`, which may be infinite, and all labels.
/// Never 0: a kink at the end of the range counts.
[[nodiscard]] double slope_bound_within(const Loss& loss, double bound);

/// sup of the loss at prediction 0 over all labels.
[[nodiscard]] double largest_loss_at_zero(const Loss& loss);

/// sup |phi'(u) - phi'(v)| over |u - v| <= distance; at most, for the smoothed insensitive loss.
[[nodiscard]] double modulus_of_continuity(const Loss& loss, double distance);

/// Curvature phi''(u) of a smooth loss, 0 at the ends of its pieces.
[[nodiscard]] double loss_curvature(const Loss& loss, double prediction, double label);

/// Whether smoothed() changes the loss: kinks and powers below 2.
[[nodiscard]] bool can_be_smoothed(const Loss& loss);

/// The loss made smooth on a width h > 0: the Moreau envelope of a loss with kinks, slopes at most
/// 1/h apart a unit; the linearised loss of a power q, slopes q h^(q-2) apart. A smooth loss is
/// returned as it is. The result lies below the loss by at most smoothing_bias.
[[nodiscard]] Loss smoothed(const Loss& loss, double width);

/// slope_bound^2 h / 2 for a loss with kinks, (1 - q/2) h^q for a power, 0 for a smooth loss.
[[nodiscard]] double smoothing_bias(const Loss& loss, double width);

/// The least width at which a gradient step of size `step` on rows of norm at most X cannot drive
/// two iterates apart: the curvature becomes 2 / (step X^2). `scaled_step` is step X^2.
[[nodiscard]] double width_for_step(const Loss& loss, double scaled_step);

}  // namespace tacet::model
