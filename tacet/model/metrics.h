#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/model/loss/loss.h"

/// How good predictions are, computed exactly. Results are as private as what goes in: callers
/// show them only for data declared public. Spans of unequal length or of no elements are a
/// UsageError.
namespace tacet::model {

/// Share of equal entries.
[[nodiscard]] double accuracy(std::span<const std::int64_t> predicted,
                              std::span<const std::int64_t> actual);

/// Area under the receiver operating curve: the probability that a positive record scores above a
/// negative one, ties counted half (Mann and Whitney 1947). Absent when one class is missing.
[[nodiscard]] std::optional<double> auc(std::span<const double> scores,
                                        std::span<const std::int64_t> positive);

/// Mean of -log of the probability given to what happened; probabilities below 1e-15 count as
/// that, so that one certain mistake stays finite.
[[nodiscard]] double log_loss(std::span<const double> probability_of_actual);

/// Mean squared difference between the probability of the positive class and what happened, 0 or 1
/// (Brier 1950, for two classes).
[[nodiscard]] double brier_score(std::span<const double> probabilities,
                                 std::span<const std::int64_t> positive);

[[nodiscard]] double mean_absolute_error(std::span<const double> predicted,
                                         std::span<const double> actual);
[[nodiscard]] double root_mean_squared_error(std::span<const double> predicted,
                                             std::span<const double> actual);
/// 1 - (squared error) / (squared error of the mean). Absent when the actual values are all equal.
[[nodiscard]] std::optional<double> r_squared(std::span<const double> predicted,
                                              std::span<const double> actual);
/// Mean of level * r for r = actual - predicted >= 0, (level - 1) * r below (Koenker and Bassett
/// 1978). `level` is in (0, 1).
[[nodiscard]] double pinball_loss(std::span<const double> predicted, std::span<const double> actual,
                                  double level);

/// The smallest mean loss that a constant prediction in [-1, 1] can have, for labels in [-1, 1]:
/// what a model has to beat. Within 1e-9 of the loss's range, because losses are convex. For labels
/// in [0, 1] the constant is the link of their mean.
[[nodiscard]] double best_constant_loss(const Loss& loss, std::span<const double> labels);

/// Twice the mean distance of the losses from the least loss of each label: the mean unit deviance
/// of losses of shares, in units of the largest label (McCullagh, Nelder 1989). `predicted` are
/// margins.
[[nodiscard]] double mean_deviance(const Loss& loss, std::span<const double> predicted,
                                   std::span<const double> labels);
/// 1 - deviance / deviance of the constant prediction of the mean; absent when that is 0.
[[nodiscard]] std::optional<double> deviance_explained(const Loss& loss,
                                                       std::span<const double> predicted,
                                                       std::span<const double> labels);

/// Records whose predicted probability fell into [lower, upper).
struct CalibrationBin {
  double lower = 0;
  double upper = 1;
  std::int64_t count = 0;
  double mean_probability = 0;   ///< 0 when count is 0
  double positive_fraction = 0;  ///< 0 when count is 0
};

/// Equal bins over [0, 1]; the last one includes 1.
[[nodiscard]] std::vector<CalibrationBin> calibration_table(std::span<const double> probabilities,
                                                            std::span<const std::int64_t> positive,
                                                            int bins);

}  // namespace tacet::model
