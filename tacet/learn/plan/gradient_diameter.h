#pragma once

#include <cstdint>

#include "tacet/model/loss/loss.h"
#include "tacet/privacy/adjacency.h"

/// How far apart the gradients of two records can lie: what the sensitivity of a minimiser is made
/// of, and never more than twice the Lipschitz constant.
namespace tacet::learn {

/// Where gradients are compared: rows of norm at most `norm_bound`, weights of norm at most
/// `radius`, which must be finite, labels in [-1, 1] or of two classes.
struct GradientRegion {
  std::int64_t columns = 1;
  double norm_bound = 1;
  double radius = 1;
  bool cut = false;  ///< slopes are cut at the margin `cut_reach`, whatever the weights are
};

/// The largest prediction whose slope is kept, of weights that reach `reach`. A loss of numbers
/// without a largest slope is cut where a prediction inside the target's range is furthest from its
/// label, at a residual of 2: that changes no slope at weights whose predictions are possible
/// targets, and without it the largest gradient would grow with the radius. Other losses keep
/// `reach`.
[[nodiscard]] double cut_reach(const model::Loss& loss, double reach);

/// Lipschitz constant in the weights of each record's loss on the region.
[[nodiscard]] double lipschitz_constant(const model::Loss& loss, const GradientRegion& region);

/// sup |g - g'| over weights of the region and gradients g, g' of two records (replace_one), or of
/// a record and the one that counts for nothing (zero_out), where it is the Lipschitz constant.
/// For the logistic loss the first is logistic_diameter, for others twice the Lipschitz constant
/// or, of the squared loss, squared_diameter where that is less: shorter gradients in the same
/// directions stay in a ball that holds 0. A GuaranteeError for add_remove: a mean over an unknown
/// number of records has no such bound.
[[nodiscard]] double gradient_diameter(const model::Loss& loss, const GradientRegion& region,
                                       privacy::Adjacency adjacency);

/// An upper bound of the diameter for the logistic loss with rows of norm at most 1 and weights in
/// a ball: a maximum over a grid plus what the function can rise between its points (it is
/// (1 + R/4)-Lipschitz in the angles, 1/4-Lipschitz in the norm). Between 1 and 2.
[[nodiscard]] double logistic_diameter(std::int64_t columns, double radius);

/// The same for the squared loss with labels in [-1, 1], where twice the Lipschitz constant is
/// 2 (R + 1). The gradient at w is a a'w - y a. The vectors a a'w with |a| <= 1 lie in the ball of
/// diameter |w| between 0 and w, so that all gradients lie in one of radius |w|/2 + 1: R + 2.
/// In one dimension they lie between w + 1 and the least of a^2 w - |a|, for w >= 0, which is w - 1
/// or -1/(4w): at most max(2, R + 1 + 1/(4R)).
[[nodiscard]] double squared_diameter(std::int64_t columns, double radius);

}  // namespace tacet::learn
