#include "tacet/learn/plan/gradient_diameter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"

namespace tacet::learn {
namespace {

// The q that maximises q sigmoid(-q t) is 1.2784... / t: the root of q sigmoid'(q) = sigmoid(-q).
constexpr double turning_point = 1.2784645427611;
// In one dimension, over all weights: 1.05163399..., attained at 4.0316.
constexpr double largest_in_one_dimension = 1.051634;
constexpr double rounding = 1 + 1e-12;

struct Point {
  double along;
  double across;
};

/// The longest gradient of a row at this angle to weights of norm r.
Point longest(double angle, double r) {
  const double margin = r * std::sin(angle);
  double length = 0;
  if (margin >= 0) {
    length = numeric::sigmoid(margin);
  } else {
    const double share = std::min(1.0, turning_point / -margin);
    length = share * numeric::sigmoid(share * margin);
  }
  return {-length * std::sin(angle), length * std::cos(angle)};
}

constexpr std::size_t angles = 801;
constexpr int norms = 65;

/// The longest gradients for all angles.
struct Gradients {
  std::array<double, angles> along;
  std::array<double, angles> across;
};

/// The largest squared distance between one of them and the reflection of another; or `largest` if
/// that is more. It is the same from both ends, and at most the square of the sum of lengths.
double furthest(const Gradients& points, double largest) {
  std::array<double, angles> length{};
  for (std::size_t i = 0; i < angles; ++i) {
    length[i] = std::hypot(points.along[i], points.across[i]) * rounding;
  }
  const double longest = *std::ranges::max_element(length);
  for (std::size_t i = 0; i < angles; ++i) {
    if ((length[i] + longest) * (length[i] + longest) <= largest) continue;
    for (std::size_t j = i; j < angles; ++j) {
      const double along = points.along[i] - points.along[j];
      const double across = points.across[i] + points.across[j];
      largest = std::max(largest, along * along + across * across);
    }
  }
  return largest;
}

double in_one_dimension(double radius) {
  if (radius <= turning_point) return 1;
  return largest_in_one_dimension;
}

}  // namespace

double logistic_diameter(std::int64_t columns, double radius) {
  if (!(radius > 0)) throw base::UsageError("the radius of the weights must be above 0");
  if (columns == 1) return in_one_dimension(radius);
  if (!std::isfinite(radius)) return 2;
  constexpr double angle_step = std::numbers::pi / (angles - 1);
  const double norm_step = radius / (norms - 1);
  double largest = 0;
  // The longest weights first: large distances there make most other pairs unnecessary.
  for (int k = norms - 1; k >= 0; --k) {
    Gradients points{};
    for (std::size_t i = 0; i < angles; ++i) {
      const double angle = -std::numbers::pi / 2 + angle_step * static_cast<double>(i);
      const auto [along, across] = longest(angle, norm_step * k);
      points.along[i] = along;
      points.across[i] = across;
    }
    largest = furthest(points, largest);
  }
  return std::min(2.0,
                  (std::sqrt(largest) + (1 + radius / 4) * angle_step + norm_step / 4) * rounding);
}

double squared_diameter(std::int64_t columns, double radius) {
  if (!(radius > 0)) throw base::UsageError("the radius of the weights must be above 0");
  if (columns > 1) return (radius + 2) * rounding;
  // For R above 1/2, rows shorter than 1 are the worst: the smallest slope is at |a| = 1/(2R).
  return (radius <= 0.5 ? 2 : radius + 1 + 0.25 / radius) * rounding;
}

double cut_reach(const model::Loss& loss, double reach) {
  const auto facts = model::properties(loss);
  const bool is_cut = std::isinf(facts.slope_bound) && facts.labels == model::Labels::numbers;
  return is_cut ? std::min(reach, model::label_range(facts.labels).upper) : reach;
}

double lipschitz_constant(const model::Loss& loss, const GradientRegion& region) {
  if (!(region.norm_bound > 0) || !(region.radius > 0) || !std::isfinite(region.radius)) {
    throw base::UsageError("a Lipschitz constant needs positive bounds of rows and weights");
  }
  const double slope = model::properties(loss).slope_bound;
  if (std::isfinite(slope)) return slope * region.norm_bound;
  // Convex losses are steepest at the ends of the range of predictions.
  const double whole = region.norm_bound * region.radius;
  const double furthest = region.cut ? cut_reach(loss, whole) : whole;
  const auto range = model::label_range(model::properties(loss).labels);
  double steepest = 0;
  for (const double prediction : {-furthest, furthest}) {
    for (const double label : {range.lower, range.upper}) {
      steepest = std::max(steepest, std::fabs(model::loss_slope(loss, prediction, label)));
    }
  }
  return steepest * region.norm_bound;
}

double gradient_diameter(const model::Loss& loss, const GradientRegion& region,
                         privacy::Adjacency adjacency) {
  const double lipschitz = lipschitz_constant(loss, region);
  switch (adjacency) {
    case privacy::Adjacency::zero_out:
      return lipschitz;
    case privacy::Adjacency::replace_one:
      if (std::holds_alternative<model::LogisticLoss>(loss)) {
        return region.norm_bound *
               logistic_diameter(region.columns, region.norm_bound * region.radius);
      }
      if (std::holds_alternative<model::SquaredLoss>(loss)) {
        return std::min(2 * lipschitz,
                        region.norm_bound *
                            squared_diameter(region.columns, region.norm_bound * region.radius));
      }
      return 2 * lipschitz;
    case privacy::Adjacency::add_remove:
      break;
  }
  throw base::GuaranteeError(
      "the minimiser of a mean loss has no proved sensitivity under add_remove: its divisor is the "
      "number of records; use replace_one or zero_out, or the methods gradient and objective");
}

}  // namespace tacet::learn
