#pragma once

#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/minimum/slope_sum.h"
#include "tacet/model/loss/loss.h"

/// One weight that fits one column, drawn by the inverse sensitivity mechanism on a public grid of
/// [-radius, radius]: no penalty, no smoothing, no growth constant. Piecewise linear losses have
/// their scores written down between all breakpoints (mechanism/point/inverse_sensitivity); others
/// are summed where they are asked for, by passes over the records
/// (mechanism/minimum/smooth_minimiser).
namespace tacet::learn {

struct LineProblem {
  model::Loss loss;
  double radius;          ///< of the domain
  bool location = false;  ///< the column is 1 in every record, by the schema
};

/// Residuals of losses without a largest slope are cut there: the largest of a prediction inside
/// the target's bounds.
constexpr double clipped_residual = 2;

/// Answers that lie within so much of the domain's radius of a minimiser of a piecewise linear loss
/// count as minimisers (the radius rho of Asi, Duchi 2020): what costs an error of at most
/// slope * nearness * radius.
constexpr double nearness = 0x1p-30;

[[nodiscard]] bool piecewise_linear(const model::Loss& loss);

/// Slopes of rows in [-1, 1] and legal labels, of a loss that is not piecewise linear. The width is
/// what replace_one pays: gradient_diameter's, and for the squared loss cut at clipped_residual,
/// 2.25 or, of a location, the width 2 of the target's range.
[[nodiscard]] mechanism::SlopeRange slope_range(const LineProblem& problem);

/// How far the sum of slopes of a line lies apart between neighbours: epsilon over twice this is
/// the weight of a score.
[[nodiscard]] double line_distance(const LineProblem& problem, privacy::Adjacency adjacency);

/// One draw with the whole of epsilon.
[[nodiscard]] privacy::Released<std::vector<double>> draw_on_line(const data::Dataset& dataset,
                                                                  const LineProblem& problem,
                                                                  privacy::Epsilon epsilon,
                                                                  privacy::Adjacency adjacency,
                                                                  const TrainingContext& context);

}  // namespace tacet::learn
