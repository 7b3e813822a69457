#pragma once

#include "tacet/model/loss/loss.h"

/// How smooth a loss is, and how it is made smooth: the constants that the sensitivity of
/// stochastic gradient descent is computed from. Proofs: docs/proofs/loss_table.md.
namespace tacet::model {

[[nodiscard]] LossSmoothness smoothness(const Loss& loss);

/// sup |phi'| over predictions of size at most `bound`, which may be infinite, and all labels.
/// Never 0: a non-smooth point at the end of the range counts.
[[nodiscard]] double slope_bound_within(const Loss& loss, double bound);

/// The largest slope of the loss. Where slopes have no bound, a usual one to clip at: the slope of
/// margin 0 for classes, and for numbers that of a residual of a quarter of the target's range (of
/// half of it, if a quarter costs nothing).
[[nodiscard]] double usual_slope(const Loss& loss);

/// sup of the loss at prediction 0 over all labels.
[[nodiscard]] double largest_loss_at_zero(const Loss& loss);

/// Curvature phi''(u) of a smooth loss, 0 at the ends of its pieces.
[[nodiscard]] double loss_curvature(const Loss& loss, double prediction, double label);

/// Whether smoothed() changes the loss: non-smooth points and powers below 2.
[[nodiscard]] bool can_be_smoothed(const Loss& loss);

/// The loss made smooth on a width h > 0: the Moreau envelope of a loss with non-smooth points,
/// slopes at most 1/h apart a unit; the linearised loss of a power q, slopes q h^(q-2) apart. A
/// smooth loss is returned as it is. The result lies below the loss by at most slope_bound^2 h / 2,
/// or (1 - q/2) h^q for a power.
[[nodiscard]] Loss smoothed(const Loss& loss, double width);

/// The least width at which a gradient step of size `step` on rows of norm at most X cannot drive
/// two iterates apart: the curvature becomes 2 / (step X^2). `scaled_step` is step X^2.
[[nodiscard]] double width_for_step(const Loss& loss, double scaled_step);

}  // namespace tacet::model
