#pragma once

#include <optional>
#include <vector>

#include "tacet/learn/evaluation.h"

namespace tacet::learn {

/// What was released for one group of records, or for all groups added up.
struct ReleasedCounts {
  std::vector<double> cells;  ///< noisy counts
  double losses = 0;          ///< noisy sum of capped losses over the cap
  double loss_of_each = 0;    ///< to be added to it for each record
  double deviation = 0;       ///< of the noise in each of these numbers
  std::optional<double> public_records = {};
};

/// Post-processing: shares, means and their noise, first order in the noise.
[[nodiscard]] NoisyFigures figures_of(const ReleasedCounts& counts, const EvaluationPlan& plan);

}  // namespace tacet::learn
