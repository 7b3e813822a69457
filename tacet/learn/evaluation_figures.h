#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/optimize/sums/prediction_cells.h"

namespace tacet::learn {

/// The released numbers for one group of records, or their sums over all groups.
struct ReleasedCounts {
  std::vector<double> cells;   ///< noisy counts
  std::vector<double> scores;  ///< noisy sums of scores, with one half subtracted per record
  double stddev = 0;           ///< of the noise in each of these numbers
  std::optional<double> public_records = {};
};

// A ratio of two noisy sums means something only while the lower one stands clear of the noise.
inline constexpr double clear_of_noise = 5;

/// Post-processing: shares, means and their noise, first order in the noise.
[[nodiscard]] NoisyFigures figures_of(const ReleasedCounts& counts, const EvaluationPlan& plan);

}  // namespace tacet::learn
