#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/feature_names.h"
#include "tacet/data/schema/schema.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/regression_numbers.h"
#include "tacet/model/wide/wide_numbers.h"

namespace tacet::model {

enum class PredictionTask {
  binary,       ///< two classes and one margin; a positive margin means the second class
  multi_class,  ///< k classes and one margin per class (one against the rest)
  regression    ///< a number in public bounds, one margin in [-1, 1] units
};

/// "binary", "multi_class" or "regression".
[[nodiscard]] std::string to_string(PredictionTask task);
/// The inverse; anything else is a DataError.
[[nodiscard]] PredictionTask parse_task(std::string_view name);

/// How a number is predicted from a margin.
enum class Link {
  identity,  ///< the number on its scale of [-1, 1]
  logit,     ///< the log odds of a probability
  log        ///< the logarithm of a mean count over the largest one
};
[[nodiscard]] Link link_of(const Loss& loss);

/// The task for a target.
[[nodiscard]] PredictionTask task_of(const data::Target& target);

/// A linear predictor over encoded features; or a wide model, which has `wide` instead of
/// coefficients: its outputs are the margins; or a table of coefficients with intervals, `table`,
/// which has no margins. It is public: its numbers were released by a mechanism, or the receipt
/// beside it marks the run as unprotected.
///
/// The margin of a row x in real units (stored integers / Dataset::feature_scale) is the sum of
/// coefficient times feature, ascending by column; the intercept is a feature like the others.
/// Models with curves add `offset`.
struct LinearModel {
  Loss loss;  ///< the loss that was minimised
  PredictionTask task = PredictionTask::binary;
  data::FeatureNames features;       ///< names of the encoded columns
  std::vector<std::string> classes;  ///< {negative, positive}, or k names; empty for regression
  double target_lower = -1;          ///< regression: the smallest label in original units
  double target_upper = 1;           ///< regression: the largest label in original units
  double offset = 0;                 ///< added to every margin: a released mean of labels, else 0
  std::vector<double> coefficients;  ///< output_count() rows of features.size()
  /// standard deviation of the noise in each coefficient; empty if not estimated
  std::vector<double> noise_stddevs;
  std::optional<WideNumbers> wide{};  ///< for a wide model, whose coefficients are empty
  /// For a model of method inference, whose coefficients are empty.
  std::optional<RegressionNumbers> table{};

  /// 1, or the number of classes for multi_class.
  [[nodiscard]] std::int64_t output_count() const;
  [[nodiscard]] std::int64_t feature_count() const;
  [[nodiscard]] std::span<const double> output(std::int64_t index) const;
  /// Whether margins give probabilities of classes: for the logistic and the softmax loss.
  [[nodiscard]] bool has_probabilities() const;

  /// Throws DataError that names the first field that makes no sense.
  void validate() const;
};

/// A model with the names and bounds of the schema, which must have a target; no coefficients yet.
[[nodiscard]] LinearModel described_model(const data::Schema& schema, const Loss& loss);

/// A model with all-zero coefficients, shaped and named by the schema. The schema must have a
/// target.
[[nodiscard]] LinearModel empty_model(const data::Schema& schema, const Loss& loss);

[[nodiscard]] double margin(std::span<const double> coefficients,
                            std::span<const std::int16_t> row);
/// The same bits as for the dense form of the row.
[[nodiscard]] double margin(std::span<const double> coefficients, const data::SparseRow& row);

/// UsageError for a table of coefficients, which cannot predict; it says what to use instead. Call
/// it before records are read or a cost is booked.
void expect_margins(const LinearModel& model);

/// Computes the margins of one record, output_count() numbers. UsageError as expect_margins.
void margins(const LinearModel& model, const data::Dataset& data, std::int64_t row,
             std::span<double> out);

/// The index of the predicted class: the one with the largest margin, the first one if there is a
/// tie. For two classes the second one if its margin is above `threshold`.
[[nodiscard]] std::int64_t predicted_class(const LinearModel& model,
                                           std::span<const double> margins, double threshold = 0);
/// The margin above which the second of two classes has a probability above `probability`, which
/// lies between 0 and 1. UsageError for a model without probabilities of two classes.
[[nodiscard]] double margin_of_probability(const LinearModel& model, double probability);

/// The probability of each class (2 for binary): by the logistic link; for several classes each
/// class's own probability divided by their sum, or the softmax of all margins. UsageError if the
/// loss gives no probabilities.
void class_probabilities(const LinearModel& model, std::span<const double> margins,
                         std::span<double> out);

/// The number that a margin predicts, in the target's units and clipped to its public bounds: of
/// probabilities and counts the mean.
[[nodiscard]] double regression_value(const LinearModel& model, double margin);
/// The margin of the clipped prediction. It equals `margin` unless the prediction was clipped.
[[nodiscard]] double clipped_margin(const LinearModel& model, double margin);
/// A label in the target's units.
[[nodiscard]] double label_value(const LinearModel& model, double label);

/// 1 / (1 + exp(-margin)) without overflow.
[[nodiscard]] double logistic(double margin);

}  // namespace tacet::model
