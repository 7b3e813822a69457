#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tacet/learn/evaluation.h"

namespace tacet::learn {

/// What was released for one group of records, or for all groups added up.
struct ReleasedCounts {
  std::vector<double> cells;   ///< noisy counts
  std::vector<double> scores;  ///< noisy sums of scores, less one half of each record
  double stddev = 0;           ///< of the noise in each of these numbers
  std::optional<double> public_records = {};
};

// A ratio of two noisy sums means something only while the lower one stands clear of the noise.
inline constexpr double clear_of_noise = 5;

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

/// Post-processing: shares, means and their noise, first order in the noise.
[[nodiscard]] NoisyFigures figures_of(const ReleasedCounts& counts, const EvaluationPlan& plan);

}  // namespace tacet::learn
