#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tacet/model/model_file.h"
#include "tacet/run/read_rows.h"

namespace tacet::run {

/// Predicts records with a model, call after call. Preparations for the names of the columns are
/// kept for the next call, so that single records take a few microseconds. Several threads may use
/// it at once.
class Predictor {
 public:
  explicit Predictor(model::ModelFile file) : file_(std::move(file)) {}
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  [[nodiscard]] const model::ModelFile& file() const { return file_; }
  /// As predict() of the file.
  [[nodiscard]] std::vector<Prediction> predict(const Rows& rows) const;

 private:
  [[nodiscard]] std::unique_ptr<RowReader> reader_of(const Rows& rows) const;
  void keep(std::unique_ptr<RowReader> reader) const;

  const model::ModelFile file_;  // whose schema the readers refer to
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<RowReader>> idle_;  // the last one was used last
};

/// The model's predictions, in the order of the rows; they need no target. Errors as dataset_of.
[[nodiscard]] std::vector<Prediction> predict(const model::ModelFile& file, const Rows& rows);

}  // namespace tacet::run
