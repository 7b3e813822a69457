#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/model/linear_model.h"

namespace tacet::apps {

/// Predictions and what happened, of records that are public.
struct Outcomes {
  std::int64_t records = 0;  ///< that have a target
  std::int64_t without_target = 0;
  std::vector<std::int64_t> predicted_class;
  std::vector<std::int64_t> actual_class;
  std::vector<double> score;                  ///< binary: the margin
  std::vector<double> probability_of_actual;  ///< where the loss gives probabilities
  /// The probability of the positive class of two, or of each of several classes if that was asked
  /// for.
  std::vector<std::vector<double>> probability;
  double brier_sum = 0;                 ///< several classes: squared misses of all probabilities
  std::vector<double> predicted_value;  ///< regression, original units
  std::vector<double> actual_value;
  std::vector<double> label;   ///< regression: the target on the scale of its labels
  std::vector<double> margin;  ///< regression: the margin of the clipped prediction
  double loss_sum = 0;         ///< regression: of the loss that was trained, on that scale
};

struct OutcomeOptions {
  double threshold = 0;  ///< of two classes the second above this margin
  bool keep_probabilities = false;
  const data::CategoryGroups* groups = nullptr;
};

/// The outcomes of all records, then those of each group.
[[nodiscard]] std::vector<Outcomes> outcomes_of(const model::LinearModel& model,
                                                const data::Dataset& data,
                                                const OutcomeOptions& options,
                                                const base::CancelToken& cancel);

/// A metric that the data leave undefined (one class only, say) has no value.
using Metrics = std::vector<std::pair<std::string, std::optional<double>>>;

/// The metrics of these outcomes, which must hold at least one record.
[[nodiscard]] Metrics metrics_of(const model::LinearModel& model, const Outcomes& outcomes);

}  // namespace tacet::apps
