#pragma once

#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/minimum/slope_sum.h"
#include "tacet/model/loss/loss.h"

/// One weight that fits one column, drawn by the inverse sensitivity mechanism on a public grid of
/// [-radius, radius]: no penalty, no smoothing, no growth constant. For piecewise linear losses the
/// scores between all breakpoints are computed (mechanism/point/inverse_sensitivity). For other
/// losses, sums are computed when they are needed, by passes over the records
/// (mechanism/minimum/smooth_minimiser).
namespace tacet::learn {

struct LineProblem {
  model::Loss loss;
  double radius;          ///< of the domain
  bool location = false;  ///< the column is 1 in every record, as the schema says
};

/// Residuals of losses without a largest slope are cut here. It is the largest residual of a
/// prediction inside the target's bounds.
constexpr double clipped_residual = 2;

/// For piecewise linear losses, answers within this share of the domain's radius from a minimiser
/// count as minimisers (the radius rho of Asi, Duchi 2020). That costs an error of at most slope *
/// nearness * radius.
constexpr double nearness = 0x1p-30;

[[nodiscard]] bool piecewise_linear(const model::Loss& loss);

/// Slopes of rows in [-1, 1] and legal labels, for a loss that is not piecewise linear. The width
/// is the sensitivity under replace_one: gradient_diameter, and for the squared loss, cut at
/// clipped_residual, 2.25, or 2 (the width of the target's range) for a location.
[[nodiscard]] mechanism::SlopeRange slope_range(const LineProblem& problem);

/// The largest distance between the sums of slopes on neighbours: a score has the weight epsilon
/// over twice this distance.
[[nodiscard]] double line_distance(const LineProblem& problem, privacy::Adjacency adjacency);

/// One draw with the whole of epsilon.
[[nodiscard]] privacy::Released<std::vector<double>> draw_on_line(const data::Dataset& dataset,
                                                                  const LineProblem& problem,
                                                                  privacy::Epsilon epsilon,
                                                                  privacy::Adjacency adjacency,
                                                                  const TrainingContext& context);

}  // namespace tacet::learn
