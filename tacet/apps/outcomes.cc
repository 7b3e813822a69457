#include "tacet/apps/outcomes.h"

#include <algorithm>

#include "tacet/model/confusion.h"
#include "tacet/model/metrics.h"

namespace tacet::apps {
namespace {

std::int64_t class_of(const model::LinearModel& model, double label) {
  if (model.task == model::PredictionTask::binary) return label > 0 ? 1 : 0;
  return static_cast<std::int64_t>(label);
}

/// Adds one record after the other.
class Collector {
 public:
  Collector(const model::LinearModel& model, const OutcomeOptions& options)
      : model_(model),
        options_(options),
        margins_(static_cast<std::size_t>(model.output_count())),
        probabilities_(model.classes.size()) {}

  void evaluate(const data::Dataset& data, std::int64_t row) {
    model::margins(model_, data, row, margins_);
    if (model_.has_probabilities()) {
      model::class_probabilities(model_, margins_, probabilities_);
    }
  }

  void add(double label, Outcomes& out) const {
    ++out.records;
    if (model_.task == model::PredictionTask::regression) {
      add_number(label, out);
    } else {
      add_class(label, out);
    }
  }

 private:
  void add_number(double label, Outcomes& out) const {
    out.predicted_value.push_back(model::regression_value(model_, margins_[0]));
    out.actual_value.push_back(model::label_value(model_, label));
    out.label.push_back(label);
    out.margin.push_back(model::clipped_margin(model_, margins_[0]));
    out.loss_sum += model::loss_value(model_.loss, out.margin.back(), label);
  }

  void add_class(double label, Outcomes& out) const {
    const auto actual = class_of(model_, label);
    out.predicted_class.push_back(model::predicted_class(model_, margins_, options_.threshold));
    out.actual_class.push_back(actual);
    if (model_.task == model::PredictionTask::binary) out.score.push_back(margins_[0]);
    if (!model_.has_probabilities()) return;
    out.probability_of_actual.push_back(probabilities_[static_cast<std::size_t>(actual)]);
    if (model_.task == model::PredictionTask::binary) {
      out.probability.resize(1);
      out.probability[0].push_back(probabilities_[1]);
      return;
    }
    for (std::size_t k = 0; k < probabilities_.size(); ++k) {
      const double miss = probabilities_[k] - (static_cast<std::int64_t>(k) == actual ? 1.0 : 0.0);
      out.brier_sum += miss * miss;
    }
    if (!options_.keep_probabilities) return;
    out.probability.resize(probabilities_.size());
    for (std::size_t k = 0; k < probabilities_.size(); ++k) {
      out.probability[k].push_back(probabilities_[k]);
    }
  }

  const model::LinearModel& model_;
  const OutcomeOptions& options_;
  std::vector<double> margins_;
  std::vector<double> probabilities_;
};

double majority_share(const Outcomes& outcomes, std::size_t classes) {
  std::vector<double> counts(classes, 0.0);
  for (const auto actual : outcomes.actual_class) counts[static_cast<std::size_t>(actual)] += 1;
  return std::ranges::max(counts) / static_cast<double>(outcomes.actual_class.size());
}

void add_two_classes(const model::LinearModel& model, const Outcomes& outcomes, Metrics& metrics) {
  if (model.has_probabilities()) {
    metrics.emplace_back("brier_score",
                         model::brier_score(outcomes.probability[0], outcomes.actual_class));
  }
  const auto cells = model::confusion_counts(outcomes.actual_class, outcomes.predicted_class, 2);
  for (const auto& ratio : model::class_ratios(2, 1)) {
    metrics.emplace_back(ratio.name, model::ratio_of(ratio, cells));
  }
}

Metrics classification_metrics(const model::LinearModel& model, const Outcomes& outcomes) {
  Metrics metrics;
  metrics.emplace_back("accuracy",
                       model::accuracy(outcomes.predicted_class, outcomes.actual_class));
  metrics.emplace_back("majority_share", majority_share(outcomes, model.classes.size()));
  if (model.task == model::PredictionTask::binary) {
    metrics.emplace_back("auc", model::auc(outcomes.score, outcomes.actual_class));
  }
  if (model.has_probabilities()) {
    metrics.emplace_back("log_loss", model::log_loss(outcomes.probability_of_actual));
  }
  if (model.task == model::PredictionTask::binary) {
    add_two_classes(model, outcomes, metrics);
  } else if (model.has_probabilities()) {
    metrics.emplace_back("brier_score", outcomes.brier_sum / static_cast<double>(outcomes.records));
  }
  return metrics;
}

Metrics regression_metrics(const model::LinearModel& model, const Outcomes& outcomes) {
  const auto& predicted = outcomes.predicted_value;
  const auto& actual = outcomes.actual_value;
  Metrics metrics;
  metrics.emplace_back("mae", model::mean_absolute_error(predicted, actual));
  metrics.emplace_back("rmse", model::root_mean_squared_error(predicted, actual));
  metrics.emplace_back("r2", model::r_squared(predicted, actual));
  if (const auto* pinball = std::get_if<model::PinballLoss>(&model.loss)) {
    metrics.emplace_back("pinball_loss", model::pinball_loss(predicted, actual, pinball->quantile));
  } else if (const auto* smoothed = std::get_if<model::SmoothedPinballLoss>(&model.loss)) {
    metrics.emplace_back("pinball_loss",
                         model::pinball_loss(predicted, actual, smoothed->quantile));
  }
  metrics.emplace_back("loss", outcomes.loss_sum / static_cast<double>(actual.size()));
  metrics.emplace_back("best_constant_loss", model::best_constant_loss(model.loss, outcomes.label));
  if (model::link_of(model.loss) == model::Link::identity) return metrics;
  // Counts are scored in their own unit, because the deviance of a Poisson law grows with the unit.
  metrics.emplace_back(
      "deviance",
      model.target_upper * model::mean_deviance(model.loss, outcomes.margin, outcomes.label));
  metrics.emplace_back("d2",
                       model::deviance_explained(model.loss, outcomes.margin, outcomes.label));
  return metrics;
}

}  // namespace

std::vector<Outcomes> outcomes_of(const model::LinearModel& model, const data::Dataset& data,
                                  const OutcomeOptions& options, const base::CancelToken& cancel) {
  const auto groups = options.groups == nullptr ? 0 : options.groups->names().size();
  std::vector<Outcomes> out(1 + groups);
  Collector collector(model, options);
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    cancel.throw_if_cancelled();
    if (!data.labelled(row)) {  // its features are gone, so nobody knows its group
      ++out[0].without_target;
      continue;
    }
    collector.evaluate(data, row);
    collector.add(data.label(row), out[0]);
    if (groups == 0) continue;
    const auto group = static_cast<std::size_t>(options.groups->group_of(data, row));
    collector.add(data.label(row), out[1 + group]);
  }
  return out;
}

Metrics metrics_of(const model::LinearModel& model, const Outcomes& outcomes) {
  return model.task == model::PredictionTask::regression ? regression_metrics(model, outcomes)
                                                         : classification_metrics(model, outcomes);
}

}  // namespace tacet::apps
