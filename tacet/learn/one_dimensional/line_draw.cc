#include "tacet/learn/one_dimensional/line_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/learn/plan/gradient_diameter.h"
#include "tacet/mechanism/minimum/smooth_minimiser.h"
#include "tacet/mechanism/point/inverse_sensitivity.h"
#include "tacet/numeric/elementary.h"

namespace tacet::learn {
namespace {

// The q that maximises q sigmoid(-q t) is 1.2784... / t; see gradient_diameter.
constexpr double turning_point = 1.2784645427611;

double feature_of(const data::Dataset& dataset, std::int64_t row) {
  double feature = 0;
  if (dataset.sparse()) {
    const auto values = dataset.sparse_row(row).values;
    if (!values.empty()) feature = values[0];
  } else {
    feature = dataset.dense_row(row)[0];
  }
  return feature / data::Dataset::feature_scale;
}

/// The slope left of all breakpoints, and the breakpoints at which it grows.
void add_record(mechanism::PiecewiseLinearSum& sum, const model::Loss& loss, double feature,
                double label) {
  const double size = std::fabs(feature);
  if (feature == 0) {
    sum.add(0, {});
    return;
  }
  if (const auto* insensitive = std::get_if<model::EpsilonInsensitiveLoss>(&loss)) {
    const double middle = label / feature;
    const double margin = insensitive->insensitivity / size;
    sum.add(-size, std::array<mechanism::Breakpoint, 2>{
                       {{middle - margin, size}, {middle + margin, size}}});
    return;
  }
  std::array<mechanism::Breakpoint, 1> at{{{label / feature, size}}};
  double left = 0;
  if (std::holds_alternative<model::AbsoluteLoss>(loss)) {
    left = -size;
    at[0].jump = 2 * size;
  } else if (const auto* pinball = std::get_if<model::PinballLoss>(&loss)) {
    left = -size * (feature > 0 ? pinball->quantile : 1 - pinball->quantile);
  } else {  // hinge: max(0, 1 - z w)
    const double z = feature * label;
    left = z > 0 ? -size : 0;
    at[0].at = 1 / z;
  }
  sum.add(left, at);
}

/// The least and the largest slope of a piecewise linear loss.
std::pair<double, double> slope_ends(const LineProblem& problem) {
  const double steepest = model::properties(problem.loss).slope_bound;
  double min = -steepest;
  double largest = steepest;
  // The slopes of all records are -q and 1 - q. Their distance is half of what features of both
  // signs would allow.
  if (const auto* pinball = std::get_if<model::PinballLoss>(&problem.loss);
      pinball != nullptr && problem.location) {
    min = -pinball->quantile;
    largest = 1 - pinball->quantile;
  }
  return {min, largest};
}

mechanism::PiecewiseLinearSum piecewise_sum(const data::Dataset& dataset,
                                            const LineProblem& problem) {
  const auto [min, largest] = slope_ends(problem);
  mechanism::PiecewiseLinearSum sum(min, largest);
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    add_record(sum, problem.loss, feature_of(dataset, i), dataset.label(i));
  }
  return sum;
}

mechanism::SlopeSum smooth_sum(const data::Dataset& dataset, const LineProblem& problem,
                               const TrainingContext& context) {
  const auto slopes_at = [&dataset, &problem, &context](double weight, std::int64_t first,
                                                        std::span<double> slopes) {
    if (context.supervision.cancel != nullptr) context.supervision.cancel->throw_if_cancelled();
    std::visit(
        [&]<typename L>(const L& loss) {
          const double cut =
              std::isinf(model::properties(loss).slope_bound) ? clipped_residual : HUGE_VAL;
          for (std::size_t i = 0; i < slopes.size(); ++i) {
            const std::int64_t row = first + static_cast<std::int64_t>(i);
            const double feature = feature_of(dataset, row);
            const double slope = loss.slope(feature * weight, dataset.label(row));
            slopes[i] = feature * std::clamp(slope, -cut, cut);
          }
        },
        problem.loss);
  };
  return {dataset.rows(), slopes_at, slope_range(problem)};
}

/// The largest slope a (a w - y) for |a|, |y| <= 1 with residuals cut: at a = 1, y = -1 on the
/// right, and at the best a on the left.
double largest_squared(double w) {
  if (w >= 0) return std::min(w + 1, clipped_residual);
  return w > -0.5 ? 1 + w : -0.25 / w;
}

/// Largest slope -z sigmoid(-z w) of |z| <= 1.
double largest_logistic(double w) {
  const double z = w >= 0 ? 1 : std::min(1.0, turning_point / -w);
  return z * numeric::sigmoid(z * w);
}

}  // namespace

bool piecewise_linear(const model::Loss& loss) {
  return std::holds_alternative<model::AbsoluteLoss>(loss) ||
         std::holds_alternative<model::PinballLoss>(loss) ||
         std::holds_alternative<model::HingeLoss>(loss) ||
         std::holds_alternative<model::EpsilonInsensitiveLoss>(loss);
}

mechanism::SlopeRange slope_range(const LineProblem& problem) {
  if (std::holds_alternative<model::LogisticLoss>(problem.loss)) {
    return {1, logistic_diameter(1, problem.radius), largest_logistic};
  }
  if (std::holds_alternative<model::SquaredLoss>(problem.loss)) {
    const double steepest = std::min(problem.radius + 1, clipped_residual);
    if (problem.location) {
      return {steepest, 2, [](double w) { return std::min(w + 1, clipped_residual); }};
    }
    // The width grows up to the point at which residuals are cut, and falls after it.
    return {steepest, squared_diameter(1, std::min(problem.radius, clipped_residual - 1)),
            largest_squared};
  }
  const double bound = model::properties(problem.loss).slope_bound;
  const double steepest = std::isinf(bound) ? clipped_residual : bound;
  return {steepest, 2 * steepest, [steepest](double) { return steepest; }};
}

double line_distance(const LineProblem& problem, privacy::Adjacency adjacency) {
  const bool replaced = adjacency == privacy::Adjacency::replace_one;
  if (piecewise_linear(problem.loss)) {
    const auto [min, largest] = slope_ends(problem);
    return replaced ? largest - min : std::max(-min, largest);
  }
  const auto range = slope_range(problem);
  return replaced ? range.width : range.steepest;
}

privacy::Released<std::vector<double>> draw_on_line(const data::Dataset& dataset,
                                                    const LineProblem& problem,
                                                    privacy::Epsilon epsilon,
                                                    privacy::Adjacency adjacency,
                                                    const TrainingContext& context) {
  mechanism::MinimiserQuery query{mechanism::Grid(-problem.radius, problem.radius), adjacency};
  const auto as_vector = [](double value) { return std::vector<double>{value}; };
  if (piecewise_linear(problem.loss)) {
    // A minimum that records agree on is a point between two grid points, and the scores next to it
    // are far from 0. So points near it have to count as the minimum.
    query.radius = std::llround(nearness / 2 * static_cast<double>(query.grid.last()));
    return mechanism::release_minimiser(piecewise_sum(dataset, problem), query, epsilon,
                                        {{}, context.source, context.reservation})
        .map(as_vector);
  }
  return mechanism::release_minimiser(smooth_sum(dataset, problem, context), query, epsilon,
                                      {{}, context.source, context.reservation})
      .map(as_vector);
}

}  // namespace tacet::learn
