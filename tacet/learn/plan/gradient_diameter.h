#pragma once

#include <cstdint>

#include "tacet/model/loss/loss.h"
#include "tacet/privacy/adjacency.h"

/// The largest distance between the gradients of two records. The sensitivity of a minimiser
/// follows from it; it is at most twice the Lipschitz constant.
namespace tacet::learn {

/// The region in which gradients are compared: rows of norm at most `norm_bound`, weights of norm
/// at most `radius` (finite), labels in [-1, 1] or of two classes.
struct GradientRegion {
  std::int64_t columns = 1;
  double norm_bound = 1;
  double radius = 1;
  bool cut = false;  ///< slopes are cut at the margin `cut_reach`, for all weights
};

/// The largest prediction whose slope is not cut, for weights whose predictions are at most
/// `reach`. A loss of numbers without a largest slope is cut at a residual of 2, the largest one of
/// a prediction inside the target's range. That changes no slope for weights whose predictions are
/// possible targets. Without it the largest gradient would grow with the radius. For other losses
/// the result is `reach`.
[[nodiscard]] double cut_reach(const model::Loss& loss, double reach);

/// Lipschitz constant in the weights of each record's loss on the region.
[[nodiscard]] double lipschitz_constant(const model::Loss& loss, const GradientRegion& region);

/// sup |g - g'| over weights of the region and gradients g, g' of two records (replace_one), or of
/// a record and the empty record (zero_out), for which it is the Lipschitz constant. For the
/// logistic loss the first is logistic_diameter; for others it is twice the Lipschitz constant, or
/// for the squared loss squared_diameter if that is less. (Shorter gradients in the same directions
/// stay in a ball that contains 0.) A GuaranteeError for add_remove: a mean over an unknown number
/// of records has no such bound.
[[nodiscard]] double gradient_diameter(const model::Loss& loss, const GradientRegion& region,
                                       privacy::Adjacency adjacency);

/// An upper bound of the diameter for the logistic loss with rows of norm at most 1 and weights in
/// a ball: a maximum over a grid, plus the largest rise between grid points (the function is (1 +
/// R/4)-Lipschitz in the angles, 1/4-Lipschitz in the norm). Between 1 and 2.
[[nodiscard]] double logistic_diameter(std::int64_t columns, double radius);

/// An upper bound for the squared loss with labels in [-1, 1], for which twice the Lipschitz
/// constant is 2 (R + 1). The gradient at w is a a'w - y a. The vectors a a'w with |a| <= 1 lie in
/// the ball of diameter |w| between 0 and w, So all gradients lie in a ball of radius |w|/2 + 1,
/// which gives R + 2. In one dimension, for w >= 0, they lie between w + 1 and the smallest value
/// of a^2 w - |a|, which is w - 1 or -1/(4w): at most max(2, R + 1 + 1/(4R)).
[[nodiscard]] double squared_diameter(std::int64_t columns, double radius);

}  // namespace tacet::learn
