#include "tacet/run/predictor.h"

#include <algorithm>
#include <utility>

#include "tacet/model/linear_model.h"

namespace tacet::run {
namespace {

// One for each thread that asks at once, and for each of a few tables of different columns.
constexpr std::size_t max_idle = 16;

std::vector<Prediction> predictions_of(const model::LinearModel& model,
                                       const data::Dataset& records) {
  std::vector<double> margins(static_cast<std::size_t>(model.output_count()));
  std::vector<Prediction> predictions;
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    model::margins(model, records, row, margins);
    Prediction prediction;
    if (model.task == model::PredictionTask::regression) {
      prediction.value = model::regression_value(model, margins[0]);
    } else {
      prediction.class_index = model::predicted_class(model, margins);
    }
    if (model.has_probabilities()) {
      prediction.probabilities.resize(model.classes.size());
      model::class_probabilities(model, margins, prediction.probabilities);
    }
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace

std::vector<Prediction> predict(const model::ModelFile& file, const Rows& rows) {
  model::expect_margins(file.model);
  return predictions_of(file.model, dataset_of(rows, file.schema, data::TargetUse::absent));
}

std::vector<Prediction> Predictor::predict(const Rows& rows) const {
  model::expect_margins(file_.model);
  auto reader = reader_of(rows);
  auto predictions = predictions_of(file_.model, reader->read(rows));
  keep(std::move(reader));  // not after an error
  return predictions;
}

std::unique_ptr<RowReader> Predictor::reader_of(const Rows& rows) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        idle_, [&](const std::unique_ptr<RowReader>& reader) { return reader->reads(rows); });
    if (found != idle_.end()) {
      auto reader = std::move(*found);
      idle_.erase(found);
      return reader;
    }
  }
  return std::make_unique<RowReader>(rows, file_.schema, data::TargetUse::absent);
}

void Predictor::keep(std::unique_ptr<RowReader> reader) const {
  std::unique_ptr<RowReader> dropped;  // ends outside of the lock
  const std::lock_guard lock(mutex_);
  if (idle_.size() == max_idle) {
    dropped = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(reader));
}

}  // namespace tacet::run
