#include "tacet/optimize/sums/prediction_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/model/confusion.h"
#include "tacet/optimize/sums/clip.h"

namespace tacet::optimize {
namespace {

/// Where one record counts, and its scores.
class PredictionScorer {
 public:
  PredictionScorer(const data::Dataset& dataset, const model::LinearModel& model,
                   const PredictionCells& cells)
      : dataset_(dataset),
        model_(model),
        cells_(cells),
        classes_(std::ssize(model.classes)),
        margins_(static_cast<std::size_t>(model.output_count())),
        scores_(static_cast<std::size_t>(cells.shape.scores)) {}

  void add(std::int64_t row, CellSum& sum) {
    if (cells_.shape.may_lack && !dataset_.labelled(row)) return sum.add_none();
    model::margins(model_, dataset_, row, margins_);
    const double label = dataset_.label(row);
    const auto group = cells_.groups ? cells_.groups->group_of(dataset_, row) : 0;
    score(label);
    if (cells_.counts_classes()) scores_[0] = predicted_class() == class_of(label) ? 1 : 0;
    sum.add(group, cell(label), scores_);
  }

 private:
  [[nodiscard]] std::int64_t cell(double label) const {
    if (classes_ == 0) return 0;
    if (!cells_.score_edges.empty()) {
      const auto bins = std::ssize(cells_.score_edges) + 1;
      return (label > 0 ? bins : 0) + score_bin(cells_.score_edges, margins_[0]);
    }
    const auto actual = class_of(label);
    if (cells_.counts_classes()) return actual;
    const auto predicted = predicted_class();
    if (!cells_.matrix) return predicted == actual ? 1 : 0;
    return static_cast<std::int64_t>(model::cell_of(actual, predicted, classes_));
  }

  [[nodiscard]] std::int64_t class_of(double label) const {
    if (model_.task == model::PredictionTask::binary) return label > 0 ? 1 : 0;
    return static_cast<std::int64_t>(label);
  }
  [[nodiscard]] std::int64_t predicted_class() const {
    return model::predicted_class(model_, margins_, cells_.threshold);
  }

  /// Predictions of numbers are clipped to the target's bounds, as `predict` does.
  void score(double label) {
    if (!cells_.loss_cap) return;
    const bool number = classes_ == 0;
    const double margin = number ? model::clipped_margin(model_, margins_[0]) : margins_[0];
    of(NumberScore::loss) = model::loss_value(model_.loss, margin, label) / *cells_.loss_cap;
    if (!number) return;
    // Both in [-1, 1] over the target's bounds.
    const auto link = model::link_of(model_.loss);
    const bool on_scale = link == model::Link::identity;
    const double actual = on_scale ? label : 2 * label - 1;
    const double half_error = std::abs(actual - (on_scale ? margin : predicted(margin))) / 2;
    of(NumberScore::error) = half_error;
    of(NumberScore::squared_error) = half_error * half_error;
    of(NumberScore::target) = (1 + actual) / 2;
    of(NumberScore::squared_target) = actual * actual;
    if (!on_scale) of(NumberScore::entropy) = entropy(label, link);
  }

  /// Of a label in [0, 1], over the largest that there is.
  [[nodiscard]] static double entropy(double label, model::Link link) {
    const auto term = [](double y) { return y > 0 ? -y * std::log(y) : 0.0; };
    return link == model::Link::log ? std::numbers::e * term(label)
                                    : (term(label) + term(1 - label)) / std::numbers::ln2;
  }

  [[nodiscard]] double predicted(double margin) const {
    const double range = model_.target_upper - model_.target_lower;
    return 2 * (model::regression_value(model_, margin) - model_.target_lower) / range - 1;
  }
  double& of(NumberScore score) { return scores_.at(static_cast<std::size_t>(score)); }

  const data::Dataset& dataset_;
  const model::LinearModel& model_;
  const PredictionCells& cells_;
  std::int64_t classes_;
  std::vector<double> margins_;
  std::vector<double> scores_;
};

}  // namespace

std::int64_t score_bin(std::span<const double> edges, double margin) {
  return std::ranges::count_if(edges, [&](double edge) { return margin > edge; });
}

std::vector<std::int64_t> prediction_integers(const data::Dataset& dataset,
                                              const model::LinearModel& model,
                                              const PredictionCells& cells,
                                              const base::CancelToken* cancel) {
  PredictionScorer scorer(dataset, model, cells);
  FirstOfUnits first(dataset, 1);  // stands for its unit
  CellSum sum(cells.shape, cells.norm_bits);
  std::int64_t records = 0;
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    if (!first.takes_part(row)) continue;
    scorer.add(row, sum);
    ++records;
  }
  auto integers = std::move(sum).integers();
  integers.push_back(records);
  return integers;
}

PredictionSum certified_predictions(std::vector<std::int64_t> integers,
                                    const PredictionCells& cells) {
  const auto terms = CellSum::terms(cells.shape);
  if (std::ssize(integers) != terms + 1) {
    throw base::InternalError("{} sums of predictions instead of {}", integers.size(), terms + 1);
  }
  const auto records = integers.back();
  integers.pop_back();
  return {CellSum(cells.shape, cells.norm_bits).certified(std::move(integers)), records};
}

}  // namespace tacet::optimize
