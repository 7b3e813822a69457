#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/model/linear_model.h"
#include "tacet/optimize/sums/cell_sum.h"
#include "tacet/privacy/bounded_sum.h"

/// How well a model predicts records, as one bounded sum: where each record's prediction lies, and
/// the capped errors beside it (learn/evaluation.h).
namespace tacet::optimize {

/// What is added up for each record whose target is a number, in the order of the sums; all in
/// [0, 1] for targets y and predictions in [-1, 1].
enum class NumberScore : std::size_t {
  loss,            ///< over its cap
  error,           ///< |y - prediction| / 2
  squared_error,   ///< (y - prediction)^2 / 4
  target,          ///< (1 + y) / 2
  squared_target,  ///< y^2
  entropy          ///< -e y ln y of counts, (-y ln y - (1 - y) ln(1 - y)) / ln 2 of probabilities
};

/// The bin of a margin: how many edges are below it. One that is no number is in the first.
[[nodiscard]] std::int64_t score_bin(std::span<const double> edges, double margin);

/// What is counted of predictions; all of it public.
struct PredictionCells {
  CellShape shape;
  int norm_bits = 26;
  std::vector<double> score_edges = {};             ///< of two classes: of a histogram; empty: none
  bool matrix = false;                              ///< else of classes as counts_classes() says
  std::optional<double> loss_cap = {};              ///< none: no scores
  double threshold = 0;                             ///< of two classes the second above this margin
  std::optional<data::CategoryGroups> groups = {};  ///< none: one group

  /// Of many classes a count of each, and as the only score which answers are right; else two
  /// counts, of wrong and right answers.
  [[nodiscard]] bool counts_classes() const {
    return !matrix && score_edges.empty() && !loss_cap && shape.scores == 1;
  }
};

/// What is added up, in grid units, and behind it how many records took part: of those that have a
/// unit the first of each. All of it is as private as the records.
[[nodiscard]] std::vector<std::int64_t> prediction_integers(
    const data::Dataset& dataset, const model::LinearModel& model, const PredictionCells& cells,
    const base::CancelToken* cancel = nullptr);

struct PredictionSum {
  privacy::BoundedSum sum;
  std::int64_t records;  ///< that took part; private where neighbours differ in it
};

/// The sum of what prediction_integers says of all parts of the records.
[[nodiscard]] PredictionSum certified_predictions(std::vector<std::int64_t> integers,
                                                  const PredictionCells& cells);

}  // namespace tacet::optimize
