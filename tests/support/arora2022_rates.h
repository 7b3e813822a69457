#pragma once

#include <algorithm>
#include <cmath>

#include "tacet/learn/plan/arora2022.h"

/// Bounds and rates that Arora, Bassily, Guzman, Menart, Ullah 2022 print and no plan needs.
namespace tacet::learn::arora2022 {

// Of a loss whose prediction is at most `margin` in size.
inline double loss_within(const Problem& p, double margin) {
  if (std::isinf(p.curvature)) return p.loss_at_zero + p.slope_bound * margin;
  const double smooth =
      std::pow(std::sqrt(p.loss_at_zero) + std::sqrt(p.curvature / 2) * margin, 2);
  return std::min(smooth, p.loss_at_zero + p.slope_bound * margin);
}

/// What a record's loss is at most on the ball, (sqrt(L_0) + sqrt(H / 2) B X)^2: the loss bound of
/// noisy SGD in its appendix D.4, and of projections on the projected ball. Lipschitz losses:
/// L_0 + slope B X.
inline double loss_bound(const Problem& p) { return loss_within(p, p.radius * p.norm_bound); }

/// The same for weights plus Gaussian noise of that standard deviation a coordinate, with
/// probability at least 1 - failure for each fixed record: only <noise, x> matters, whatever the
/// dimension. The paper charges `failure` to delta; caps need no such term.
inline double perturbed_loss_bound(const Problem& p, double stddev, double failure) {
  const double beside = p.norm_bound * stddev * std::sqrt(2 * std::log(2 / failure));
  return loss_within(p, p.radius * p.norm_bound + beside);
}

/// Rates of the excess risk, logarithms left out; h = sqrt(H) B X, Y^2 = L_0.
struct Size {
  double rows;
  double columns;
  double rank;
  double epsilon;
};

/// min(Y^2, h Y / sqrt(n) + min((h^(4/3) Y^(2/3) + h^2) / (n eps)^(2/3), sqrt(d) (h Y + h^2) / (n
/// eps))).
inline double smooth_upper(const Problem& p, const Size& size) {
  const double y = std::sqrt(p.loss_at_zero);
  const double h = std::sqrt(p.curvature) * p.radius * p.norm_bound;
  const double budget = size.rows * size.epsilon;
  const double wide =
      (std::pow(h, 4.0 / 3) * std::pow(y, 2.0 / 3) + h * h) / std::pow(budget, 2.0 / 3);
  const double narrow = std::sqrt(size.columns) * (h * y + h * h) / budget;
  return std::min(y * y, h * y / std::sqrt(size.rows) + std::min(wide, narrow));
}

/// min(Y^2, h Y / sqrt(n) + min(h^(4/3) Y^(2/3) / (n eps)^(2/3), sqrt(d) h Y / (n eps))).
inline double smooth_lower(const Problem& p, const Size& size) {
  const double y = std::sqrt(p.loss_at_zero);
  const double h = std::sqrt(p.curvature) * p.radius * p.norm_bound;
  const double budget = size.rows * size.epsilon;
  const double wide = std::pow(h, 4.0 / 3) * std::pow(y, 2.0 / 3) / std::pow(budget, 2.0 / 3);
  const double narrow = std::sqrt(size.columns) * h * y / budget;
  return std::min(y * y, h * y / std::sqrt(size.rows) + std::min(wide, narrow));
}

/// G B X (1 / sqrt(n) + min(1 / sqrt(n eps), sqrt(rank) / (n eps))), upper and lower.
inline double lipschitz_rate(const Problem& p, const Size& size) {
  const double budget = size.rows * size.epsilon;
  return p.slope_bound * p.radius * p.norm_bound *
         (1 / std::sqrt(size.rows) +
          std::min(1 / std::sqrt(budget), std::sqrt(size.rank) / budget));
}

}  // namespace tacet::learn::arora2022
